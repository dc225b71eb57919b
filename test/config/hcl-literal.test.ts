import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type HclLiteral,
  type HclMistake,
  parseAssignments,
  parseLiteral,
} from '../../src/config/hcl-literal.ts'
import { plain } from '../support/plain-hcl.ts'

const read = (code: string): unknown => {
  const parsed = parseLiteral(code)
  return 'value' in parsed ? plain(parsed.value) : parsed.mistake
}

describe('a literal value', () => {
  test.each([
    ['"a"', 'a'],
    ['"é \\u00e9 \\U0001F600 \\n\\r\\t\\"\\\\"', 'é é 😀 \n\r\t"\\'],
    ['"$ % $$ $${a} %%{b} $$${c}"', '$ % $$ ${a} %{b} $${c}'],
    ['""', ''],
    ['1.50', 1.5],
    ['-1e3', -1000],
    ['- /* minus */ 2', -2],
    ['007', 7],
    ['true', true],
    ['null', null],
    ['[]', []],
    ['[1, "a", [true,],\n\n]', [1, 'a', [true]]],
    ['{}', {}],
    ['{ a = 1, "b c": 2\n  c-d = [\n3] /* e\n*/ }', { a: 1, 'b c': 2, 'c-d': [3] }],
    ['{ # not the end }\n  a = 1 // ]\n  b = 2\n}', { a: 1, b: 2 }],
    ['{ true = 1, null = 2, 3 = 4, -5 = 6, a = 7, a = 8 }', { true: 1, null: 2, 3: 4, '-5': 6, a: 8 }],
    ['{ a = 1, for = 2 }', { a: 1, for: 2 }],
    ['<<EOT\nany " text ( [ {\n  EOTX\n \\n $${x}\nEOT\n', 'any " text ( [ {\n  EOTX\n \\n ${x}\n'],
    ['<<-EOT\n    a\n  b\n\n   \n  EOT', '  a\nb\n\n   \n'],
    ['[<<A\nA\n, <<-A\r\n\tx\r\n A\r\n]', ['', 'x\r\n']],
    ['{ a = <<EOT\nx\nEOT\n b = 1 }', { a: 'x\n', b: 1 }],
    ['  /* c */ 1 # d', 1],
    ['{"a": {"b": [1, 2.5, "c"]}}', { a: { b: [1, 2.5, 'c'] } }],
  ])('%j', (code, value) => {
    expect(read(code)).toEqual(value)
  })

  test('has its place, and those of all parts', () => {
    const code = '  { a = [1, "b"] } # c'
    const parsed = parseLiteral(code)
    const texts = (value: HclLiteral): string[] => [
      code.slice(value.at, value.end),
      ...(value.kind === 'list' ? value.items.flatMap(texts) : []),
      ...(value.kind === 'map'
        ? value.entries.flatMap(entry => [code.slice(entry.at, entry.end), ...texts(entry.value)])
        : []),
    ]
    expect('value' in parsed && texts(parsed.value)).toEqual([
      '{ a = [1, "b"] }',
      'a = [1, "b"]',
      '[1, "b"]',
      '1',
      '"b"',
    ])
  })
})

