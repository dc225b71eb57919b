import { describe, expect, test } from 'vitest'
import { loaded, loadText, variable } from './load-text.ts'

describe('a plain scalar is read as it is written', () => {
  test.each([
    '1.10',
    '0123',
    '0x1F',
    '0o17',
    '1_000',
    '1234e56',
    '12345678901234567890',
    '+1',
    '-0',
    '.5',
    '5.',
    '1e3',
    '.inf',
    '-.INF',
    '.nan',
    'no',
    'NO',
    'yes',
    'on',
    'off',
    'y',
    'true',
    'True',
    'FALSE',
    '2026-11-21',
    '2026-11-21T10:00:00Z',
    '1:20',
    '190:20:30',
    '=',
    'nULL',
    'nulls',
    'a b  c',
    'a#b',
    'http://x:80/?a=b&c',
    '1.2.3',
    '-a',
    '?a',
    ':a',
    'é',
    '日本',
    '😀',
    'a"b',
    "a'b",
    '\\n',
    '<tag>',
    '...x',
  ])('%s', async text => {
    expect(await variable(`V: ${text}`)).toEqual({
      key: 'terraform/V',
      value: { text },
      description: '',
      hcl: false,
    })
  })
})

describe('a quoted scalar or a block scalar is decoded', () => {
  test.each([
    [`'it''s'`, "it's"],
    ['"tab\\tnew\\nline"', 'tab\tnew\nline'],
    ['"\\e[0m\\x41\\u00e9\\U0001F600"', '\u001b[0mAé😀'],
    ['"null"', 'null'],
    ["'~'", '~'],
    ['""', ''],
    ['"1.10"', '1.10'],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['|-\n  a\n\n  b\n', 'a\n\nb'],
    ['|+\n  a\n', 'a\n\n'],
    ['|2\n    indented\n', '  indented\n'],
    ['>\n  a\n  b\n\n  c\n', 'a b\nc\n'],
    ['"a\n  b"', 'a b'],
    ['a\n  b', 'a b'],
  ])('%j', { tags: ['F-66'] }, async (written, text) => {
    expect((await variable(`V: ${written}`))?.value).toEqual({ text })
  })

  test('a file with CRLF and a byte order mark gives the same text', { tags: ['F-69'] }, async () => {
    const crlf =
      '\ufeffvariableSets:\r\n  one:\r\n    terraform:\r\n      V: |\r\n        a\r\n        b\r\n      W: x\r\n...\r\n'
    const { value, diagnostics } = await loadText(crlf)
    expect(diagnostics).toEqual([])
    expect(value?.sets[0]?.variables.map(({ key, value, source }) => [key, value, source.line])).toEqual([
      ['terraform/V', { text: 'a\nb\n' }, 4],
      ['terraform/W', { text: 'x' }, 7],
    ])
  })

  test('a file with a YAML version directive is refused', { tags: ['F-65'] }, async () => {
    const { value, diagnostics } = await loadText(
      '%YAML 1.1\n---\nvariableSets: { one: { env: { A: no } } }\n',
    )
    expect([value, diagnostics.map(({ code }) => code)]).toEqual([undefined, ['yaml-feature']])
  })
})

describe('a key is read as it is written', () => {
  test.each([
    '1',
    '01',
    '1.10',
    'no',
    'true',
    'null',
    '~',
    'A B',
    'a.b',
    'é',
    '__proto__',
    'constructor',
    'toString',
  ])('%s', async key => {
    expect((await variable(`${key}: x`))?.key).toBe(`terraform/${key}`)
  })
})

describe('names with a meaning in JavaScript', () => {
  test('are ordinary names at every level, and no prototype is changed', { tags: ['F-68'] }, async () => {
    const { value, diagnostics } = await loadText(
      `variableSets:
  __proto__:
    env: { __proto__: a, constructor: b, hasOwnProperty: c }
    terraform: { x: { data: { __proto__: { polluted: true }, constructor: 1 } } }
  prototype: { from: __proto__ }
bases:
  __proto__: { env: { __proto__: base } }
`,
    )
    expect(diagnostics).toEqual([])
    expect(
      value?.sets.map(({ name, variables }) => [name, variables.map(({ key, value }) => [key, value])]),
    ).toEqual([
      [
        '__proto__',
        [
          ['env/__proto__', { text: 'a' }],
          ['env/constructor', { text: 'b' }],
          ['env/hasOwnProperty', { text: 'c' }],
          ['terraform/x', { text: '{"__proto__":{"polluted":true},"constructor":1}' }],
        ],
      ],
      ['prototype', [['env/__proto__', { text: 'base' }]]],
    ])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('are unknown keys where only known keys are allowed', async () => {
    const { diagnostics } = await loadText(
      'variableSets: { one: { __proto__: {}, constructor: 1 } }\ntoString: 1\n',
    )
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'unknown-key "__proto__" is not a known key here.',
      'unknown-key "constructor" is not a known key here.',
      'unknown-key "toString" is not a known key here.',
    ])
  })
})

test('a list of 6,000 quoted strings', async () => {
  const items = Array.from({ length: 6_000 }, (_, at) => `"${at}"`)
  const text = `variableSets:\n  a:\n    terraform:\n      list: { data: [${items.join(', ')}] }\n`
  const { sets } = await loaded(text)
  expect(sets[0]?.variables[0]?.value).toEqual({ text: `[${items.join(',')}]` })
})
