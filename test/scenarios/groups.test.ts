import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorkspaceSeed } from '../../src/sandbox/seed.ts'
import { aPlace, SEED, SILENT } from '../support/place.ts'
import { asRows } from '../support/warned.ts'

const idOf = (letter: string) => `ws-${letter.repeat(16)}`
const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')] as const
const API = { id: A, name: 'payments-api' }
const WEB = { id: B, name: 'payments-web' }
const OTHER = { id: C, name: 'sandbox-of-eve' }
const SECRET = { SETPOINT_SECRET_DB: 'only-for-this-test' }

const GROUPS = `groups:
  prod:
    workspaces:
      payments-api: ${A}
      payments-web: ${B}
`
const SETS = `variableSets:
  db:
    workspaces: ["group:prod"]
    env: { DB_PASSWORD: { secret: DB } }
`

/** A repository with a group of two workspaces, and a service with these. */
async function aGroup(
  workspaces: readonly WorkspaceSeed[] = [API, WEB, OTHER],
  more: Parameters<typeof aPlace>[1] = {},
) {
  const { sets = [], ...listen } = more
  const place = await aPlace({ 'groups.yaml': GROUPS, 'sets/a.yaml': SETS }, listen)
  const become = (now: readonly WorkspaceSeed[]) => {
    const { sets: live = [] } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...SEED, workspaces: now, sets: live })
  }
  place.sandbox.restore({ ...SEED, workspaces, sets })
  return { ...place, become }
}

