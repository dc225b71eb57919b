import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FaultSchedule } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace, ONE, type Place } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

type Files = Readonly<Record<string, string>>

function git(cwd: string, ...words: readonly string[]): string {
  const identity = ['user.name=Test', 'user.email=test@example.test', 'commit.gpgsign=false']
  const settings = identity.flatMap(setting => ['-c', setting])
  return execFileSync('git', [...settings, ...words], { cwd, encoding: 'utf8' })
}

/** A repository whose first commit is applied, and whose second one loosens what would block it. */
async function aChange(before: Files, after: Files): Promise<Place> {
  const place = await aPlace({ '.gitignore': '*.json\n.setpoint/\n', ...before })
  git(place.cwd, 'init', '-q', '-b', 'main')
  git(place.cwd, 'add', '.')
  git(place.cwd, 'commit', '-qm', 'Before')
  await place.setpoint(['apply', '--auto-approve'])
  place.write(after)
  git(place.cwd, 'add', '.')
  git(place.cwd, 'commit', '-qm', 'Loosen')
  return place
}

/** The words of a printed command, without the name of the program. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

const planIn = (place: Place, file = 'plan.json') => JSON.parse(readFileSync(join(place.cwd, file), 'utf8'))

const settings = (more: string): Files => ({ 'setpoint.yaml': `organization: acme\nowner: o\n${more}` })
const A_AND_B: Files = { 'sets/a.yaml': 'variableSets:\n  a: { env: { A: 1 } }\n  b: { env: { A: 1 } }\n' }
const WITHOUT_B: Files = { 'sets/a.yaml': 'variableSets:\n  a: { env: { A: 1 } }\nremoved: [b]\n' }
const variables = (count: number): Files => ({
  'sets/a.yaml': `variableSets:\n  a:\n    workspaces: [w]\n    env: { ${Array.from({ length: count }, (_, at) => `K${at}: 1`).join(', ')} }\n`,
})
const rule = (most: number): Files => ({
  'rules/r.yaml': `rules:\n  few:\n    for: plan\n    require: plan.deletes <= ${most}\n    message: Few.\n    level: block\n`,
})
const OTHER_RULE: Files = {
  'rules/r.yaml':
    'rules:\n  other:\n    for: plan\n    require: plan.creates < 100\n    message: Few.\n    level: block\n',
}

interface Row {
  readonly what: string
  readonly before: Files
  readonly after: Files
  readonly code: string
  /** The digest contains the hits of rules, so a run without the base has another one. */
  readonly hasHits?: true
}

const ROWS: readonly Row[] = [
  {
    what: '`protect` is removed',
    before: { ...settings('guards: { protect: [b] }\n'), ...A_AND_B },
    after: { ...settings(''), ...WITHOUT_B },
    code: 'protected-name',
  },
  {
    what: '`losses` is 100%',
    before: { ...settings(''), ...variables(13) },
    after: { ...settings('guards: { losses: 100% }\n'), ...variables(3) },
    code: 'loses-values',
  },
  {
    what: '`prune` is turned on',
    before: { ...settings(''), ...A_AND_B },
    after: {
      ...settings('prune: true\n'),
      'sets/a.yaml': WITHOUT_B['sets/a.yaml']?.replace('removed: [b]\n', '') ?? '',
    },
    code: 'loosens-pruning',
  },
  {
    what: 'a rule is rewritten',
    before: { ...settings(''), ...rule(0), ...A_AND_B },
    after: { ...rule(5), ...WITHOUT_B },
    code: 'violates-rule',
    hasHits: true,
  },
  {
    what: 'a rule is deleted',
    before: { ...settings(''), ...rule(0), ...A_AND_B },
    after: { ...OTHER_RULE, ...WITHOUT_B },
    code: 'violates-rule',
    hasHits: true,
  },
  {
    what: 'nothing: the apply has the guard as well',
    before: { ...settings('guards: { protect: [b] }\n'), ...A_AND_B },
    after: WITHOUT_B,
    code: 'protected-name',
  },
]

/** The repository of a row, with the saved plan. */
async function planned({ before, after, code }: Row) {
  const place = await aChange(before, after)
  const live = place.live()
  const { stdout } = await place.setpoint(['plan', '--base', 'HEAD^1', '--out', 'plan.json'])
  expect(stdout).toMatch(/^BLOCKED/m)
  const { blocked, blocks, digest } = planIn(place)
  expect([blocked, blocks.map((block: { code: string }) => block.code)]).toEqual([true, [code]])
  return { place, live, digest, message: blocks[0].message }
}
const isDone = async (place: Place): Promise<boolean> =>
  (await place.setpoint(['plan', '--detailed-exitcode'])).code === 0

