import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aPlace, SEED } from '../support/place.ts'

const A = 'ws-aaaaaaaaaaaaaaaa'
const B = 'ws-bbbbbbbbbbbbbbbb'
const SETS = `variableSets:
  aws:
    workspaces: []
    env: { REGION: eu }
  datadog:
    workspaces: [w]
    projects: []
    env: { SITE: { secret: SITE } }
`
const SIDES = `workspaces:
  x: [aws, datadog]
projects:
  p: [datadog]
`
const SECRET = { env: { SETPOINT_SECRET_SITE: 'only-for-this-test' } }
const WORKSPACES = [
  { id: A, name: 'w' },
  { id: B, name: 'x', project: 'p' },
]

async function aRepository(sides = SIDES, sets = SETS, more: Readonly<Record<string, string>> = {}) {
  const place = await aPlace({
    'sets/a.yaml': sets,
    'teams/x.yaml': sides,
    ...more,
    'setpoint.yaml': CONFIGURATION + (more['setpoint.yaml'] ?? ''),
  })
  place.sandbox.restore({
    ...SEED,
    projects: [{ id: 'prj-pppppppppppppppp', name: 'p' }],
    workspaces: WORKSPACES,
  })
  const nameOf = new Map<string, string>([
    [A, 'w'],
    [B, 'x'],
    ['prj-pppppppppppppppp', 'p'],
  ])
  const assigned = () =>
    Object.fromEntries(
      (place.sandbox.snapshot().sets ?? [])
        .filter(({ name }) => !name.startsWith('setpoint-inventory'))
        .map(({ name, workspaces = [], projects = [] }) => [
          name,
          [...workspaces, ...projects]
            .map(id => nameOf.get(String(id)) ?? id)
            .sort()
            .join(' '),
        ]),
    )
  const apply = async (...args: readonly string[]) => {
    await place.setpoint(['plan', '--out', 'plan.json', ...args])
    const { digest } = JSON.parse(readFileSync(join(place.cwd, 'plan.json'), 'utf8'))
    // A digest alone does not name the members of projects.
    const how = args.length === 0 ? ['plan.json', '--approve', digest] : ['--approve', digest, ...args]
    const ran = await place.setpoint(['apply', ...how], SECRET)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    return ran
  }
  return { ...place, assigned, apply }
}

const CONFIGURATION = 'organization: acme\nsets: ["sets/**/*.yaml", "teams/**/*.yaml"]\n'

