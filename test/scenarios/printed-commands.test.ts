import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apply, drift, plan } from '../../src/library/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace, type Place } from '../support/place.ts'
import type { Ran, Surroundings } from '../support/program.ts'

const git = (cwd: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
    cwd,
    encoding: 'utf8',
  })

/** The words that a POSIX shell makes of a printed command, without the name of the program. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

/** The commands that a run prints, in their order. */
const commandsIn = ({ stdout, stderr }: Ran): string[] =>
  `${stdout}\n${stderr}`.match(/(?<= )setpoint (?:plan|apply|export)(?: .*)?$/gm) ?? []

const piped = (text: string): Partial<Surroundings> => ({ io: { input: () => ({ all: async () => text }) } })

/** A service that refuses writes while it is `armed`, from the second one on. */
function refusing() {
  const state = { armed: false, writes: 0 }
  const faults = {
    matches: ({ method }: { readonly method: string }) =>
      state.armed && method !== 'GET' && ++state.writes > 1,
    probability: 1,
    faults: [{ kind: 'error', status: 503, commit: 'before' }],
  } as const
  return { faults, state }
}

describe('a command that a run prints', () => {
  const SETS = {
    'infra/team.yaml': 'organization: acme\nowner: net\nguards: { protect: ["the gone"] }\n',
    'infra/sets/a.yaml':
      'variableSets:\n  "it\'s new": { env: { A: 1, S: { secret: S } } }\n  "the gone": { env: { A: 1 } }\n',
  }
  const CHANGED = {
    'infra/sets/a.yaml':
      'variableSets:\n  "it\'s new": { env: { A: 2, S: { secret: { name: S, version: "2" } } } }\nremoved: ["the gone"]\n',
  }
  const SECRET = piped('{"S":"the-secret"}')

  async function aRepository(): Promise<Place> {
    const place = await aPlace(SETS)
    git(place.cwd, 'init', '-q', '-b', 'main')
    git(place.cwd, 'add', '.')
    git(place.cwd, 'commit', '-qm', 'Before')
    const first = ['apply', '-C', 'infra', '--config', 'team.yaml', '--auto-approve', '--secrets', '-']
    expect((await place.setpoint(first, SECRET)).code).toBe(0)
    place.write(CHANGED)
    return place
  }

  test('works in the directory where it was typed, with what is piped into it, without a terminal', async () => {
    const place = await aRepository()
    const typed = [
      '--only=the gone',
      '-C',
      'infra',
      '--secrets',
      '-',
      '--config=team.yaml',
      '--only',
      "it's new",
    ]
    const ran = await place.setpoint(
      ['plan', ...typed, '--base', 'HEAD', '--out', 'plan.json', '--report', 'markdown=plan.md'],
      SECRET,
    )
    const [command = '', ...others] = commandsIn(ran)
    expect([ran.code, others]).toEqual([0, []])
    expect(command.replace(/ [0-9a-f]{64}$/, ' DIGEST')).toBe(
      `setpoint apply '--only=the gone' -C infra --secrets - --config=team.yaml --only 'it'\\''s new' --base HEAD --approve DIGEST`,
    )
    const elsewhere = await place.setpoint(wordsOf(command), { ...SECRET, cwd: join(place.cwd, 'infra') })
    expect(elsewhere.code).toBe(1)
    const applied = await place.setpoint(wordsOf(command), SECRET)
    expect([applied.code, place.live()]).toEqual([
      0,
      [`it's new  env/A=2 env/S=(the-secret)`, expect.stringContaining('setpoint-inventory-net')],
    ])
  })

  test('after each other: the review of a rest, its approval, and the drift that somebody makes then', async () => {
    const { faults, state } = refusing()
    const place = await aPlace(SETS, { faults })
    const setpoint = (...words: readonly string[]) => place.setpoint(words, SECRET)
    const where = ['-C', 'infra', '--config', 'team.yaml']
    await setpoint('apply', ...where, '--secrets', '-', '--auto-approve')
    place.write(CHANGED)
    const [approve = ''] = commandsIn(await setpoint('plan', ...where, '--secrets', '-', '--concurrency=1'))
    state.armed = true
    const stopped = await setpoint(...wordsOf(approve))
    state.armed = false
    const review = 'setpoint plan -C infra --config team.yaml --secrets - --concurrency=1'
    expect([stopped.code, commandsIn(stopped)]).toEqual([3, [review, review]])
    const [finish = ''] = commandsIn(await setpoint(...wordsOf(review)))
    const rest = finish === '' ? ['apply', ...where, '--secrets', '-', '--auto-approve'] : wordsOf(finish)
    expect((await setpoint(...rest)).code).toBe(0)
    const [set] =
      place.sandbox.snapshot({ sensitive: true }).sets?.filter(({ name }) => name === "it's new") ?? []
    const others =
      place.sandbox.snapshot({ sensitive: true }).sets?.filter(({ name }) => name !== "it's new") ?? []
    place.change([{ ...(set ?? { name: '' }), priority: true }, ...others])
    const drifted = await setpoint('drift', ...where, '--report', 'markdown=d.md')
    const [revert = '', accept = ''] = commandsIn(drifted)
    expect([revert, accept]).toEqual([
      `setpoint apply -C infra --config team.yaml --only 'it'\\''s new'`,
      `setpoint export -C infra --config team.yaml --update 'it'\\''s new'`,
    ])
    expect((await setpoint(...wordsOf(accept))).code).toBe(0)
    expect((await setpoint('drift', ...where)).code).toBe(0)
    place.write(CHANGED)
    expect((await setpoint(...wordsOf(revert), '--auto-approve')).code).toBe(0)
    expect((await setpoint('drift', ...where)).code).toBe(0)
  })

  test('accepts sets that no file declares, pruned and removed ones, into files of their own', async () => {
    const place = await aPlace(
      {
        'setpoint.yaml': 'organization: acme\nowner: us\nprune: true\n',
        'sets/a.yaml': 'variableSets: { a: {}, b: { env: { T: { external: true } } } }\n',
      },
      {
        sets: [
          { name: 'b', variables: [{ key: 'T', category: 'env', value: 'canary' }] },
          { name: 'c', variables: [{ key: 'A', category: 'env', value: '1' }] },
        ],
      },
    )
    const setpoint = (...words: readonly string[]) => place.setpoint(words)
    expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
    place.write({ 'sets/a.yaml': 'variableSets: { a: {} }\n' })
    const [, pruned = ''] = commandsIn(await setpoint('drift'))
    expect(pruned).toBe('setpoint export --only b --out sets')
    expect((await setpoint(...wordsOf(pruned))).code).toBe(0)
    place.write({ 'sets/a.yaml': 'variableSets: { a: {} }\nremoved: [c]\n' })
    const drifted = await setpoint('drift')
    const accept = 'setpoint export --only c --out sets'
    expect(drifted.stdout).toContain(`Accept  first, by hand: take c out of \`removed\`\n        ${accept}\n`)
    place.write({ 'sets/a.yaml': 'variableSets: { a: {} }\n' })
    expect((await setpoint(...wordsOf(accept))).code).toBe(0)
    expect((await setpoint('drift')).code).toBe(0)
  })

  test('for a saved plan is its apply, also in the embedded sandbox', async () => {
    const place = await aPlace({
      'setpoint.yaml': 'organization: acme\nguards: { protect: [a] }\n',
      'sets/a.yaml': 'variableSets: { a: {} }\n',
    })
    const local = { env: { SETPOINT_SANDBOX_FILE: join(place.cwd, 'box') } }
    expect((await place.setpoint(['apply', '--sandbox', '--auto-approve'], local)).code).toBe(0)
    place.write({ 'sets/a.yaml': 'removed: [a]\n' })
    await place.setpoint(['plan', '--sandbox', '--out', 'the plan.json'], local)
    const shown = await place.setpoint(['show', 'the plan.json', '--format', 'markdown'], local)
    const [, command = ''] = /`(setpoint apply [^`]*)`/.exec(shown.stdout) ?? []
    expect(command).toMatch(/^setpoint apply 'the plan\.json' --sandbox --approve [0-9a-f]{64}$/)
    expect((await place.setpoint(wordsOf(command), local)).code).toBe(0)
  })

  test('for a pruned set selects nothing, because a selection suspends pruning', async () => {
    const place = await aPlace({
      'setpoint.yaml': 'organization: acme\nowner: net\nprune: true\n',
      'sets/a.yaml': 'variableSets: { a: {}, b: {} }\n',
    })
    await place.setpoint(['apply', '--auto-approve'])
    place.write({ 'sets/a.yaml': 'variableSets: { a: {} }\n' })
    const [revert = ''] = commandsIn(await place.setpoint(['drift']))
    expect(revert).toBe('setpoint apply')
    expect((await place.setpoint([...wordsOf(revert), '--auto-approve'])).code).toBe(0)
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('contains no secret, whatever was typed', async () => {
    const place = await aPlace({
      'the-secret/setpoint.yaml': 'organization: acme\nguards: { protect: [a] }\n',
      'the-secret/sets/a.yaml': 'variableSets: { a: {}, s: { env: { S: { secret: S } } } }\n',
    })
    const env = { SETPOINT_SECRET_S: 'the-secret' }
    await place.setpoint(['apply', '-C', 'the-secret', '--auto-approve'], { env })
    place.write({
      'the-secret/sets/a.yaml': 'removed: [a]\nvariableSets: { s: { env: { S: { secret: S } } } }\n',
    })
    const ran = await place.setpoint(['plan', '-C', 'the-secret'], { env })
    expect([ran.code, commandsIn(ran)]).toEqual([
      0,
      [expect.stringMatching(/^setpoint apply -C '\[secret S\]' --approve /)],
    ])
  })
})

test('the library prints no command, because nobody typed one', async () => {
  const place = await aPlace({
    'setpoint.yaml': 'organization: acme\nowner: net\n',
    'sets/a.yaml': 'variableSets: { a: {}, b: {} }\n',
  })
  let writes = 0
  const transport: Transport = async (request, signal) =>
    request.method !== 'GET' && ++writes === 2
      ? { status: 403, headers: {}, body: '' }
      : await place.sandbox.transport(request, signal)
  const options = { cwd: place.cwd, env: place.env, transport }
  const outputs: string[] = []
  const told = <R extends Awaited<ReturnType<typeof plan | typeof apply | typeof drift>>>(one: R): R => {
    outputs.push(one.output, ...one.diagnostics.map(({ hint = '' }) => hint))
    return one
  }
  const { report } = told(await plan(options))
  const approve = report?.kind === 'plan' ? report.digest : undefined
  const stopped = told(await apply({ ...options, approve, concurrency: 1 }))
  expect([stopped.exitCode, stopped.output]).toEqual([
    3,
    expect.stringContaining(', then plan again, review what is left, then apply it\n'),
  ])
  await apply({ ...options, autoApprove: true })
  place.write({ 'sets/a.yaml': 'removed: [a]\nvariableSets: { b: { workspaces: [w] } }\n' })
  told(await drift(options))
  place.write({ 'setpoint.yaml': 'organization: acme\nowner: net\nguards: { protect: [a] }\n' })
  const blocked = told(await plan(options))
  expect(blocked.output).toContain('BLOCKED  After review, approve its digest.\n')
  expect(outputs.join('\n')).not.toMatch(/(?<= )setpoint (?:plan|apply|export|drift)\b/)
})