test('a hint is a command for the configuration that was typed', async () => {
  const place = await aGroup()
  place.become([{ ...API, name: 'payments-edge' }, WEB, OTHER])
  const { stdout } = await place.setpoint(['plan', '--config', './setpoint.yaml'])
  const [, hint = ''] = /`setpoint (groups [^`]*)`/.exec(stdout) ?? []
  expect(hint).toBe('groups --config ./setpoint.yaml --update')
  expect((await place.setpoint(hint.split(' '))).code).toBe(0)
})

describe('a set that names a group', () => {
  test('is assigned to its workspaces, and the plan shows who newly receives which secret', async () => {
    const place = await aGroup()
    const { code, stdout, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('  secret  db DB_PASSWORD  newly in workspaces payments-api, payments-web\n')
    // The sets, and one list of workspaces with the names of both.
    expect(stdout).toContain('3 reads')
    expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
    expect(place.sandbox.snapshot().sets?.map(({ workspaces }) => workspaces)).toEqual([[A, B]])
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('may name workspaces of two groups, and others', async () => {
    const place = await aGroup()
    place.write({
      'groups.yaml': `${GROUPS}  api:\n    workspaces: { payments-api: ${A} }\n`,
      'sets/a.yaml': SETS.replace('"group:prod"', `payments-api, "group:api", sandbox-of-eve, "group:prod"`),
    })
    expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
    expect(place.sandbox.snapshot().sets?.[0]?.workspaces?.toSorted()).toEqual([A, B, C])
  })

  const SAID = 'Run `setpoint groups --update`, and review who is in the group.'
  test.each([
    [
      'that was renamed',
      [{ ...API, name: 'api' }, WEB],
      `which the service calls "api". The set is not assigned to it.\n  ${SAID}`,
    ],
    [
      'that was created again, with another id',
      [{ ...OTHER, name: 'payments-api' }, WEB],
      `but in the service ${C} has this name. The set is not assigned to it.\n  ${SAID}`,
    ],
  ])(
    'is not assigned to a workspace %s: everything else is applied, and it is drift',
    async (_, now, said) => {
      const place = await aGroup(now)
      const owner = 'organization: acme\nowner: me\n'
      place.write({
        'setpoint.yaml': owner,
        'sets/b.yaml': 'variableSets: { other: { workspaces: [payments-web], env: { B: 1 } } }\n',
      })
      const warned = asRows(
        `groups.yaml:4:7  warning renamed-member\n  "payments-api" of the group "prod" is ${A}, ${said}\n`,
      )
      const finding = 'db not assigned to payments-api: its group has another name for it than the service'
      const plan = await place.setpoint(['plan', '--out', 'plan.json', '--report', 'json=r.json'])
      expect([plan.code, plan.stderr]).toEqual([0, ''])
      const { facts } = JSON.parse(readFileSync(join(place.cwd, 'r.json'), 'utf8'))
      const member = { group: 'prod', name: 'payments-api', id: A }
      expect(facts.findings).toMatchObject([{ kind: 'unassigned', set: 'db', member }])
      expect(plan.stdout).toContain(warned)
      expect(plan.stdout).toContain(`  missing  ${finding.replace('db ', 'db              ')}\n`)
      expect(plan.stdout).not.toContain('payments-api, payments-web')
      const first = await place.setpoint(['apply', 'plan.json'], { env: SECRET })
      expect([first.code, first.stdout]).toEqual([0, expect.stringContaining(`Missing  ${finding}\n`)])
      expect(place.sandbox.snapshot().sets?.map(({ workspaces }) => workspaces)).toEqual([[B], [B], []])
      // A hotfix of the set itself, and of another one.
      place.write({ 'sets/a.yaml': SETS.replace('env: {', 'env: { LOG: debug,') })
      const hotfix = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'], { env: SECRET })
      expect([hotfix.code, hotfix.stdout]).toEqual([0, expect.stringContaining('Applied: 1 created.')])
      expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
      const drift = await place.setpoint(['drift'])
      expect([drift.code, drift.stdout]).toEqual([2, expect.stringContaining(warned)])
      // After the review, the list counts again.
      expect((await place.setpoint(['groups', '--update', 'prod'])).code).toBe(0)
    },
  )

  test('is not assigned to a member that the service no longer shows: a warning', async () => {
    const place = await aGroup([WEB])
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    expect(stdout).toContain(
      asRows(
        `groups.yaml:4:7  warning unknown-id\n  "payments-api" of the group "prod" is ${A}, which the service no longer shows. The set is not assigned to it.\n` +
          '  Run `setpoint groups --update` to remove it from the list, or give the token access to it.\n',
      ),
    )
    expect([code, place.sandbox.snapshot().sets?.[0]?.workspaces]).toEqual([0, [B]])
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
  })

  test('asks by name for a member that is gone: in a large organization, the list does not tell who has its name', async () => {
    const others = Array.from({ length: 150 }, (_, at) => ({ name: `a${at}` }))
    const place = await aGroup([...others, { ...OTHER, name: 'payments-api' }, WEB])
    const { code, stdout } = await place.setpoint(['plan'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        `"payments-api" of the group "prod" is ${A}, but in the service ${C} has this name.`,
      ),
    ])
  })

  test('lacks a member that is gone in the base as well, so that this is no change of the files', async () => {
    const place = await aGroup([WEB])
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'Merged, and never applied'],
    ])
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...args], { cwd: place.cwd })
    const { code, stdout } = await place.setpoint(['plan', '--base', 'HEAD'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 workspace, different before this change')])
  })

  test('keeps its assignment to a member that was renamed or moved since, and asks nothing about it', async () => {
    const place = await aGroup()
    await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    place.become([{ ...API, name: 'api', project: 'p' }, { ...OTHER, name: 'payments-api' }, WEB])
    const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 read')])
  })

  test('is refused by an apply of a reviewed plan if a member was renamed since the review', async () => {
    const place = await aGroup()
    await place.setpoint(['plan', '--out', 'plan.json'])
    place.become([{ ...API, name: 'api' }, { ...OTHER, name: 'payments-api' }, WEB])
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], { env: SECRET })
    expect([code, place.live()]).toEqual([4, []])
    expect(stderr).toContain('The reviewed plan is out of date.')
  })

  test('is not planned if this token may not read workspaces', async () => {
    const place = await aGroup([API, WEB], SILENT)
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'groups.yaml:4:7  error no-look-up\n  The service does not list the workspaces of "acme" for this token.\n' +
        '  The names in groups cannot be compared. Use a token that may read the workspaces.\n',
    })
  })

  test('is compared with the group as it was in the base', async () => {
    const place = await aGroup()
    const git = (...argv: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...argv], { cwd: place.cwd })
    git('init', '--quiet', '--initial-branch=main')
    git('add', '.')
    git('commit', '--quiet', '--message=one')
    await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    place.write({ 'groups.yaml': `${GROUPS}      sandbox-of-eve: ${C}\n` })
    const { code, stdout } = await place.setpoint(['plan', '--base', 'main'])
    expect(code).toBe(0)
    expect(stdout).toContain('+ workspace  sandbox-of-eve')
    expect(stdout).not.toContain('drift')
    // What the base has and the service lost is no part of this change.
    const { sets = [] } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({
      ...SEED,
      workspaces: [API, WEB, OTHER],
      sets: sets.map(set => ({ ...set, workspaces: [A] })),
    })
    const both = await place.setpoint(['plan', '--base', 'main'])
    expect(both.stdout).toContain('+ workspace  payments-web, different before this change\n')
    expect(both.stdout).toContain('+ workspace  sandbox-of-eve, this change\n')
  })

  test('is planned with the sandbox, which then has the workspaces of the group', async () => {
    const place = await aGroup()
    const { code, stderr, stdout } = await place.setpoint(['plan', '--sandbox'], { env: {} })
    expect([code, stderr]).toEqual([
      0,
      'The sandbox made 2 workspaces that the files name. To check names, set SETPOINT_SANDBOX_SEED.\n',
    ])
    expect(stdout).toContain('2 workspaces     payments-api, payments-web')
  })

  test('keeps the group in its file when live values are written to it, unless the set lost one of its workspaces', async () => {
    const place = await aGroup()
    await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    const change = (workspaces: readonly string[]) => {
      const { sets = [] } = place.sandbox.snapshot({ sensitive: true })
      place.sandbox.restore({
        ...SEED,
        workspaces: [API, WEB, OTHER],
        sets: sets.map(set => ({ ...set, workspaces })),
      })
    }
    const updated = async () => {
      await place.setpoint(['export', '--update', 'db'])
      return readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8').split('\n')[2]
    }
    change([A, B, C])
    expect(await updated()).toBe('    workspaces: ["group:prod", sandbox-of-eve]')
    change([A, C])
    expect(await updated()).toBe('    workspaces: [sandbox-of-eve, payments-api]')
  })
})

const RULE = `rules:
  prod-only:
    for: exposure
    when: exposure.kind == "secret"
    require: exposure.workspaces.all(w, "prod" in w.groups)
    message: Secrets reach the group prod only.
    level: error