test.each(ROWS)(
  'a plan file that the base blocks is applied with its digest only, where $what',
  async row => {
    const { place, live, digest, message } = await planned(row)
    const refused = await place.setpoint(['apply', 'plan.json', '--auto-approve'])
    expect([refused.code, place.live()]).toEqual([4, live])
    expect(refused.stderr).toContain(`The plan in "plan.json" is blocked: ${message}`)
    expect(refused.stderr).toContain(`Review exactly that plan, then add: --approve ${digest}\n`)
    const ran = await place.setpoint(['apply', 'plan.json'], { env: { SETPOINT_APPROVE: digest } })
    expect([ran.code, ran.stderr, await isDone(place)]).toEqual([0, '', true])
  },
)

/** A guard, and a rule: the digest of a plan contains what rules say of it. `decide.test.ts` has the other combinations. */
describe.each(ROWS.filter(({ what }) => /protect|rewritten/.test(what)))(
  'a plan file that the base blocks, where $what',
  row => {
    test('is not applied without its digest, whatever the apply is given', async () => {
      const { place, live, digest, message } = await planned(row)
      const other = JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).digest
      for (const flags of [
        [],
        ['--base', 'HEAD'],
        ['--base', 'HEAD^1', '--auto-approve'],
        ['--approve', digest.replace(/./, (digit: string) => (digit === '0' ? '1' : '0'))],
        ...(row.hasHits ? [['--approve', other]] : []),
      ]) {
        const ran = await place.setpoint(['apply', 'plan.json', ...flags])
        expect([flags, ran.code, place.live()]).toEqual([flags, 4, live])
        expect(ran.stderr).toContain(`The plan in "plan.json" is blocked: ${message}`)
      }
    })

    test('is applied with its digest if the apply has the base as well', async () => {
      const { place, digest } = await planned(row)
      const ran = await place.setpoint(['apply', 'plan.json', '--base', 'HEAD^1', '--approve', digest])
      expect([ran.code, ran.stderr, await isDone(place)]).toEqual([0, '', true])
    })

    test('is not applied if something else changed as well, even with its digest', async () => {
      const { place, live, digest } = await planned(row)
      place.write({ 'sets/more.yaml': 'variableSets: { more: {} }\n' })
      const ran = await place.setpoint(['apply', 'plan.json', '--approve', digest])
      expect([ran.code, place.live()]).toEqual([4, live])
      expect(ran.stderr).toContain('create-set more\n    reviewed: nothing\n')
    })

    test('does not approve what this run blocks and the file does not name', async () => {
      const { place, live, digest } = await planned(row)
      place.write({
        'rules/more.yaml': rule(0)['rules/r.yaml']?.replace('few:', 'fewer:') ?? '',
      })
      const ran = await place.setpoint(['apply', 'plan.json', '--approve', digest])
      expect([ran.code, place.live()]).toEqual([4, live])
      expect(ran.stderr).toContain(
        'The plan is blocked, and the approved plan file does not name this: The plan violates the rule fewer: Few.\n',
      )
      const [, hint = ''] = /then apply it without the plan file: (--approve .*)$/m.exec(ran.stderr) ?? []
      expect((await place.setpoint(['apply', ...wordsOf(`setpoint ${hint}`)])).code).toBe(0)
    })

    test('is approved by the command that the plan prints, also without a file', async () => {
      const { place } = await planned(row)
      const { stdout } = await place.setpoint(['plan', '--base', 'HEAD^1'])
      const [, command = ''] = /After review: (setpoint apply .*)$/m.exec(stdout) ?? []
      expect((await place.setpoint(wordsOf(command))).code).toBe(0)
      expect(await isDone(place)).toBe(true)
    })
  },
)

test('without --base, the plan file is what tells which hits of rules of the base were approved', async () => {
  const place = await aChange({ ...settings(''), ...rule(0), ...A_AND_B }, { ...rule(5), ...WITHOUT_B })
  await place.setpoint(['plan', '--base', 'HEAD^1', '--out', 'plan.json'])
  const { digest } = planIn(place)
  const alone = await place.setpoint(['apply', '--approve', digest])
  expect([alone.code, alone.stderr]).toEqual([4, expect.stringContaining('or the file of the plan')])
  expect((await place.setpoint(['apply', 'plan.json', '--approve', digest])).code).toBe(0)
})

