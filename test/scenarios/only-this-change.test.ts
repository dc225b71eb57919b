import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import type { DesiredState, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { carryOut } from '../../src/run/apply.ts'
import { madeFrom, stateSourceOf } from '../../src/run/plan.ts'
import { start } from '../support/child.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'
import { UNDISTURBED } from '../support/round.ts'
import { aDesiredState, anObserved, aSet, asWritten } from '../support/states.ts'
import { aWorld, seedFrom, WORKSPACES } from '../support/world.ts'

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'commit.gpgsign=false']
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', [...IDENTITY, ...args], { cwd, stdio: 'pipe', encoding: 'utf8' })

type Program = (cwd: string, ...args: readonly string[]) => Promise<Ran>

const inProcess: Program = (cwd, ...args) => run(args, { cwd, env: { SETPOINT_SECRET_DB: 'example' } })
const built: Program = async (cwd, ...args) => {
  const { code, stdout, stderr } = await start(args, { cwd }).ended
  return { code: code ?? -1, stdout, stderr }
}

/** A repository whose first commit is applied. */
async function aRepository(sets: string, setpoint: Program = inProcess, settings = ''): Promise<string> {
  const cwd = aDirectory({
    'setpoint.yaml': `organization: acme\nowner: team\n${settings}`,
    'sets/all.yaml': sets,
    '.gitignore': '.setpoint\nhand\n*.json\n',
  })
  git(cwd, 'init', '-q', '-b', 'main')
  git(cwd, 'add', '.')
  git(cwd, 'commit', '-qm', 'Begin')
  const { code, stderr } = await setpoint(cwd, 'apply', '--sandbox', '--auto-approve')
  if (code !== 0) throw new Error(stderr)
  return cwd
}

/** A merged change of the files. */
function merge(cwd: string, change: (files: string) => string): void {
  const file = join(cwd, 'sets/all.yaml')
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  if (after === before) throw new Error('nothing is changed')
  writeFileSync(file, after)
  git(cwd, 'commit', '-qam', 'Merge')
}

/** A change by hand in the service: what these files would make of it, without an inventory. */
async function byHand(cwd: string, sets: string, setpoint: Program = inProcess): Promise<void> {
  const hand = join(cwd, 'hand')
  mkdirSync(join(hand, 'sets'), { recursive: true })
  writeFileSync(join(hand, 'setpoint.yaml'), 'organization: acme\n')
  writeFileSync(join(hand, 'sets/all.yaml'), sets)
  mkdirSync(join(hand, '.setpoint'), { recursive: true })
  cpSync(join(cwd, '.setpoint/sandbox'), join(hand, '.setpoint/sandbox'))
  const digest = JSON.parse(
    (await setpoint(hand, 'plan', '--sandbox', '--adopt', '*', '--format', 'json')).stdout,
  ).digest
  const done = await setpoint(hand, 'apply', '--sandbox', '--adopt', '*', '--approve', digest)
  if (done.code !== 0) throw new Error(done.stdout + done.stderr)
  cpSync(join(hand, '.setpoint/sandbox'), join(cwd, '.setpoint/sandbox'))
}

const driftOf = async (cwd: string, setpoint: Program = inProcess): Promise<Record<string, unknown>> => {
  const { stdout } = await setpoint(cwd, 'drift', '--sandbox', '--format', 'json')
  const { facts } = JSON.parse(stdout)
  return Object.fromEntries(
    facts.origins.map(({ set, items }: { set: string; items: unknown }) => [set, items]),
  )
}

/** A printed command as arguments. */
const wordsOf = (command: string): string[] => command.replaceAll("'", '').split(' ')

const CHANGE = ['--sandbox', '--base', 'HEAD~1', '--only-this-change'] as const