describe('sets that workspaces and projects list', () => {
  test('are assigned as if each set listed them; plan and explain name the line', async () => {
    const place = await aRepository()
    const { stdout, stderr } = await place.setpoint(['plan'])
    expect(stderr).toBe('')
    expect(stdout).toContain('+ workspace   x, at teams/x.yaml:2')
    expect(stdout).toContain(
      '+ workspace  w\n    + workspace  x, at teams/x.yaml:2\n    + project    p, at teams/x.yaml:4\n',
    )
    expect(stdout).toContain('2 workspaces, 1 project')
    expect((await place.apply()).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: 'x', datadog: 'p w x' })
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
    const explained = await place.setpoint(['explain', 'x'])
    expect(explained.stdout).toContain('aws (the workspace at teams/x.yaml:2, rank 11)')
    const asJson = JSON.parse((await place.setpoint(['explain', 'x', '--format', 'json'])).stdout)
    expect(asJson.variables[0].after.assignedAt).toEqual({ path: 'teams/x.yaml', line: 2, column: 7 })
    // The set itself lists it.
    expect((await place.setpoint(['explain', 'w'])).stdout).toContain('datadog (the workspace, rank 11)')
  })

  test('are named with the project that lists them', async () => {
    const place = await aRepository('projects: { p: [datadog] }\n')
    expect((await place.apply()).code).toBe(0)
    expect((await place.setpoint(['explain', 'x'])).stdout).toContain(
      'datadog (its project at teams/x.yaml:1, rank 12)',
    )
  })

  test('are named by explain --key with the line of each receiver', async () => {
    const place = await aRepository()
    const { stdout } = await place.setpoint(['explain', '--key', 'SITE', '--from', 'files'])
    expect(stdout).toContain('workspace w; workspace x, at teams/x.yaml:2\n')
    const asked = await place.setpoint(['explain', '--key', 'REGION', '--from', 'files', '--format', 'json'])
    expect(JSON.parse(asked.stdout).received[0].receivers).toEqual([
      { kind: 'workspace', id: B, name: 'x', assignedAt: { path: 'teams/x.yaml', line: 2, column: 7 } },
    ])
    place.write({ 'teams/x.yaml': 'projects: { p: [datadog] }\n' })
    expect((await place.setpoint(['explain', '--key', 'SITE', '--from', 'files'])).stdout).toContain(
      'workspace x, at teams/x.yaml:1\n',
    )
  })

  test('are unassigned when the last line goes', async () => {
    const place = await aRepository()
    await place.apply()
    place.write({ 'teams/x.yaml': 'workspaces: {}\n' })
    const { stdout } = await place.setpoint(['plan'])
    expect(stdout).toContain('- workspace  x')
    expect((await place.apply()).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: '', datadog: 'w' })
  })

  test('have their lines in the plan as JSON, also where the set is in the same step', async () => {
    const place = await aRepository()
    const steps = async () => JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).steps
    const at = (line: number, column: number) => ({ path: 'teams/x.yaml', line, column })
    expect((await steps()).map(({ id, assignedAt }: Record<string, unknown>) => [id, assignedAt])).toEqual([
      ['create-set aws', [{ id: B, source: at(2, 7) }]],
      [
        'create-set datadog',
        [
          { id: B, source: at(2, 12) },
          { id: 'prj-pppppppppppppppp', source: at(4, 7) },
        ],
      ],
    ])
    await place.apply()
    place.write({
      'teams/x.yaml': 'workspaces: { x: [aws, datadog], w: [aws] }\nprojects: { p: [datadog] }\n',
    })
    expect(await steps()).toMatchObject([
      { id: 'assign aws workspaces', assignedAt: [{ id: A, source: at(1, 38) }] },
    ])
  })

  test('may be named by a group', async () => {
    const groups = `groups:\n  all:\n    workspaces: { w: ${A}, x: ${B} }\n`
    const place = await aRepository('workspaces: { "group:all": [aws], x: [aws] }\n', SETS, {
      'groups.yaml': groups,
    })
    expect((await place.apply()).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: 'w x', datadog: 'w' })
    expect((await place.setpoint(['explain', 'w'])).stdout).toContain(
      'aws (the workspace through group all at teams/x.yaml:1, rank 11)',
    )
    place.write({ 'groups.yaml': groups.replace(`, x: ${B}`, '') })
    expect((await place.apply()).code).toBe(0)
    // Its own line is left.
    expect(place.assigned()).toEqual({ aws: 'w x', datadog: 'w' })
    place.write({ 'teams/x.yaml': 'workspaces: { "group:all": [aws] }\n' })
    expect((await place.apply()).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: 'w', datadog: 'w' })
  })

  test('may have a base', async () => {
    const place = await aRepository(
      'workspaces: { x: [aws] }\n',
      'bases: { b: { env: { REGION: eu } } }\nvariableSets: { aws: { from: b, workspaces: [] } }\n',
    )
    expect((await place.apply()).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: 'x' })
  })

  test('are one list with the set in validate --resolved', async () => {
    const place = await aRepository()
    const { stdout } = await place.setpoint(['validate', '--resolved'])
    expect(stdout).toContain('    workspaces:\n      - w\n      - x\n    projects:\n      - p\n')
    expect(stdout).not.toMatch(/^(?:workspaces|projects):/m)
  })

  test('are named by their keys if they share a name', async () => {
    const place = await aRepository(
      'projects: { p: [second] }\n',
      'variableSets:\n  first: { name: twins, projects: [] }\n  second: { name: twins, project: p, projects: [] }\n',
    )
    const { stdout } = await place.setpoint(['validate', '--resolved'])
    expect(stdout).toContain('    project: p\n    projects:\n      - p\n')
    expect(stdout).toContain('    projects: []\n')
  })

  test('have a warning if they are global, which they can accept', async () => {
    const set = 'variableSets: { a: { global: true, workspaces: [], env: { A: 1 } } }\n'
    const place = await aRepository('workspaces: { w: [a] }\n', set)
    expect((await place.setpoint(['validate'])).stderr).toContain(
      'sets/a.yaml:1:17  warning global-with-assignments\n  "a" is global and has assignments, one at teams/x.yaml:1.\n',
    )
    place.write({
      'sets/a.yaml': set.replace('global: true', 'global: true, accept: [global-with-assignments]'),
    })
    expect((await place.setpoint(['validate'])).stderr).toBe('')
  })

  test('are told once by name and id, or by two files', async () => {
    const place = await aRepository('workspaces: { w: [aws] }\n', SETS, {
      'teams/y.yaml': `workspaces: { ${A}: [aws] }\n`,
    })
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `teams/y.yaml:1:37  error duplicate-target\n  "${A}" is the same workspace as "w" at teams/x.yaml:1.\n` +
        '  Remove one of the two.\n',
    })
  })

  test('are looked up in the service: an unknown workspace is an error at its line', async () => {
    const place = await aRepository('workspaces: { y: [aws] }\n')
    expect((await place.setpoint(['plan'])).stderr).toContain('teams/x.yaml:1:19  error unknown-name')
  })
})