describe('an apply by digest alone', () => {
  const digestOf = async (place: Place): Promise<string> =>
    JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).digest

  /** The service carries out the first write, and fails from the second one on, until `end`. */
  function secondWriteFails() {
    let writes = 0
    let isOver = false
    const faults: FaultSchedule = {
      matches: ({ method }) => !isOver && method !== 'GET' && ++writes > 1,
      probability: 1,
      faults: [{ kind: 'error', status: 500, commit: 'before' }],
    }
    const end = (): void => {
      isOver = true
    }
    return { faults, end }
  }

  async function stopped(flags: readonly string[] = [], files: Files = TWO) {
    const { faults, end } = secondWriteFails()
    const place = await aPlace(files, { faults })
    const digest = await digestOf(place)
    const ran = await place.setpoint(['apply', '--approve', digest, '--concurrency', '1', ...flags])
    end()
    return { place, digest, ran }
  }
  const TWO: Files = { 'sets/a.yaml': 'variableSets: { a: {}, b: {} }\n' }

  test('says before its first write that a rest needs a new review, and saves nothing', async () => {
    const place = await aPlace(TWO)
    const digest = await digestOf(place)
    const log: string[] = []
    const io = {
      stderr: { write: (text: string) => void log.push(text), terminal: false, columns: 120 },
      transport: (async (request, signal) => {
        log.push(request.method)
        return await place.sandbox.transport(request, signal)
      }) satisfies Transport,
    }
    expect((await place.setpoint(['apply', '--approve', digest], { io })).code).toBe(0)
    const told = log.indexOf('If this apply stops halfway, the rest needs a new review: setpoint plan\n')
    expect([told > 0, log.indexOf('POST') > told]).toEqual([true, true])
    expect(readdirSync(place.cwd).toSorted()).toEqual(['setpoint.yaml', 'sets'])
  })

  test('that stopped halfway is continued by a review only, whatever consent is given', async () => {
    const { place, digest, ran } = await stopped()
    expect([ran.code, place.live()]).toEqual([3, ['a']])
    expect(ran.stdout).toContain('Next: review what is left, then apply it: setpoint plan --concurrency 1\n')
    const env = { SETPOINT_APPROVE: digest }
    for (const again of [
      await place.setpoint(['apply', '--approve', digest]),
      await place.setpoint(['apply', '--auto-approve'], { env }),
      await place.setpoint(['apply', '--approve', digest.slice(0, 12)], { answers: ['yes'] }),
    ]) {
      expect([again.code, place.live()]).toEqual([4, ['a']])
      expect(again.stderr).toContain(
        'If an apply of that plan stopped halfway, the rest needs a new review, or the file of the plan: setpoint apply PLANFILE --approve DIGEST',
      )
    }
    const rest = await digestOf(place)
    expect((await place.setpoint(['apply', '--approve', rest])).code).toBe(0)
    expect(place.live()).toEqual(['a', 'b'])
  })

  test('with --out is finished by the file, as it prints before its first write and at its end', async () => {
    const { place, digest, ran } = await stopped(['--out', 'approved plan.json'])
    const command = `setpoint apply --concurrency 1 'approved plan.json' --approve ${digest}`
    expect(ran.stderr).toBe(`If this apply stops halfway, run: ${command}\n`)
    expect(ran.stdout).toContain(`Next: run ${command}\n`)
    expect(statSync(join(place.cwd, 'approved plan.json')).mode & 0o777).toBe(0o600)
    expect((await place.setpoint(wordsOf(command))).code).toBe(0)
    expect(place.live()).toEqual(['a', 'b'])
  })

  test('prints the words that were typed, in their order, and they work', async () => {
    const files = {
      'infra/other.yaml': 'organization: acme\n',
      'infra/sets/a.yaml': TWO['sets/a.yaml'] ?? '',
    }
    const { faults, end } = secondWriteFails()
    const place = await aPlace(files, { faults })
    const flags = [
      '--only',
      '*',
      '-C',
      'infra',
      '--config=other.yaml',
      '--limit',
      'files=20000',
      '--adopt',
      "it's",
    ]
    place.write({ 'infra/sets/b.yaml': `variableSets: { "it's": {} }\n` })
    const { digest } = JSON.parse((await place.setpoint(['plan', ...flags, '--format', 'json'])).stdout)
    const ran = await place.setpoint([
      'apply',
      ...flags,
      '--approve',
      digest,
      '--concurrency',
      '1',
      '--out',
      'p.json',
    ])
    end()
    const [, command = ''] = /^Next: run (.*)$/m.exec(ran.stdout) ?? []
    expect(command).toBe(
      `setpoint apply -C infra --config=other.yaml --limit files=20000 --adopt 'it'\\''s' --concurrency 1 p.json --approve ${digest}`,
    )
    expect((await place.setpoint(wordsOf(command))).code).toBe(0)
    expect(place.live()).toEqual(['a', 'b', "it's"])
  })

  test.each([
    ['a directory is in the way', (cwd: string) => mkdirSync(join(cwd, 'p.json'))],
    ['a link leads elsewhere', (cwd: string) => symlinkSync(aDirectory(), join(cwd, 'p.json'))],
  ])('writes nothing to the service if --out cannot be written: %s', async (_, prepare) => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    prepare(place.cwd)
    const ran = await place.setpoint(['apply', '--approve', digest, '--out', 'p.json'])
    expect([ran.code, place.live()]).toEqual([1, []])
  })
})
