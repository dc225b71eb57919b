import { deepEqual, equal, ok } from 'node:assert/strict'
import { loadDesired } from '../../../src/config/load.ts'
import { DEFAULT_LIMITS, type Limits } from '../../../src/config/loader-limits.ts'
import { suggest } from '../../../src/model/names.ts'
import { resolveNames } from '../../../src/plan/resolve-names.ts'
import { inDirectory, loaded, loadText } from '../../config/load-text.ts'
import { type Checks, checkAll, checkedPromises } from '../checks.ts'
import type { Family } from '../family.ts'
import { table } from '../page.ts'

/** Everything, including limits, is divided by `part`: 1 is the whole proof. */
interface Task {
  readonly check: string
  readonly part: number
}

interface Found {
  readonly broken: Readonly<Record<string, readonly string[]>>
}

/** A sample is a twentieth: the counts and messages are the same, but quadratic time would not show. */
const PART = { whole: 1, part: 1, sample: 20 } as const

/** Small files with large effects. Without limits, each of these took minutes or all of the memory. */
const amplified: Family<Task, Found> = {
  name: 'amplified',
  proves: [],
  tasks: size => Object.keys(CHECKS).map(check => ({ check, part: PART[size] })),
  seconds: ({ part }) => 1 / part,
  async run({ check, part }) {
    const one = CHECKS[check]
    if (one === undefined) throw new RangeError(`there is no check "${check}"`)
    return { broken: await checkAll({ [check]: one }, part) }
  },
  conclude: done => ({
    figures: [['small files that expand to a lot', done.length]],
    promises: checkedPromises('amplified', Object.keys(CHECKS), done),
    section: table(
      ['promise'],
      Object.keys(CHECKS).map(check => [check]),
    ),
  }),
}

export default amplified

const SETPOINT = 'organization: acme\n'

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('')

const sets = (body: string): string => `variableSets:\n${body}`
const variables = (body: string): string => sets(`  a:\n    env:\n${body}`)

/** The limit of the whole, divided by the part. */
const expandedOf = (part: number): number => DEFAULT_LIMITS.expanded / part
const limitsOf = (part: number): { readonly limits: Partial<Limits> } => ({
  limits: { expanded: expandedOf(part) },
})

/** How often something of this size fits beside these files. */
const fits = (part: number, files: readonly string[], size: number): number =>
  Math.floor((expandedOf(part) - [SETPOINT, ...files].join('').length) / size)

/** What a variable counts besides its value. */
const EACH = 128

/** The diagnostics by place. For diagnostics that are only counted, their number. */
const found = async (...args: Parameters<typeof loadText>): Promise<string[]> =>
  (await loadText(...args)).diagnostics.map(({ code, source, message }) =>
    source === undefined ? `${code} ${message}` : `${source.path}:${source.line} ${code}`,
  )

const more = (count: number): string => `There are ${count.toLocaleString('en-US')} more of this kind.`

const fromBase = (keys: number, many: number, entry: string): string =>
  `bases:\n  b:\n    env:\n${lines(keys, at => `      K${at}: ${entry}`)}${sets(lines(many, at => `  s${at}: { from: b }`))}`

/** A mistake that a file makes `count` times, and its code. */
const AGAIN: readonly (readonly [code: string, text: (count: number) => string])[] = [
  ['duplicate-key', count => variables(lines(count, () => '      K: a'))],
  ['unknown-key', count => sets(lines(count, at => `  s${at}: { envx: 1 }`))],
  ['unknown-key', count => sets(`  a:\n${lines(count, at => `    envx${at}: 1`)}`)],
  ['wrong-type', count => variables(lines(count, at => `      K${at}: [a]`))],
  ['duplicate-target', count => sets(`  a:\n    workspaces:\n${lines(count + 1, () => '      - a')}`)],
  ['looks-like-a-secret', count => variables(lines(count, at => `      K${at}: AKIAQYLPMN5HFIQR7XYA`))],
  ['unknown-base', count => `bases: {}\n${sets(lines(count, at => `  s${at}: { from: b${at} }`))}`],
]