`

describe('who is in a group', () => {
  test('is what rules can ask', async () => {
    const place = await aGroup()
    place.write({ 'rules/prod.yaml': RULE })
    expect((await place.setpoint(['plan'])).code).toBe(0)
    place.write({ 'sets/a.yaml': SETS.replace('["group:prod"]', '["group:prod", sandbox-of-eve]') })
    const { code, stdout } = await place.setpoint(['plan'])
    expect([code, stdout]).toEqual([1, expect.stringContaining('Secrets reach the group prod only.')])
  })

  test('is what the cases of rules can say', async () => {
    const place = await aGroup()
    const sets = 'variableSets: { db: { workspaces: ["group:prod", web], env: { K: { secret: DB } } } }'
    const of = (name: string, members: string, expected: string) =>
      `  ${name}:\n    groups: { prod: [${members}] }\n    after: { ${sets} }\n    expect: [${expected}]\n`
    place.write({
      'rules/prod.yaml': RULE,
      'rules/tests/prod.yaml': `cases:\n${of('inside', 'api, web, more', '')}${of('outside', 'api', 'prod-only')}`,
    })
    const { code, stdout, stderr } = await place.setpoint(['test'])
    expect([code, stdout.split('\n').slice(0, 2), stderr]).toEqual([
      0,
      ['setpoint test   1 rule', '2 cases: 2 passed, 0 failed.'],
      '',
    ])
  })

  test('is what explain and affected name', async () => {
    const place = await aGroup([{ ...API, project: 'p' }, WEB, OTHER])
    place.write({
      'groups.yaml': `${GROUPS}  api: { workspaces: { payments-api: ${A} } }\n`,
      'sets/a.yaml': SETS.replace('"group:prod"', '"group:prod", "group:api", sandbox-of-eve'),
    })
    const explained = async (...argv: readonly string[]) =>
      (await place.setpoint(['explain', ...argv])).stdout
    expect(await explained('payments-api')).toMatch(/ {3}project p\s+groups prod, api /)
    expect(await explained('payments-web')).toMatch(/ {3}group prod\s/)
    expect(await explained('sandbox-of-eve')).not.toContain('group')
    const { workspace } = JSON.parse(await explained('payments-api', '--format', 'json'))
    expect(workspace.groups).toEqual(['prod', 'api'])
    const { stdout } = await place.setpoint(['affected'])
    expect(stdout).toContain(
      '    payments-api     project p  groups prod, api\n    payments-web     group prod\n    sandbox-of-eve\n',
    )
    const { workspaces } = JSON.parse((await place.setpoint(['affected', '--format', 'json'])).stdout)
    expect(workspaces[0].members.map((one: { groups?: unknown }) => one.groups)).toEqual([
      ['prod', 'api'],
      ['prod'],
      undefined,
    ])
  })
})

const SELECTING = `# Who gets the password of payments.
groups:
  prod:
    select:
      names: ["payments-*", "ledger-*"]
      tags: { env: prod }
      projects: [p]
    except: [payments-sandbox]
    # Reviewed by the payments team.
    workspaces:
      payments-api: ${A}   # the first one
      # It has its own database.
      payments-web: ${B}
  by-hand:
    workspaces: { sandbox-of-eve: ${C} }