const WRONG: readonly (readonly [code: string, at: number, words: string, kind?: HclMistake['kind']])[] = [
  ['', 0, 'is empty', 'empty'],
  [' \n', 0, 'is empty', 'empty'],
  ['eu-west-1', 0, 'is a word without quotes', 'word'],
  ['10.0.0.0/16', 0, 'is a word without quotes', 'word'],
  ['2026-11-28', 0, 'is a word without quotes', 'word'],
  ['1.2.3', 0, 'is a word without quotes', 'word'],
  ['t2.micro', 0, 'is a word without quotes', 'word'],
  ['arn:aws:iam::1:role/x', 0, 'is a word without quotes', 'word'],
  ['https://a.example/b', 0, 'is a word without quotes', 'word'],
  ['True', 0, 'is a word without quotes', 'word'],
  ['a word', 0, 'has a word without quotes', 'word'],
  ['[a b]', 1, 'has a word without quotes', 'word'],
  ['[a, b]', 1, 'has a word without quotes', 'word'],
  ['{ a = b }', 6, 'has a word without quotes', 'word'],
  ['{ a = 1x }', 6, 'has a word without quotes', 'word'],
  ['a = 1', 0, 'is an assignment (`name = value`)', 'assignment'],
  ['var.x', 0, 'refers to something (`a.b`)', 'reference'],
  ['{ a.b = 1 }', 2, 'has a key that refers to something (`a.b`)', 'reference'],
  ['[local.x]', 1, 'refers to something (`a.b`)', 'reference'],
  ['"a ${b}"', 3, 'has a template (`${…}`)', 'template'],
  ['{ a = "%{ if b }c" }', 7, 'has a template (`%{…}`)', 'template'],
  ['<<A\nx ${y}\nA', 6, 'has a template (`${…}`)', 'template'],
  ['file("a")', 0, 'calls a function', 'computed'],
  ['{ a = merge({}) }', 6, 'calls a function', 'computed'],
  ['[for k in {} : k]', 0, 'has a `for` expression', 'computed'],
  ['{ for = 1 }', 0, 'has a `for` expression', 'computed'],
  ['1 + 2', 2, 'has an operator', 'computed'],
  ['!true', 0, 'has an operator', 'computed'],
  ['(1)', 0, 'has a parenthesis', 'computed'],
  ['[1][0]', 3, 'selects a part of a value', 'computed'],
  ["'x'", 0, 'has a quote of another kind, and HCL knows only `"`'],
  ["['x']", 1, 'has a quote of another kind, and HCL knows only `"`'],
  ['{a}', 1, 'has a key without `=` and a value on its line'],
  ['{ a\n= 1 }', 2, 'has a key without `=` and a value on its line'],
  ['{ a =\n1 }', 2, 'has a key without a value on its line'],
  ['{ a = 1 b = 2 }', 8, 'has something else where a comma, a new line or "}" is expected'],
  ['{ a = 1\n, b = 2 }', 8, 'has something else where a key is expected'],
  ['{ a = 1, , }', 9, 'has something else where a key is expected'],
  ['[1\n2]', 3, 'has something else where a comma or "]" is expected'],
  ['[1,,2]', 3, 'has something else where a value is expected'],
  ['{ a = ', 2, 'has a key without a value on its line'],
  ['{ a = 1', 0, 'has a "{" that is never closed'],
  ['{ a = [1, 2 }', 12, 'has a "}" where a comma or "]" is expected'],
  ['[1]]', 3, 'has a "]" where the end of the line is expected'],
  ['"a', 0, 'has a quote that is never closed'],
  ['{ a = "b\n}', 6, 'has a quote that is not closed on its line'],
  ['"a\\d"', 2, 'has a backslash that does not begin an escape; write a backslash as `\\\\`'],
  ['"\\ud83d"', 1, 'has an escape that is not a valid character'],
  ['<<EOT\nx\naEOT\n', 0, 'has a heredoc that never ends (no line is EOT alone)'],
  ['<<EOT\na\rb\nEOT\n', 7, 'has a carriage return without a newline'],
  ['{ /* }', 2, 'has a comment that never ends'],
  ['{ a = 1 # }', 0, 'has a "{" that is never closed'],
  ['\n[1]', 0, 'does not have its value on its first line', 'late'],
  ['# c\n[1]', 3, 'does not have its value on its first line', 'late'],
  ['1\n2', 2, 'has something after its value'],
  [
    '1\u00a0',
    1,
    'has the character U+00A0, which looks like a space or like nothing, where the end of the line is expected',
  ],
  ['[\u201ca\u201d]', 1, 'has a quote of another kind, and HCL knows only `"`'],
  ['['.repeat(101), 101, 'is nested more than 100 deep'],
  ['-"a"', 0, 'has a minus without a number', 'computed'],
]