const CHECKS: Checks<number> = {
  async 'the variables of a base count once for each set that uses it'(part) {
    const keys = 10_000 / part
    const text = fromBase(keys, 20_000 / part, 'a')
    const first = fits(part, [text], keys * (EACH + 1))
    deepEqual(await found(text, limitsOf(part)), [`sets/a.yaml:${keys + 5 + first} file-limit`])
    const small = fromBase(3, 2, 'a')
    const expanded = SETPOINT.length + small.length + 6 * (EACH + 1)
    deepEqual(await found(small, { limits: { expanded } }), [])
    deepEqual(await found(small, { limits: { expanded: expanded - 1 } }), ['sets/a.yaml:9 file-limit'])
  },

  async 'variables that a base requires count in the same way'(part) {
    const keys = 10_000 / part
    const text = fromBase(keys, 20_000 / part, '{ required: true }')
    const first = fits(part, [text], keys * EACH)
    const all = await found(text, limitsOf(part))
    equal(all.length, 102)
    equal(all[0], `sets/a.yaml:${keys + 5} required-value`)
    deepEqual(all.slice(-2), [
      `sets/a.yaml:${keys + 5 + first} file-limit`,
      `required-value ${more(first * keys - 100)}`,
    ])
  },

  async 'the characters of a value count once for each use'(part) {
    const long = 'x'.repeat(100_000 / part)
    const text = fromBase(1, 2000, long)
    const first = fits(part, [text], EACH + long.length)
    deepEqual(await found(text, limitsOf(part)), [`sets/a.yaml:${6 + first} file-limit`])
  },

  async 'a file that many variables name is read once, and counts for each of them'(part) {
    const big = 'x'.repeat(8_000_000 / part)
    const named = (count: number) => ({
      big,
      'sets/a.yaml': variables(
        lines(count, at => `      K${at}: { file: ../big, accept: [looks-like-a-secret] }`),
      ),
    })
    const files = named(20_000 / part)
    const first = fits(part, [files['sets/a.yaml']], big.length)
    const codes = (await found(files, limitsOf(part))).filter(one => one.includes('file-limit'))
    deepEqual(codes, [`sets/a.yaml:${4 + first} file-limit`])
  },

  async 'workspaces of a group count once for each set that names it'(part) {
    const members = 10_000 / part
    const id = (at: number): string => `ws-${String(at).padStart(16, '0')}`
    const groups = `groups:\n  g:\n    workspaces:\n${lines(members, at => `      w${at}: ${id(at)}`)}`
    const text = sets(lines(20_000 / part, at => `  s${at}: { workspaces: ["group:g"] }`))
    const first = fits(part, [groups, text], members * EACH)
    deepEqual(await found({ 'groups.yaml': groups, 'sets/a.yaml': text }, limitsOf(part)), [
      `sets/a.yaml:${2 + first} file-limit`,
    ])
  },

  async 'a refused file is opened once, however many variables name it'(part) {
    const count = 20_000 / part
    const files = {
      'setpoint.yaml': SETPOINT,
      big: Buffer.concat([Buffer.alloc(8_000_000 / part, 'x'), Buffer.from([0xff])]),
      'sets/a.yaml': variables(lines(count, at => `      K${at}: { file: ../big }`)),
    }
    await inDirectory(files, async directory => {
      const { diagnostics } = await loadDesired({ directory })
      deepEqual(
        diagnostics.map(({ code }) => code),
        Array(101).fill('unreadable-file'),
      )
      equal(diagnostics.at(-1)?.message, more(count - 100))
    })
  },

  async 'a repeated mistake is listed a hundred times, and then counted'(part) {
    for (const [code, text] of AGAIN) {
      const count = 90_000 / part
      const all = await found(text(count))
      equal(all.filter(one => one.includes(code)).length, 101, code)
      // The first of equal keys is not a duplicate.
      ok(
        [count - 100, count - 101].some(left => all.at(-1) === `${code} ${more(left)}`),
        `${all.at(-1)}`,
      )
    }
  },

  async 'a hundred mistakes are all listed, and one more is counted'() {
    const doubles = (count: number) => variables(lines(count + 1, () => '      K: a'))
    equal((await found(doubles(100))).length, 100)
    equal((await found(doubles(101))).at(-1), 'duplicate-key There is 1 more of this kind.')
  },

  async 'messages cut a name that is as long as a file'() {
    // The last character that fits would be cut in half.
    const name = `${'a'.repeat(1998)}${'\u{1f600}'.repeat(90_000)}`
    const text = sets(`  a: { name: "${name}", env: { A: b } }\n`)
    const { diagnostics } = await loadText(text, { setpoint: `${SETPOINT}owns: [b]\n` })
    deepEqual(
      diagnostics.map(({ message }) => message),
      [`"${'a'.repeat(1998)}…`],
    )
  },

  async 'the intended base is searched only for listed mistakes'(part) {
    const bases = lines(20_000 / part, at => `  the-base-of-team-${at}: { env: { A: b } }`)
    const own = lines(20_000 / part, at => `  s${at}: { from: the-bsae-of-team-${at} }`)
    const { diagnostics } = await loadText(`bases:\n${bases}${sets(own)}`)
    equal(diagnostics[0]?.hint, 'Did you mean "the-base-of-team-0"?')
    equal(diagnostics.length, 101)
  },

  async 'the intended workspace is searched only for listed mistakes'(part) {
    const count = 50_000 / part
    const state = await loaded(
      sets(`  a:\n    workspaces:\n${lines(count, at => `      - the-workspcae-${at}`)}`),
    )
    const workspaces = Array.from({ length: count }, (_, at) => ({
      name: `the-workspace-${at}`,
      id: `ws-${at}` as const,
    }))
    const { diagnostics } = resolveNames(state, { workspaces, projects: [] })
    equal(diagnostics[0]?.hint, 'Did you mean "the-workspace-0"?')
    equal(diagnostics.length, 101)
  },

  'long names are not compared completely'(part) {
    const long = 'a'.repeat(100_000 / part)
    const candidates = Array.from({ length: 1000 }, (_, at) => `${long}${at}`)
    equal(suggest(`${long}x`, candidates), undefined)
  },

  async 'matching patterns with names takes bounded work'(part) {
    const patterns = Array.from({ length: 2000 }, () => `"*${'a*'.repeat(100)}b"`).join()
    const names = lines(20_000 / part, at => `  ${'a'.repeat(100)}${at}: {}`)
    deepEqual(await found(sets(names), { setpoint: `${SETPOINT}owns: [${patterns}]\n` }), [
      'setpoint.yaml:1 file-limit',
    ])
  },
}