test('a week of hotfixes by hand beside merges, with the built program', async () => {
  const cwd = await aRepository(
    `variableSets:
  payments:
    workspaces: [web, api]
    env: { LOG_LEVEL: info, REGION: eu-west-1 }
  shared:
    workspaces: [web]
    env: { PROXY: a }
`,
    built,
  )
  const deliver = async (): Promise<Ran> => {
    const planned = await built(cwd, 'plan', ...CHANGE, '--out', 'plan.json')
    if (planned.code !== 0) return planned
    return await built(cwd, 'apply', '--sandbox', 'plan.json', '--base', 'HEAD~1', '--expect-no-drift')
  }

  // Monday: the log level is changed by hand, and the region is merged.
  await byHand(cwd, 'variableSets:\n  payments:\n    env: { LOG_LEVEL: debug, REGION: eu-west-1 }\n', built)
  merge(cwd, files => files.replace('eu-west-1', 'eu-north-1'))
  const monday = await deliver()
  expect([monday.code, monday.stderr]).toEqual([0, ''])
  expect(monday.stdout).toContain('Applied: 1 updated. Verified by reading the service back.')
  expect(monday.stdout).toContain('Drift  payments env LOG_LEVEL, not reverted')
  expect(await driftOf(cwd, built)).toEqual({ payments: { 'env/LOG_LEVEL': 'outside' } })

  // Tuesday: a variable is added and a workspace is taken away by hand; a new set and a description are merged.
  await byHand(
    cwd,
    'variableSets:\n  payments:\n    workspaces: [web]\n    env: { LOG_LEVEL: debug, REGION: eu-north-1, EXTRA: x }\n',
    built,
  )
  merge(cwd, files =>
    files.replace('  shared:', '  new: { env: { N: "1" } }\n  shared:\n    description: All proxies.'),
  )
  const tuesday = await deliver()
  expect(tuesday.stdout).toContain('Applied: 1 created, 1 updated.')
  expect(tuesday.stdout).toContain('Drift  payments env EXTRA, env LOG_LEVEL, workspace api, not reverted')

  // Wednesday: the merged change edits the variable that was edited by hand, so it is written.
  merge(cwd, files => files.replace('LOG_LEVEL: info', 'LOG_LEVEL: warn'))
  const seen = await built(cwd, 'plan', ...CHANGE)
  expect(seen.stdout).toContain(
    '  drift  payments  LOG_LEVEL differed before this change, and is overwritten\n',
  )
  const wednesday = await deliver()
  expect([wednesday.code, wednesday.stderr]).toEqual([0, ''])
  expect(await driftOf(cwd, built)).toEqual({
    payments: { 'env/EXTRA': 'outside', [await idOf(cwd, 'api')]: 'outside' },
  })

  // Thursday: a set is deleted by hand. A change of another set is applied; a change of this one has no plan of its own.
  await byHand(cwd, 'removed: [shared]\nvariableSets: { keep: {} }\n', built)
  merge(cwd, files => files.replace('N: "1"', 'N: "2"'))
  const thursday = await deliver()
  expect(thursday.code).toBe(0)
  expect(thursday.stdout).toContain('Drift  shared is not in the service, and not created')
  merge(cwd, files => files.replace('PROXY: a', 'PROXY: b'))
  const refused = await deliver()
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain(
    'sets/all.yaml:6:3  error needs-drift\n  This change cannot be made alone. "shared" is not in the service, and this change edits it.\n',
  )

  // Friday: the printed command shows the plan of everything, which is applied.
  const [, command = ''] = /The full plan reverts the drift as well: setpoint (.*)/.exec(refused.stderr) ?? []
  const full = await built(cwd, ...wordsOf(command))
  expect([command, full.code]).toEqual(["plan --sandbox --base 'HEAD~1' --out plan.json", 0])
  expect(full.stdout).toContain('+ shared')
  expect((await built(cwd, 'apply', '--sandbox', '--auto-approve')).code).toBe(0)
  expect(await driftOf(cwd, built)).toEqual({})
})