describe('a mistake has its place', () => {
  test.each(WRONG.map(([code, ...rest]) => [code, rest] as const))('%j', (code, [at, words, kind]) => {
    expect(read(code)).toEqual({ at, words, kind })
  })

  test('wherever a bracket or quote of valid code is removed', () => {
    const code = '{ a = ["b", ["c"]], d = { e = { f = "g" } } }'
    for (const { index } of code.matchAll(/[[\]{}"]/g))
      expect([index, read(code.slice(0, index) + code.slice(index + 1))]).toEqual([
        index,
        expect.objectContaining({ words: expect.any(String) }),
      ])
  })

  test('hostile texts are read in one pass', () => {
    for (const row of [
      '{',
      '[',
      '"$',
      '<<a\n',
      '/*',
      '#',
      '$',
      '\\"',
      ' ',
      '\n',
      '1,',
      '{a=[',
      '<<a\n  b\n',
      '-',
    ])
      for (const text of [row.repeat(50_000), `[${row.repeat(50_000)}`, `[<<b\n${row.repeat(50_000)}`])
        read(text)
  })
})

describe('lines of assignments', () => {
  test('are read with their places', () => {
    const text = '\ufeff# A file.\nregion = "eu"\r\n\nsizes = [\n  1, 2\n]\ntext = <<EOT\nx\nEOT\n'
    const { assignments, mistakes } = parseAssignments(text)
    expect(mistakes).toEqual([])
    expect(assignments.map(({ name, value, at, end }) => [name, plain(value), text.slice(at, end)])).toEqual([
      ['region', 'eu', 'region = "eu"'],
      ['sizes', [1, 2], 'sizes = [\n  1, 2\n]'],
      ['text', 'x\n', 'text = <<EOT\nx\nEOT\n'],
    ])
  })

  test('each mistake is found, and the other lines are read', () => {
    const text = 'a = b\nc = 1\nd {\n}\ne = 2\nc = 3\n= 4\nf\ng = "h" i\nj = 5\nk =\n1\nl = [1,\n'
    const { assignments, mistakes } = parseAssignments(text)
    expect(assignments.map(({ name }) => name)).toEqual(['c', 'e', 'j'])
    expect(mistakes.map(({ at, words }) => [text.slice(0, at).split('\n').length, words])).toEqual([
      [1, 'has a word without quotes'],
      [3, 'has a block where `name = value` is expected'],
      [4, 'has no name where `name = value` is expected'],
      [6, 'has this name twice'],
      [7, 'has no name where `name = value` is expected'],
      [8, 'has a name without `=` and a value'],
      [9, 'has something else where the end of the line is expected'],
      [11, 'has a name without a value on its line'],
      [12, 'has no name where `name = value` is expected'],
      [13, 'has a "[" that is never closed'],
    ])
  })

  test('of an empty file are none', () => {
    for (const text of ['', '\n', '# c', '/* c */'])
      expect(parseAssignments(text)).toEqual({ assignments: [], mistakes: [] })
  })
})

/** Random code, with every form that a literal may have. */
const arbitraryCode = (() => {
  const space = fc.constantFrom('', ' ', '\t', ' /* c */ ')
  const lines = fc.constantFrom('', ' ', '\n', '\r\n', ' # c\n', ' // x\n', '/* a\nb */', '\n\n  ')
  const separator = fc.constantFrom('\n', '\r\n', ' # c\n', ' , ', ',\n', ', # c\n')
  const sign = fc.constantFrom(...'ab%{}[$"\\\n\t #/<=\''.split(''), '\u00e9', 'e\u0301', '\u{1f600}')
  const quoted = fc.array(sign, { maxLength: 8 }).map(signs => {
    const text = signs.join('').replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
    return `"${text.replace(/([$%])(?=\{)/g, '$1$1')}"`
  })
  const number = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom('0', '-0', '01', '1.50', '1e3', '1E-2', '-2.5e+1', '- 3'),
  )
  const line = fc
    .array(fc.constantFrom('a', '  ', '\t', '"', '$', '$${', '%', '%%{', '\\n', '#', 'E '), { maxLength: 5 })
    .map(parts => parts.join(''))
  const heredoc = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.array(line, { maxLength: 4 }),
      fc.constantFrom('', '  ', '\t'),
      fc.constantFrom('\n', '\r\n'),
    )
    .map(
      ([dash, rows, indent, end]) =>
        `<<${dash}EOT${end}${rows.map(row => row + end).join('')}${indent}EOT${end}`,
    )
  const key = fc.oneof(fc.constantFrom('a', 'a-b', 'true', 'null', '\u00e9', '1', '1.5', '-2'), quoted)
  return fc.letrec<{ value: string; list: string; map: string }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      quoted,
      number,
      fc.constantFrom('true', 'false', 'null', '"\\u00e9\\U0001F600\\r"'),
      heredoc,
      tie('list'),
      tie('map'),
    ),
    list: fc
      .tuple(fc.array(fc.tuple(lines, tie('value'), lines), { maxLength: 4 }), fc.boolean(), lines)
      .map(
        ([items, trails, end]) =>
          `[${items.map(item => item.join('')).join(',')}${trails && items.length > 0 ? ',' : ''}${end}]`,
      ),
    map: fc
      .tuple(
        lines,
        fc.array(fc.tuple(key, space, fc.constantFrom('=', ':'), space, tie('value'), space, separator), {
          maxLength: 4,
        }),
      )
      .map(
        ([begin, entries]) =>
          `{${begin}${entries.map(([name, a, is, b, value, c, next]) => `${name}${a}${is}${b}${value}${value.endsWith('\n') ? '' : c + next}`).join('')}}`,
      ),
  })).value
})()