describe('an assignment beside the sets', () => {
  test('is part of its set for --only', async () => {
    const place = await aRepository()
    expect((await place.apply('--only', 'aws')).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: 'x' })
  })

  test('is part of a change for --only-this-change', async () => {
    const place = await aRepository('workspaces: { x: [aws] }\n')
    await place.apply()
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...IDENTITY, ...args], { cwd: place.cwd })
    git('init', '-q', '-b', 'main')
    git('add', 'setpoint.yaml', 'sets', 'teams')
    git('commit', '-qm', 'Begin')
    // Drift of a set, and a change of the other.
    const live = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({
      ...live,
      sets: (live.sets ?? []).map(set => (set.name === 'datadog' ? { ...set, workspaces: [] } : set)),
    })
    place.write({ 'teams/x.yaml': 'workspaces: { x: [aws], w: [aws] }\n' })
    const flags = ['--base', 'HEAD', '--only-this-change']
    expect((await place.apply(...flags)).code).toBe(0)
    expect(place.assigned()).toEqual({ aws: 'w x', datadog: '' })
  })

  test('of a protected set is planned like any other, and the set cannot go while a line names it', async () => {
    const place = await aRepository('workspaces: {}\n', SETS, {
      'setpoint.yaml': 'prune: true\nowner: me\nguards: { protect: [aws] }\n',
    })
    await place.apply()
    place.write({ 'teams/x.yaml': 'workspaces: { x: [aws] }\n' })
    const planned = async () => JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout)
    expect((await planned()).blocks).toEqual([])
    await place.apply()
    const withoutAws = SETS.replace(/ {2}aws:\n.*\n.*\n/, '')
    place.write({ 'sets/a.yaml': withoutAws })
    expect((await place.setpoint(['plan'])).stderr).toContain('teams/x.yaml:1:19  error unknown-name')
    place.write({ 'teams/x.yaml': 'workspaces: {}\n' })
    expect((await planned()).blocks).toMatchObject([{ code: 'protected-name', item: { set: 'aws' } }])
  })

  test('is what rules see of the set', async () => {
    const rules = `rules:
  not-x:
    for: set
    require: '!set.workspaces.exists(w, w.name == "x")'
    message: Not for x.
    level: error
`
    const place = await aRepository('workspaces: { x: [aws] }\n', SETS, { 'rules/a.yaml': rules })
    const { stdout } = await place.setpoint(['plan', '--format', 'json'])
    expect(JSON.parse(stdout).hits).toMatchObject([{ rule: 'not-x', item: { kind: 'set', set: 'aws' } }])
  })

  test('is what a case of a rule has', async () => {
    const place = await aRepository('workspaces: {}\n', SETS, {
      'rules/a.yaml': `rules:
  not-x:
    for: set
    require: '!set.workspaces.exists(w, w.name == "x")'
    message: Not for x.
    level: error
`,
      'rules/tests/a.yaml': `cases:
  beside:
    after:
      variableSets: { aws: { workspaces: [], env: { A: 1 } } }
      workspaces: { x: [aws] }
    expect: [not-x]
`,
    })
    const { code, stdout, stderr } = await place.setpoint(['test'])
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  })

  test('of a set that another owner manages is refused with the set', async () => {
    const place = await aRepository(SIDES, SETS, { 'setpoint.yaml': 'owner: one\n' })
    await place.apply()
    place.write({ 'setpoint.yaml': `${CONFIGURATION}owner: two\n` })
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toContain('sets/a.yaml:2:3  error owned-by-another')
  })
})

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'commit.gpgsign=false']