`
const PROD = { project: 'p', tags: { env: 'prod' } }

/** A repository with a selection, and a service with these workspaces. */
async function aSelection(workspaces: readonly WorkspaceSeed[], groups = SELECTING) {
  const place = await aGroup()
  place.write({ 'groups.yaml': groups })
  place.become(workspaces)
  const file = () => readFileSync(join(place.cwd, 'groups.yaml'), 'utf8')
  return { ...place, file }
}

describe('setpoint groups', () => {
  test('says that no list differs, and asks once for all groups', async () => {
    const place = await aSelection([
      { ...API, ...PROD },
      { ...WEB, ...PROD },
      OTHER,
      { name: 'payments-sandbox', ...PROD },
      { name: 'payments-staging', project: 'p', tags: { env: 'staging' } },
      { name: 'network-prod', ...PROD },
      { name: 'payments-elsewhere', tags: { env: 'prod' } },
    ])
    const { code, stdout, stderr } = await place.setpoint(['groups', '--detailed-exitcode', '--verbose'])
    expect([code, stdout]).toEqual([
      0,
      'setpoint groups   acme\n' +
        '2 groups: no list differs from the service.\n' +
        '  prod     2 workspaces listed, 2 selected   groups.yaml:3\n' +
        '  by-hand  1 workspace listed by hand   groups.yaml:14\n',
    ])
    expect(stderr.match(/^GET \S+/gm)?.toSorted()).toEqual([
      'GET /api/v2/organizations/acme/projects',
      'GET /api/v2/organizations/acme/workspaces',
    ])
  })

  const MOVED: readonly WorkspaceSeed[] = [
    { ...API, ...PROD, name: 'payments-gateway' },
    { ...WEB, project: 'p', tags: { env: 'staging' } },
    { ...OTHER, name: 'eve' },
    { id: idOf('d'), name: 'ledger-a', ...PROD },
    { id: idOf('e'), name: 'payments-api', ...PROD },
  ]

  test('shows who enters and leaves, and who was renamed', async () => {
    const place = await aSelection(MOVED)
    const { code, stdout } = await place.setpoint(['groups', '--detailed-exitcode'])
    expect([code, stdout]).toEqual([
      2,
      `setpoint groups   acme