test('every random literal is read', () => {
  fc.assert(
    fc.property(arbitraryCode, code => {
      expect(parseLiteral(code)).toHaveProperty('value')
    }),
  )
})

const hasTerraform = spawnSync('terraform', ['version']).status === 0

// Terraform itself is the oracle; a machine without it cannot ask.
describe.skipIf(!hasTerraform)('Terraform', () => {
  let place = ''
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'setpoint-terraform-'))
    writeFileSync(join(place, 'main.tf'), 'variable "v" {\n  type = any\n}\n')
  })
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  /** The value of the code as Terraform reads it from a file of variables; `undefined` if it refuses it. */
  const evaluated = (code: string): unknown => {
    writeFileSync(join(place, 'v.tfvars'), `v = ${code}\n`)
    const { status, stdout, stderr } = spawnSync(
      'terraform',
      ['console', '-no-color', '-var-file=v.tfvars'],
      {
        cwd: place,
        // The console writes some characters in a form that JSON does not have.
        input: 'base64encode(jsonencode({ v = var.v }))\n',
        encoding: 'utf8',
      },
    )
    return status === 0 && !stderr.includes('Error')
      ? JSON.parse(Buffer.from(JSON.parse(stdout), 'base64').toString()).v
      : undefined
  }

  test('has the same value for every random literal', () => {
    fc.assert(
      fc.property(arbitraryCode, code => {
        expect(evaluated(code)).toEqual(read(code))
      }),
      { numRuns: 40 },
    )
  })

  test('refuses what is damaged, unless it would compute it', () => {
    const inserted = fc.constantFrom('', ...'{}[]",=a1 $-\\#.\'('.split(''), '\n', '\u00a0', '<<E\n')
    fc.assert(
      fc.property(arbitraryCode, fc.nat(), inserted, (code, at, text) => {
        const place = at % (code.length + 1)
        const damaged = code.slice(0, place) + text + code.slice(place + (text === '' ? 1 : 0))
        // No file and no service has half of a character.
        fc.pre(!/\p{Surrogate}/u.test(damaged))
        const parsed = parseLiteral(damaged)
        const theirs = evaluated(damaged)
        if ('value' in parsed) expect(theirs).toEqual(plain(parsed.value))
        else if (theirs !== undefined)
          expect(['computed', 'template', 'reference', 'word']).toContain(parsed.mistake.kind)
      }),
      { numRuns: 60 },
    )
  })

  test.each(
    WRONG.filter(([code, , , kind]) => (kind === undefined || kind === 'late') && code.length < 100).map(
      ([code]) => code,
    ),
  )('refuses %j', code => {
    expect(evaluated(code)).toBeUndefined()
  })
})