describe('export --update', () => {
  const after = async (
    sides: string,
    change: Readonly<Record<string, { readonly workspaces?: string[]; readonly projects?: string[] }>>,
    more = {},
  ) => {
    const place = await aRepository(sides, SETS, more)
    await place.apply()
    const live = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...live, sets: (live.sets ?? []).map(set => ({ ...set, ...change[set.name] })) })
    const { code, stdout, stderr } = await place.setpoint(['export', '--update', '*'])
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
    const text = (path: string) => readFileSync(join(place.cwd, path), 'utf8')
    return { stdout, sets: text('sets/a.yaml'), sides: text('teams/x.yaml') }
  }

  test('takes a set out of the list where it is written', async () => {
    const sides = '# Of the team of x.\nworkspaces:\n  x:\n    - aws # region\n    - datadog\n  w: [aws]\n'
    const { stdout, ...files } = await after(sides, { aws: { workspaces: [] }, datadog: { workspaces: [A] } })
    expect(files).toEqual({
      sets: SETS,
      sides: '# Of the team of x.\nworkspaces:\n  x: []\n  w: []\n',
    })
    expect(stdout).toContain('teams/x.yaml\n  aws: - x, - w\n  datadog: - x\n')
  })

  test('keeps other lines, and adds what nobody lists to the list of the set', async () => {
    const { sets, sides } = await after(SIDES, {
      aws: { workspaces: [A] },
      datadog: { workspaces: [], projects: [] },
    })
    expect(sides).toBe('workspaces:\n  x: []\nprojects:\n  p: []\n')
    expect(sets).toBe(
      SETS.replace('workspaces: []', 'workspaces: [w]').replace('[w]\n    projects', '[]\n    projects'),
    )
  })

  test('keeps a group that has all of its workspaces, and lists the rest of another', async () => {
    const groups = { 'groups.yaml': `groups:\n  all:\n    workspaces: { w: ${A}, x: ${B} }\n` }
    const sides = 'workspaces: { "group:all": [aws] }\n'
    expect((await after(sides, { datadog: { workspaces: [] } }, groups)).sides).toBe(sides)
    const { sets, sides: rest } = await after(sides, { aws: { workspaces: [B] } }, groups)
    expect(rest).toBe('workspaces: { "group:all": [] }\n')
    expect(sets).toContain('workspaces: [x]\n    env: { REGION: eu }')
  })
})

const NAMES = ['a', 'b', 'c'] as const
const GROUPS = `groups:\n  all:\n    workspaces: { w: ${A}, x: ${B} }\n`
const KINDS = { w: 'workspaces', x: 'workspaces', 'group:all': 'workspaces', p: 'projects' } as const
type Target = keyof typeof KINDS
const TARGETS = Object.keys(KINDS) as Target[]

/** Who lists an assignment, and in which of two files. */
const LINE = fc.record({ from: fc.constantFrom('nobody', 'set', 'target'), file: fc.nat(1) })
const STATE = fc.array(fc.tuple(fc.nat(1), ...TARGETS.map(() => LINE)), { minLength: 3, maxLength: 3 })
type Lines = readonly (readonly [Target, { readonly from: string; readonly file: number }])[]

const linesOf = ([, ...lines]: readonly unknown[]): Lines =>
  TARGETS.map((target, at) => [target, lines[at] as Lines[number][1]])

/** Two files with sets, and two with workspaces and projects. JSON is YAML. */
function filesOf(state: readonly (readonly unknown[])[]): Record<string, string> {
  const files = [0, 1].flatMap(file => {
    const sets = state.flatMap(([at, ...rest], index) => {
      const listed = (kind: string) =>
        linesOf([at, ...rest]).flatMap(([target, { from }]) =>
          from === 'set' && KINDS[target] === kind ? [target] : [],
        )
      const set = { workspaces: listed('workspaces'), projects: listed('projects'), env: { A: '1' } }
      return at === file ? [[NAMES[index], set]] : []
    })
    const sides = (kind: string) =>
      TARGETS.flatMap(target => {
        const names = state.flatMap((set, index) => {
          const line = linesOf(set).find(([one]) => one === target)?.[1]
          return line?.from === 'target' && line.file === file ? [NAMES[index]] : []
        })
        return KINDS[target] === kind && names.length > 0 ? [[target, names]] : []
      })
    return [
      [`sets/${file}.yaml`, JSON.stringify({ variableSets: Object.fromEntries(sets) })],
      [
        `teams/${file}.yaml`,
        JSON.stringify({
          workspaces: Object.fromEntries(sides('workspaces')),
          projects: Object.fromEntries(sides('projects')),
        }),
      ],
    ]
  })
  return Object.fromEntries(files)
}

const unionOf = (set: readonly unknown[]): string => {
  const targets = linesOf(set).flatMap(([target, { from }]) =>
    from === 'nobody' ? [] : target === 'group:all' ? ['w', 'x'] : [target],
  )
  return [...new Set(targets)].sort().join(' ')
}

test('assignments of both sides that change, move and go leave the service with their union', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STATE, { minLength: 3, maxLength: 3 }), async states => {
      const place = await aRepository('workspaces: {}\n', 'variableSets: {}\n', { 'groups.yaml': GROUPS })
      for (const state of states) {
        place.write(filesOf(state))
        const applied = await place.apply()
        expect(applied.code, applied.stdout + applied.stderr).toBe(0)
        expect(place.assigned()).toEqual(
          Object.fromEntries(state.map((set, at) => [NAMES[at], unionOf(set)])),
        )
        expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
      }
    }),
    { numRuns: 12, seed: 11 },
  )
})
