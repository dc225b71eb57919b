import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../src/plan/plan-data.ts'
import type { SandboxSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place, SEED } from '../support/place.ts'

/** What begins to block between review and apply, and who begins to receive a secret, is refused: however the plan was agreed to. */

const SECRET = { SETPOINT_SECRET_NEW: 'hunter2' }
const PROJECTS = [{ name: 'p' }, { name: 'prod' }]
const WORKSPACES = [
  { name: 'w', project: 'p' },
  { name: 'x', project: 'p' },
]

interface Case {
  /** `setpoint.yaml`, without its organization. */
  readonly configuration?: string
  readonly files?: Readonly<Record<string, string>>
  /** The set `a` in its file, first as it is applied, then as it is reviewed. */
  readonly before: string
  readonly after: string
  /** What somebody does between review and apply: in the service, or in other files. */
  readonly meanwhile: (place: Place) => void
  /** It is in the files: a question is asked after they were read. */
  readonly isOfFiles?: true
  /** In the refusal, or in the plan above it. */
  readonly refusal: RegExp
}

/** Changes the service as another client would. */
function service({ sandbox }: Place, change: (seed: SandboxSeed) => SandboxSeed): void {
  sandbox.restore(change(sandbox.snapshot({ sensitive: true })))
}

const move = (place: Place, name: string, project: string): void =>
  service(place, seed => ({
    ...seed,
    workspaces: (seed.workspaces ?? []).map(one => (one.name === name ? { ...one, project } : one)),
  }))

const attach = (place: Place, ...workspaces: readonly string[]): void =>
  service(place, seed => ({
    ...seed,
    sets: (seed.sets ?? []).map(set => (set.name === 'a' ? { ...set, workspaces } : set)),
  }))

const rule = (level: string) => ({
  'rules/prod.yaml': `rules:
  not-in-prod:
    for: set
    when: set.action == "update"
    require: set.workspaces.all(w, !has(w.project) || w.project != "prod")
    message: Not in production.
    level: ${level}
`,
})

const NEWLY = /newly receives NEW|NEW +newly in workspace x/

const CASES: Readonly<Record<string, Case>> = {
  'the inventory is deleted': {
    configuration: 'owner: me\n',
    before: 'env: { A: 1 }',
    after: 'env: { A: 2 }',
    meanwhile: place =>
      service(place, seed => ({
        ...seed,
        sets: (seed.sets ?? []).filter(({ name }) => !name.startsWith('setpoint-inventory')),
      })),
    refusal: /"a" is in no inventory and differs/,
  },
  'gaps: forbid, and a workspace is attached by hand': {
    configuration: 'guards: { gaps: forbid }\n',
    before: 'env: { A: { secret: NEW } }',
    after: 'env: { A: public }',
    meanwhile: place => attach(place, 'w'),
    refusal: /w .*(without|no value|lacks)|gap/i,
  },
  'a workspace moves into the project of a rule': {
    files: rule('block'),
    before: 'workspaces: [w]\n    env: { A: 1 }',
    after: 'workspaces: [w]\n    env: { A: 2 }',
    meanwhile: place => move(place, 'w', 'prod'),
    refusal: /violates the rule not-in-prod/,
  },
  'a workspace moves into the project of a rule that forbids': {
    files: rule('error'),
    before: 'workspaces: [w]\n    env: { A: 1 }',
    after: 'workspaces: [w]\n    env: { A: 2 }',
    meanwhile: place => move(place, 'w', 'prod'),
    refusal: /Rules forbid this plan/,
  },
  'assignments that the file leaves out bring a rule to block': {
    files: rule('block'),
    before: 'env: { A: 1 }',
    after: 'env: { A: 2 }',
    meanwhile: place => {
      move(place, 'w', 'prod')
      attach(place, 'w')
    },
    refusal: /violates the rule not-in-prod/,
  },
  'a workspace is attached by hand, and would newly receive a secret': {
    before: 'env: { A: 1 }',
    after: 'env: { A: 1, NEW: { secret: NEW } }',
    meanwhile: place => attach(place, 'x'),
    refusal: NEWLY,
  },
  'a workspace joins the project, and would newly receive a secret': {
    before: 'projects: [prod]\n    env: { A: 1 }',
    after: 'projects: [prod]\n    env: { A: 1, NEW: { secret: NEW } }',
    meanwhile: place => move(place, 'x', 'prod'),
    refusal: NEWLY,
  },
  'a rule is merged': {
    before: 'env: { A: 1 }',
    after: 'env: { A: 2 }',
    meanwhile: place =>
      place.write({
        'rules/no-a.yaml':
          'rules: { no-a: { for: variable, require: variable.key != "A", message: No A., level: block } }\n',
      }),
    isOfFiles: true,
    refusal: /violates the rule no-a/,
  },
  'a name is protected': {
    before: '{}\n  k: {}',
    after: '{}\nremoved: [k]',
    meanwhile: place => place.write({ 'setpoint.yaml': 'organization: acme\nguards: { protect: [k] }\n' }),
    isOfFiles: true,
    refusal: /"k" is protected/,
  },
}

const setsFile = (contents: string) => `variableSets:\n  a:\n    ${contents}\n`

function commit({ cwd }: Place): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.test', '-c', 'commit.gpgsign=false']
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd })
  execFileSync('git', ['add', '.'], { cwd })
  execFileSync('git', [...identity, 'commit', '-qm', 'Files'], { cwd, stdio: 'pipe' })
}

