import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { loadText } from './load-text.ts'

/**
 * What a person would type who follows each hint to the letter. Afterwards nothing is left to say, so that no hint leads to the
 * next mistake.
 */
const FILES = { 'sets/x.txt': 'x' }
const FILE = 'sets/a.yaml'
const set = (body: string): string => `variableSets:\n  shop:\n${body.replaceAll(/^/gm, '    ')}\n`
const found = async (text: string): Promise<readonly Diagnostic[]> =>
  (await loadText({ ...FILES, [FILE]: text })).diagnostics

/** Types the line, key or item that the hint prints at the place of the mistake. `at`: which of several that it prints. */
function typed(text: string, { hint = '', source }: Diagnostic, at = 0): string {
  const prints = [...hint.matchAll(/(key )?`([^`]+)`/g)]
  const [, isKey, print = ''] = prints[at] ?? []
  const lines = text.split('\n')
  const index = (source?.line ?? 0) - 1
  const line = lines[index] ?? ''
  const indent = line.slice(0, line.search(/\S/))
  if (isKey !== undefined)
    lines[index] = line.replace(/^(\s*)("[^"]*"|[^:]*)(?=:)/u, (_, space) => `${space}${print}`)
  else if (print.startsWith('"') && !print.includes(': ')) lines[index] = line.replace(/group: \w+/, print)
  else lines[index] = indent + print
  return lines.join('\n')
}

const LINES: readonly (readonly [code: string, body: string])[] = [
  ...[
    'secret: DB',
    'Secret: DB',
    'external: true',
    'file: x.txt',
    '{ secret: DB }',
    '{ external: true }',
  ].map(text => ['wrong-value', `env:\n  DB: "${text}"`] as const),
  ...['data: [a, b]', 'data: { a: 1 }', 'hcl: [1]', 'hcl: {}', 'hcl: true'].map(
    text => ['wrong-value', `terraform:\n  db: "${text}"`] as const,
  ),
  ['yaml-syntax', 'env:\n  DB: secret: DB'],
  ['yaml-syntax', 'env:\n  DB: external: true'],
  ['yaml-syntax', 'terraform:\n  db: data: [a]'],
  ['yaml-syntax', 'terraform:\n  "a-b": file: x.txt'],
  ['odd-text', 'env:\n  API\u00a0KEY: a'],
  ['odd-text', 'env:\n  A\u0420P: a'],
  ['odd-text', 'env:\n  APP\u200b: a'],
  ['odd-text', 'env:\n  my-key: a'],
  ['odd-text', 'env:\n  1KEY: a'],
  ['odd-text', 'env:\n  tf_var_region: a'],
  ['odd-text', 'env:\n  export KEY: a'],
  ['odd-text', 'env:\n  $KEY: a'],
  ['odd-text', 'env:\n  A.B: a'],
  ['odd-text', 'env:\n  "A B": a'],
  ['odd-text', 'env:\n  "A ": a'],
  ['odd-text', 'env:\n  caf\u00e9: a'],
  ['odd-text', 'env:\n  \u0410\u0420\u0420: a'],
  ['odd-text', 'env:\n  \u201cA\u201d: a'],
  ['odd-text', 'terraform:\n  TF_VAR_region: a'],
  ['odd-text', 'terraform:\n  a.b: a'],
  ['odd-text', 'terraform:\n  "1a": a'],
  ['odd-text', 'env:\n  DB: { secret: SETPOINT_SECRET_DB }'],
  ['wrong-value', 'workspaces: [group: a]\nenv: {}'],
  ['unknown-key', 'env:\n  A: { value: x, sensitive: true }'],
  ['unknown-key', 'groups: [a]\nenv: {}'],
  ['wrong-type', 'terraform:\n  a: {}'],
  ['wrong-type', 'terraform:\n  a: []'],
]

describe('the line that a hint prints', () => {
  test.each(LINES)('of %s is typed, and nothing is left to say: %s', async (code, body) => {
    const text = set(body)
    const [first, ...others] = await found(text)
    expect([first?.code, others]).toEqual([code, []])
    if (first === undefined) return
    const left = await found(typed(text, first))
    // The group is not declared here.
    expect(left.filter(one => !/group/.test(one.message))).toEqual([])
  })

  test.each(['secret: DB', 'data: [a]', 'file: a.txt', 'hcl: true'])(
    'also if the text itself is meant: %s',
    async meant => {
      const text = set(`env:\n  A: "${meant}"`)
      const [first] = await found(text)
      if (first === undefined) throw new Error('nothing was found')
      const prints = [...(first.hint ?? '').matchAll(/`([^`]+)`/g)]
      const right = typed(text, first, prints.length - 1)
      expect(right).toContain(`A: { value: "${meant}" }`)
      expect(await found(right)).toEqual([])
    },
  )

  test.each([
    ['looks-like-a-secret', 'DB_PASSWORD: hunter2'],
    ['literal-reference', 'URL: "http://${HOST}/"'],
    ['service-limit', 'CA: "a\\nb"'],
    ['odd-text', 'my-key: a'],
    ['odd-text', 'DB: { secret: SETPOINT_SECRET_DB }'],
  ])('also to accept %s: %s', async (code, line) => {
    const text = set(`env:\n  ${line}`)
    const [first, ...others] = await found(text)
    expect([first?.code, others]).toEqual([code, []])
    if (first === undefined) return
    const prints = [...(first.hint ?? '').matchAll(/`([^`]+)`/g)].map(([, print = '']) => print)
    const right = typed(
      text,
      first,
      prints.findIndex(print => print.includes('accept:')),
    )
    expect(await found(right.replace('…', line.slice(line.indexOf(': ') + 2)))).toEqual([])
  })

  test.each([
    ['looks-like-a-secret', 'DB_PASSWORD: hunter2'],
    ['literal-reference', 'URL: "http://${HOST}/"'],
  ])('also to make a secret of %s: %s', async (_, line) => {
    const text = set(`env:\n  ${line}`)
    const [first] = await found(text)
    if (first === undefined) throw new Error('nothing was found')
    const right = typed(text, first)
    expect(right).toMatch(/: \{ secret: \w+ \}$/m)
    expect(await found(right)).toEqual([])
  })

  test('never has a text that may be a secret', async () => {
    const words = ['hunter2', 'S0mmer!2024', 'q7WzpX2mL9vT4kR'].flatMap(word =>
      ['secret', 'file', 'data', 'hcl'].map(form => ({ form, word })),
    )
    for (const { form, word } of words)
      for (const body of [`terraform:\n  a: "${form}: ${word}"`, `terraform:\n  a: ${form}: ${word}`]) {
        const all = await found(set(body))
        expect(all[0]?.severity).toBe('error')
        expect(JSON.stringify(all)).not.toContain(word)
      }
  })
})

/** What has to be indented, with the mistake and the text that results. */
const SHALLOW: readonly (readonly [message: string, text: string, right: string])[] = [
  [
    '"env" and 1 more are next to "shop", which is empty.',
    'variableSets:\n  shop:\n  env:\n    A: x\n  workspaces: [w]\n',
    'variableSets:\n  shop:\n    env:\n      A: x\n    workspaces: [w]\n',
  ],
  [
    '"workspaces" is among the names of sets.',
    'variableSets:\n  shop:\n    env: { A: x }\n  workspaces: [w]\n',
    'variableSets:\n  shop:\n    env: { A: x }\n    workspaces: [w]\n',
  ],
  [
    '"shop" is next to "variableSets", which is empty.',
    'variableSets:\nshop:\n  env:\n    A: x\n',
    'variableSets:\n  shop:\n    env:\n      A: x\n',
  ],
  [
    '"A" is next to "env", which is empty.',
    'variableSets:\n  shop:\n    env:\n    A: x\n',
    'variableSets:\n  shop:\n    env:\n      A: x\n',
  ],
]

test.each(SHALLOW)(
  'keys one level too shallow are one mistake, and never "{}": %s',
  async (message, text, right) => {
    const all = await found(text)
    expect(all.map(one => [one.code, one.message])).toEqual([['misplaced-key', message]])
    expect(all[0]?.hint).toMatch(/indent (?:it|them) by two spaces more than/)
    expect(await found(right)).toEqual([])
  },
)

test.each(['variableSets:\n  shop:\n', 'variableSets:\n  shop:\n    env:\n', 'bases:\n  b:\n'])(
  'nothing tells to write an empty map where that deletes variables: %j',
  async text => {
    const [first] = await found(text)
    expect([first?.code, first?.hint]).toEqual(['null-value', expect.not.stringMatching(/Write \{\}/)])
  },
)

test.each([
  ['a variable beside the settings of a set', set('LOG_LEVEL: info'), '`env: { LOG_LEVEL: … }`'],
  ['a key of a set at the top', 'variableSets: {}\nenv: { A: x }\n', 'Indent it by four spaces'],
  ['JSON in several lines', set('env:\n  A: {\n    "a": 1,\n    "b": [2]\n  }'), "`A: '{…}'`"],
  ['a list under env', set('env:\n  A: [a]'), "`A: '[…]'`"],
  ['a list as a value', set('terraform:\n  a: { value: [a] }'), '`a: { data: […] }`'],
  ['a map under terraform', set('terraform:\n  a:\n    b: { c: d }'), '`a: { data: {…} }`'],
  [
    'no secret that is said to be not sensitive',
    set('env:\n  A: { value: x, sensitive: false }'),
    'Remove it.',
  ],
  [
    'a secret that is said to be sensitive',
    set('env:\n  A: { secret: A, sensitive: true }'),
    'always sensitive',
  ],
  [
    'a version beside its secret',
    set('env:\n  A: { secret: DB, version: "2" }'),
    'Write `A: { secret: { name: DB, version: "2" } }`.',
  ],
  [
    'a version of a secret that is quoted nowhere',
    set('env:\n  A: { secret: hunter2, version: hunter3 }'),
    'Write `A: { secret: { name: A, version: "…" } }`.',
  ],
  [
    'allowEmpty beside a secret',
    set('env:\n  A: { allowEmpty: yes, secret: { name: DB } }'),
    'Write `A: { secret: { name: DB, allowEmpty: true } }`.',
  ],
  [
    'a no-break space that indents',
    'variableSets:\n  a: { env: {} }\n\u00a0b: {}\n',
    'no-break space (U+00A0)',
  ],
  ['a no-break space after a colon', set('env:\n  A:\u00a0x'), 'no-break space (U+00A0)'],
])('the hint helps: %s', async (_, text, hint) => {
  const all = await found(text)
  expect(all.map(one => one.hint)).toEqual([expect.stringContaining(hint)])
})

describe('odd names and texts', () => {
  const PEM = '-----BEGIN CERTIFICATE-----'
  test.each([
    ['folded', `cert: >\n    ${PEM}\n    MIIB\n    -----END CERTIFICATE-----`],
    ['in single quotes', `cert: '${PEM}\\nMIIB\\n-----END CERTIFICATE-----'`],
  ])('PEM without its line breaks, %s, is a warning', async (_, line) => {
    const [first, ...others] = await found(set(`terraform:\n  ${line}`))
    expect([first?.code, first?.severity, first?.hint, others]).toEqual([
      'odd-text',
      'warning',
      expect.stringContaining('`cert: |`'),
      [],
    ])
    expect(
      await found(set(`terraform:\n  cert: |\n    ${PEM}\n    MIIB\n    -----END CERTIFICATE-----`)),
    ).toEqual([])
  })

  test.each([
    ['shop ', 'shop'],
    ['two  words', 'two words'],
    ['sh\u200bop', 'shop'],
    ['sh\u043ep', 'shop'],
    ['a\u00a0b', 'a b'],
    ['\uff53hop', 'shop'],
  ])('the name of a set, and of a workspace: %j', async (name, meant) => {
    for (const text of [
      `variableSets:\n  ${JSON.stringify(name)}: {}\n`,
      `variableSets:\n  a: { workspaces: [${JSON.stringify(name)}] }\n`,
    ]) {
      const all = await found(text)
      expect(all.map(({ code, severity }) => [code, severity])).toEqual([['odd-text', 'warning']])
      expect(all[0]?.hint).toContain(`Write \`${meant}\`.`)
    }
  })

  test('are accepted at their place', async () => {
    const text = `variableSets:\n  "shop ":\n    accept: [odd-text]\n    workspaces: ["w "]\n    env:\n      A-B: { value: x, accept: [odd-text] }\n`
    expect(await found(text)).toEqual([])
  })

  test.each([
    'caf\u00e9',
    '\u041c\u0430\u0433\u0430\u0437\u0438\u043d',
    'Payments (prod)',
    '\ud83d\udc69\u200d\ud83d\udcbb tools',
    '\u540d\u524d',
    'a_b-c.d/e',
  ])('ordinary names are not odd: %s', async name => {
    expect(
      await found(`variableSets:\n  ${JSON.stringify(name)}: { workspaces: [${JSON.stringify(name)}] }\n`),
    ).toEqual([])
  })

  test('ordinary keys are not odd', async () => {
    expect(
      await found(
        set('env: { _A1: x, a: y, TF_VAR_region: z }\nterraform: { gr\u00f6\u00dfe: x, my-key: y, _a: z }'),
      ),
    ).toEqual([])
  })
})

test('a syntax error says that the rest of its file is still to be checked, and other files are', async () => {
  const { diagnostics } = await loadText({
    [FILE]: 'variableSets:\n  a: { env: [ }\n',
    'sets/b.yaml': 'variableSets:\n  b: { nope: 1 }\n',
  })
  expect(diagnostics.map(({ code, source }) => `${source?.path} ${code}`)).toEqual([
    'sets/a.yaml yaml-syntax',
    'sets/b.yaml unknown-key',
  ])
  expect(diagnostics[0]?.hint).toContain('The rest of this file is checked after that.')
})