/** The id of a workspace of the sandbox. */
async function idOf(cwd: string, name: string): Promise<string> {
  const { state } = JSON.parse(readFileSync(join(cwd, '.setpoint/sandbox'), 'utf8'))
  return state.workspaces.find((one: { name: string }) => one.name === name).id
}

const ONE = 'variableSets:\n  a:\n    env: { A: "1", B: "1" }\n'

describe('consent', () => {
  test('is for the mode as well: a digest of the full plan does not approve the plan of this change', async () => {
    const cwd = await aRepository(ONE)
    merge(cwd, files => files.replace('A: "1"', 'A: "2"'))
    const json = async (...args: readonly string[]) =>
      JSON.parse((await inProcess(cwd, 'plan', ...args, '--format', 'json')).stdout)
    const full = await json('--sandbox', '--base', 'HEAD~1')
    const alone = await json(...CHANGE)
    expect(alone.steps).toEqual(full.steps)
    expect([full.onlyThisChange, alone.onlyThisChange]).toEqual([undefined, { drift: [] }])
    expect(alone.digest).not.toBe(full.digest)
    expect((await inProcess(cwd, 'apply', ...CHANGE, '--approve', full.digest)).code).toBe(4)
    expect((await inProcess(cwd, 'apply', '--sandbox', '--approve', alone.digest)).code).toBe(4)
    expect((await inProcess(cwd, 'apply', ...CHANGE, '--approve', alone.digest)).code).toBe(0)
  })

  test('of a plan file keeps the mode and its base, and a hotfix after the review does not stop it', async () => {
    const cwd = await aRepository(ONE)
    merge(cwd, files => files.replace('A: "1"', 'A: "2"'))
    await inProcess(cwd, 'plan', ...CHANGE, '--out', 'plan.json')
    await byHand(cwd, 'variableSets:\n  a:\n    env: { A: "1", B: "9" }\n')
    const { code, stdout } = await inProcess(cwd, 'apply', '--sandbox', 'plan.json')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Drift  a env B, not reverted')])
    expect(await driftOf(cwd)).toEqual({ a: { 'env/B': 'outside' } })
  })

  test('of plan files is refused if only some are of one change', async () => {
    const cwd = await aRepository(ONE)
    merge(cwd, files => files.replace('A: "1"', 'A: "2"'))
    await inProcess(cwd, 'plan', ...CHANGE, '--out', 'alone.json')
    await inProcess(cwd, 'plan', '--sandbox', '--base', 'HEAD~1', '--out', 'full.json')
    const { code, stderr } = await inProcess(cwd, 'apply', '--sandbox', 'alone.json', 'full.json')
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('Not all of these plans are made with --only-this-change.'),
    ])
  })

  test('is asked for with a command that makes the same plan', async () => {
    const cwd = await aRepository(
      'variableSets:\n  a:\n    workspaces: [web]\n    env: { A: "1" }\n  b: { env: { B: "1" } }\n',
      inProcess,
      'guards: { protect: [a] }\n',
    )
    await byHand(cwd, 'variableSets:\n  b: { env: { B: "9" } }\n')
    merge(cwd, () => 'removed: [a]\nvariableSets:\n  b: { env: { B: "1" } }\n')
    const blocked = await inProcess(cwd, 'plan', ...CHANGE)
    const [, command = ''] = /After review: setpoint (.*)/.exec(blocked.stdout) ?? []
    const { code, stdout } = await inProcess(cwd, ...wordsOf(command))
    expect([code, stdout]).toEqual([0, expect.stringContaining('Applied: 1 deleted.')])
    expect(await driftOf(cwd)).toEqual({ b: { 'env/B': 'outside' } })
  })
})