/** What is selected of the plan: all of it, or what the last commit changes. */
const SELECTIONS = { everything: [], 'this change': ['--only-this-change', '--base', 'HEAD~1'] } as const

/** The plan of a change, saved in `plan.json`; in `other.json`, that of another change, which nobody has applied either. */
async function reviewed(
  { configuration = '', files = {}, before, after }: Case,
  flags: readonly string[],
): Promise<{ readonly place: Place; readonly plan: Plan; readonly other: Plan }> {
  const place = await aPlace({
    '.gitignore': '*.json\n',
    'setpoint.yaml': `organization: acme\n${configuration}`,
    'sets/a.yaml': setsFile(before),
    ...files,
  })
  place.sandbox.restore({ ...SEED, projects: PROJECTS, workspaces: WORKSPACES })
  const setpoint = async (...argv: readonly string[]) => {
    const ran = await place.setpoint(argv, { env: SECRET })
    expect([argv, ran.code, ran.stderr]).toEqual([argv, 0, expect.any(String)])
  }
  await setpoint('apply', '--auto-approve')
  commit(place)
  place.write({ 'sets/a.yaml': setsFile(after) })
  commit(place)
  await setpoint('plan', '--out', 'plan.json', ...flags)
  place.write({ 'sets/a.yaml': setsFile(before), 'sets/z.yaml': 'variableSets: { z: { env: { Z: 1 } } }\n' })
  await setpoint(
    'plan',
    '--out',
    'other.json',
    ...(flags.length > 0 ? ['--only-this-change', '--base', 'HEAD'] : []),
  )
  renameSync(join(place.cwd, 'sets/z.yaml'), join(place.cwd, 'z.later'))
  place.write({ 'sets/a.yaml': setsFile(after) })
  const read = (file: string) => JSON.parse(readFileSync(join(place.cwd, file), 'utf8')) as Plan
  return { place, plan: read('plan.json'), other: read('other.json') }
}

/** Both changes are merged. */
function bothMerged(place: Place): void {
  renameSync(join(place.cwd, 'z.later'), join(place.cwd, 'sets/z.yaml'))
  commit(place)
}

/** Arguments of an apply, in the order in which a place is used. The last two are run when both changes are merged. */
const waysOf = (plan: Plan, other: Plan, flags: readonly string[]): readonly (readonly string[])[] => [
  ['plan.json'],
  ['plan.json', '--approve', plan.digest],
  ['--approve', plan.digest, ...flags],
  ['plan.json', 'other.json', '--base', 'HEAD~2'],
  ['plan.json', 'other.json', '--base', 'HEAD~2', '--approve', `${plan.digest},${other.digest}`],
]

const ALL = Object.entries(CASES).map(([name, one]) => ({ name, one, selection: 'everything' as const }))
const CHANGES = ALL.filter(({ name }) => /inventory|by hand|joins/.test(name)).map(one => ({
  ...one,
  selection: 'this change' as const,
}))

describe.each([...ALL, ...CHANGES])('$name between review and apply of $selection', ({ one, selection }) => {
  const flags = SELECTIONS[selection]

  test('is refused after a digest, plan files, and both', async () => {
    const { place, plan, other } = await reviewed(one, flags)
    expect([plan.blocks, other.blocks]).toEqual([[], []])
    one.meanwhile(place)
    const before = place.live()
    const ways = waysOf(plan, other, flags)
    const refused = { isRefused: true, said: expect.stringMatching(one.refusal), live: before }
    const results = []
    for (const [index, words] of ways.entries()) {
      if (index === 3) bothMerged(place)
      const { code, stdout, stderr } = await place.setpoint(['apply', ...words], { env: SECRET })
      results.push({ isRefused: code === 4 || code === 1, said: stderr + stdout, live: place.live() })
    }
    expect(results).toEqual(ways.map(() => refused))
  })
})

const ASKED = [...ALL, ...CHANGES].filter(({ one }) => one.isOfFiles !== true)

test.each(ASKED)(
  '$name during the question about $selection: "yes" is refused',
  async ({ one, selection }) => {
    const flags = SELECTIONS[selection]
    const { place } = await reviewed(one, flags)
    let before: readonly string[] = []
    const ask = async (): Promise<string> => {
      one.meanwhile(place)
      before = place.live()
      return 'yes'
    }
    const ran = await place.setpoint(['apply', ...flags], { env: SECRET, io: { input: () => ({ ask }) } })
    expect([ran.code === 4 || ran.code === 1, ran.stderr, place.live()]).toEqual([
      true,
      expect.stringMatching(one.refusal),
      before,
    ])
  },
)

test.each(Object.entries(SELECTIONS))('without it, each way applies %s', async (_, flags) => {
  const one = CASES['a workspace moves into the project of a rule'] as Case
  const { place, plan, other } = await reviewed(one, flags)
  const before = place.sandbox.snapshot({ sensitive: true })
  const live = []
  for (const [index, words] of waysOf(plan, other, flags).entries()) {
    if (index === 3) bothMerged(place)
    place.sandbox.restore(before)
    const { code } = await place.setpoint(['apply', ...words], { env: SECRET })
    live.push([code, ...place.live()])
  }
  const done = [0, 'a  env/A=2  -> w']
  expect(live).toEqual([done, done, done, [...done, 'z  env/Z=1'], [...done, 'z  env/Z=1']])
})