2 groups: 2 differ from the service.

~ prod     2 workspaces listed, 3 selected   groups.yaml:3
    + ledger-a                          ${idOf('d')}
    + payments-api                      ${idOf('e')}
    - payments-web                      ${B}  no longer selected
    ~ payments-api -> payments-gateway  ${A}  renamed
~ by-hand  1 workspace listed by hand   groups.yaml:14
    ~ sandbox-of-eve -> eve  ${C}  renamed

To rewrite the lists: setpoint groups --update
`,
    ])
    expect((await place.setpoint(['groups'])).code).toBe(0)
    expect(place.file()).toBe(SELECTING)
  })

  test('rewrites the lists and nothing else, and then finds no difference', async () => {
    const place = await aSelection(MOVED)
    const { code, stdout } = await place.setpoint(['groups', '--update', '--detailed-exitcode'])
    expect([code, stdout.split('\n')[1]]).toEqual([
      2,
      '2 groups: 2 differ from the service. Rewritten: 2. Review the change in Git.',
    ])
    expect(place.file()).toBe(
      SELECTING.replace(
        `      payments-api: ${A}   # the first one\n`,
        `      payments-gateway: ${A}   # the first one\n`,
      )
        .replace(
          `      payments-web: ${B}\n`,
          `      ledger-a: ${idOf('d')}\n      payments-api: ${idOf('e')}\n`,
        )
        .replace('{ sandbox-of-eve:', '{ eve:'),
    )
    expect((await place.setpoint(['groups', '--update', '--detailed-exitcode'])).code).toBe(0)
    expect((await place.setpoint(['validate'])).code).toBe(0)
  })

  test('rewrites only the groups that --update names', async () => {
    const place = await aSelection(MOVED)
    const { stdout } = await place.setpoint(['groups', '--update', 'by-*', '--rate', '50'])
    expect(stdout).toContain(
      '\n2 groups: 2 differ from the service. Rewritten: 1. Review the change in Git.\n',
    )
    expect(stdout.split('\n').slice(-2)).toEqual([
      'To rewrite the lists: setpoint groups --rate 50 --update',
      '',
    ])
    expect(place.file()).toBe(SELECTING.replace('{ sandbox-of-eve:', '{ eve:'))
    const { code, stderr } = await place.setpoint(['groups', '--update', 'none'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('--update "none" matches no group.')])
  })

  test('keeps the line of a workspace that was created again, with its new id', async () => {
    const place = await aSelection([{ id: idOf('f'), ...PROD, name: API.name }, { ...WEB, ...PROD }, OTHER])
    const { stdout } = await place.setpoint(['groups', '--update'])
    expect(stdout).toContain(`    - payments-api  ${A}  gone from the service\n`)
    expect(place.file()).toBe(SELECTING.replace(A, idOf('f')))
  })

  test('writes the first list of a selection', async () => {
    const text = 'groups:\r\n  prod:\r\n    select: { names: ["payments-*"] }\r\n'
    const place = await aSelection([API, WEB, OTHER], text)
    await place.setpoint(['groups', '--update'])
    expect(place.file()).toBe(
      `${text}    workspaces:\r\n      payments-api: ${A}\r\n      payments-web: ${B}\r\n`,
    )
  })

  test('refuses an empty selection, and writes nothing, unless the group may be empty', async () => {
    const place = await aSelection([OTHER])
    const { code, stderr } = await place.setpoint(['groups', '--update'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'groups.yaml:3:3  error empty-group\n  The selection of the group "prod" matches no workspace.\n' +
        '  Correct `select`. If the group may be empty, write `allowEmpty: true`.\n',
    })
    expect(place.file()).toBe(SELECTING)
    place.write({ 'groups.yaml': SELECTING.replace('except:', 'allowEmpty: true\n    except:') })
    expect((await place.setpoint(['groups', '--update'])).code).toBe(0)
    expect(place.file()).toContain('    workspaces: {}\n')
    expect(place.file()).not.toContain('payments-api:')
  })

  test('says which project a selection cannot mean', async () => {
    const place = await aSelection([API], SELECTING.replace('[p]', '[q, platform]'))
    const { code, stderr } = await place.setpoint(['groups'])
    expect([code, stderr.match(/unknown-name\n.*\n.*/g)]).toEqual([
      1,
      [
        'unknown-name\n  There is no project "q".\n  Did you mean "p"?',
        'unknown-name\n  There is no project "platform".\n  Correct the name, or write the id.',
      ],
    ])
  })

  test('selects a project by a name that has the form of an id', async () => {
    const text = 'groups:\n  prod:\n    select: { projects: [prj-shop] }\n    allowEmpty: true\n'
    const place = await aSelection([], text)
    const projects = [{ name: 'prj-shop' }, { name: 'p' }]
    const workspaces = [
      { ...API, project: 'prj-shop' },
      { ...WEB, project: 'p' },
    ]
    place.sandbox.restore({ ...SEED, projects, workspaces })
    await place.setpoint(['groups', '--update'])
    expect(place.file()).toBe(`${text}    workspaces:\n      payments-api: ${A}\n`)
  })

  test('refuses a form that it cannot edit, and writes nothing', async () => {
    const text = `groups:\n  prod:\n    workspaces:\n      ? payments-api\n      : ${A}\n      payments-web: ${B}\n`
    const place = await aSelection([WEB], text)
    const { code, stderr } = await place.setpoint(['groups', '--update'])
    expect([code, stderr, place.file()]).toEqual([
      1,
      'groups.yaml:2:3  error not-written\n' +
        '  The group "prod" cannot be updated in place: it has a form that cannot be edited.\n' +
        '  Nothing was written. Write each workspace on its own line, or change the list by hand.\n',
      text,
    ])
  })

  test('says so if there are no groups', async () => {
    const place = await aPlace({})
    expect(await place.setpoint(['groups', '--update'])).toMatchObject({
      code: 0,
      stdout: 'setpoint groups   acme\nThere are no groups.\n',
    })
  })

  test('is an error if this token may not list workspaces', async () => {
    const place = await aGroup([API, WEB], SILENT)
    expect(await place.setpoint(['groups'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The service does not list the workspaces of "acme" for this token.'),
    })
  })
})

test('a pattern of a group that matches no workspace is a warning: a misspelled `except` leaves nobody out', async () => {
  const { setpoint, write } = await aGroup()
  const groups = (except: string, names: string) =>
    write({
      'groups.yaml': `groups:\n  prod:\n    select: { names: ["payments-*", ${names}] }\n    except: [${except}]\n    workspaces: { payments-api: ${A} }\n`,
    })
  const warnings = async () =>
    (await setpoint(['groups'])).stderr.split('\n').filter(line => / has "/.test(line))
  groups('payments-wbe', 'pay')
  expect(await warnings()).toEqual([
    '  `names` of the group "prod" has "pay", which matches no workspace.',
    '  `except` of the group "prod" has "payments-wbe", which matches no workspace.',
  ])
  groups('payments-web', '"sandbox-*"')
  expect(await warnings()).toEqual([])
})