describe('the inventory', () => {
  test('does not record as applied what was merged earlier and is left out', async () => {
    const cwd = await aRepository(ONE)
    merge(cwd, files => files.replace('B: "1"', 'B: "2"'))
    merge(cwd, files => files.replace('A: "1"', 'A: "2"'))
    const { code, stdout } = await inProcess(cwd, 'apply', ...CHANGE, '--auto-approve')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Drift  a env B, not reverted')])
    const plan = await inProcess(cwd, 'plan', '--sandbox', '--base', 'HEAD', '--format', 'json')
    expect(JSON.parse(plan.stdout).facts.origins).toMatchObject([{ items: { 'env/B': 'not-applied' } }])
  })

  test('keeps the record of a secret that is not sent', async () => {
    const secret = (version: string, description: string): string =>
      `variableSets:\n  a:\n    env:\n      LOG: "1"\n      DB: { secret: { name: DB, version: "${version}" }, description: ${description} }\n`
    const cwd = await aRepository(secret('1', 'old'))
    await byHand(
      cwd,
      'variableSets:\n  a:\n    env:\n      LOG: "9"\n      DB: { external: true, description: old }\n',
    )
    merge(cwd, () => secret('1', 'new'))
    const { code, stdout } = await inProcess(cwd, 'apply', ...CHANGE, '--auto-approve')
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('sent')])
    // The version that was written first is still known: another one is a change.
    merge(cwd, () => secret('2', 'new'))
    const plan = await inProcess(cwd, 'plan', ...CHANGE)
    expect(plan.stdout).toContain('was version 1')
  })
})

test('needs a base, with valid files', async () => {
  const cwd = await aRepository(ONE)
  const without = await inProcess(cwd, 'plan', '--sandbox', '--only-this-change')
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining('--only-this-change needs --base, the commit before this change.'),
  ])
  merge(cwd, () => 'variableSets: [\n')
  merge(cwd, () => ONE.replace('A: "1"', 'A: "2"'))
  const broken = await inProcess(cwd, 'plan', ...CHANGE)
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('error broken-base')])
})

/** Plans a change of resolved files alone, for a sandbox with these sets. */
async function changeOf(
  base: readonly ResolvedSet[],
  head: readonly ResolvedSet[],
  live: readonly ReturnType<typeof anObserved>[],
  owner?: string,
) {
  const asFiles = ({ sets, directory: _, ...state }: ResolvedState): DesiredState => ({
    ...state,
    ...(owner === undefined ? {} : { owner }),
    sets: sets.map(asWritten),
  })
  const world = await aWorld(live.map(seedFrom))
  const planned = await madeFrom(asFiles(aDesiredState(...head)), stateSourceOf(world, 'acme'), {
    base: { ref: 'main', commit: 'c0ffee', desired: asFiles(aDesiredState(...base)) },
    onlyThisChange: { fullPlan: 'setpoint plan --base main' },
  })
  return { world, ...planned, messages: planned.diagnostics.map(({ message }) => message) }
}

describe('what only the full plan would revert', () => {
  test('is named where it stops the change: another global set of ours holds the key by hand', async () => {
    const sets = (keys: Record<string, string>) => [
      aSet('a', { global: true, variables: keys }),
      aSet('b', { global: true }),
    ]
    const { messages } = await changeOf(sets({}), sets({ 'env/K': '1' }), [
      anObserved('000000000000000a', 'a', { global: true }),
      anObserved('000000000000000b', 'b', { global: true, variables: { 'env/K': '9' } }),
    ])
    expect(messages).toEqual([
      '"env/K" of "a" is also in the global set "b". The files do not say so, and this change does not revert it.',
    ])
  })

  test('stays, and stops nothing else: a set that became global by hand gets its new variable', async () => {
    const { value: prepared, messages } = await changeOf(
      [aSet('a')],
      [aSet('a', { variables: { 'env/K': '1' } })],
      [anObserved('000000000000000a', 'a', { global: true })],
    )
    expect([prepared?.plan.steps.map(({ id }) => id), messages]).toEqual([['create-variable a env/K'], []])
    expect(prepared?.plan.onlyThisChange?.drift).toEqual([
      { set: 'a', id: 'varset-000000000000000a', what: 'differs', items: ['global'] },
    ])
  })

  test('is seen in what workspaces receive: a key that they lose, because the other set moved by hand', async () => {
    const [first, second] = WORKSPACES
    const other = aSet('b', { workspaces: [first], variables: { 'env/K': '2' } })
    const { value: prepared } = await changeOf(
      [aSet('a', { workspaces: [first], variables: { 'env/K': '1' } }), other],
      [aSet('a', { workspaces: [first] }), other],
      [
        anObserved('000000000000000a', 'a', { workspaces: [first], variables: { 'env/K': '1' } }),
        anObserved('000000000000000b', 'b', { workspaces: [second], variables: { 'env/K': '2' } }),
      ],
    )
    expect(prepared?.plan.facts.received.changes).toMatchObject([{ kind: 'lost', key: 'env/K' }])
  })
})

describe('there is no plan of this change alone', () => {
  const cannot = (why: string): string[] => [`This change cannot be made alone. ${why}`]

  test('if no inventory lists the set, so that nobody can say what was applied last', async () => {
    const { messages } = await changeOf(
      [aSet('a', { variables: { 'env/A': '1', 'env/B': '1' } })],
      [aSet('a', { variables: { 'env/A': '2', 'env/B': '1' } })],
      [anObserved('000000000000000a', 'a', { variables: { 'env/A': '1', 'env/B': '9' } })],
      'team',
    )
    expect(messages).toEqual(cannot('"a" is not in the inventory and differs from the files.'))
  })
})

test('the closing read expects the drift that was named, and nothing else', async () => {
  const files = (a: string) => [aSet('a', { variables: { 'env/A': a, 'env/B': '1', 'env/C': '1' } })]
  const live = anObserved('000000000000000a', 'a', {
    variables: { 'env/A': '1', 'env/B': '9', 'env/C': '1' },
  })
  const { value: prepared, world } = await changeOf(files('1'), files('2'), [live])
  if (prepared === undefined) throw new Error('there is no plan')
  const set = (await observe(world.reader, 'acme')).sets[0]
  const other = set?.variables.find(({ key }) => key === 'env/C')
  if (set === undefined || other === undefined) throw new Error('there is no variable')
  await world.writer(UNDISTURBED.stop).updateVariable(set.id, other.id, { ...other, value: { text: '5' } })
  const { result } = await carryOut({ made: prepared, service: world, ...UNDISTURBED })
  const left = result?.closing.state === 'differs' ? result.closing.remaining.steps.map(({ id }) => id) : []
  expect([left, result?.exitCode]).toEqual([['update-variable a env/C'], 3])
})

test('rules and guards judge only what is written', async () => {
  const cwd = await aRepository(
    'variableSets:\n  a: { workspaces: [web], env: { A: "1", LEVEL: info } }\n  b: { workspaces: [web], env: { B: "1" } }\n',
  )
  // Reverted, these deletions would be blocked.
  await byHand(
    cwd,
    'variableSets:\n  a: { workspaces: [web, api, x, y, z], env: { A: "1", LEVEL: debug } }\n',
  )
  mkdirSync(join(cwd, 'rules'))
  writeFileSync(
    join(cwd, 'rules/team.yaml'),
    `rules:
  levels-stay:
    for: variable
    when: variable.key == 'LEVEL' && variable.action != 'none'
    require: 'false'
    message: Levels stay.
    level: warn
`,
  )
  git(cwd, 'add', '.')
  git(cwd, 'commit', '-qm', 'Rule')
  merge(cwd, files => files.replace('B: "1"', 'B: "2"'))
  const full = await inProcess(cwd, 'plan', '--sandbox', '--base', 'HEAD~1')
  const alone = await inProcess(cwd, 'plan', ...CHANGE)
  expect(full.stdout + full.stderr).toContain('Levels stay.')
  expect(alone.stdout + alone.stderr).not.toContain('Levels stay.')
  expect(alone.stdout).toContain('1 of 5 affected: web')
})
