import { describe, expect, test } from 'vitest'
import { imbalanceOf, quotedHcl } from '../../src/config/hcl.ts'
import { loadText, variable } from './load-text.ts'

describe('data is written as jsonencode writes it', () => {
  test.each([
    // The results of jsonencode in Terraform's console for the same values.
    ['[subnet-a, subnet-b]', '["subnet-a","subnet-b"]'],
    ['{ b: 1, a: 2 }', '{"a":2,"b":1}'],
    ['{ B: 1, a: 2, A: 3, "10": 4, "9": 5, é: 6, z: 7 }', '{"10":4,"9":5,"A":3,"B":1,"a":2,"z":7,"é":6}'],
    ['{ "\\U0001F600": 1, "\\uE000": 2 }', '{"\ue000":2,"😀":1}'],
    ['[true, False, null, ~]', '[true,false,null,null]'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[[], [[]], { a: [] }]', '[[],[[]],{"a":[]}]'],
    ['"<a href=\'x\'>&</a>"', '"\\u003ca href=\'x\'\\u003e\\u0026\\u003c/a\\u003e"'],
    ['"a\\u2028b\\u2029c"', '"a\\u2028b\\u2029c"'],
    ['"q\\"b\\\\s/"', '"q\\"b\\\\s/"'],
    ['"\\n\\r\\t\\b\\f\\e\\x7f\\u0080"', '"\\n\\r\\t\\u0008\\u000c\\u001b\u007f\u0080"'],
    ['é日😀', '"é日😀"'],
    ['[yes, no, on, 2026-11-21, 1:20]', '["yes","no","on","2026-11-21","1:20"]'],
    ['"1.10"', '"1.10"'],
    ['""', '""'],
  ])('%s', async (data, hcl) => {
    expect(await variable(`V: { data: ${data} }`)).toEqual({
      key: 'terraform/V',
      value: { text: hcl },
      description: '',
      hcl: true,
    })
  })

  test('numbers keep their source text', async () => {
    const numbers = '0 -0 7 -7 1.10 100000000000000000000000001 0.1 1e3 1E+3 1.5e-7 -12.50'.split(' ')
    expect((await variable(`V: { data: [${numbers.join(', ')}] }`))?.value).toEqual({ text: `[${numbers}]` })
  })

  test.each(['01', '+1', '.5', '5.', '0x1f', '0o17', '.inf', '-.inf', '.nan', '1.e3', '-01'])(
    'the number %s is not valid in HCL',
    async text => {
      const { diagnostics } = await loadText(
        `variableSets: { one: { terraform: { V: { data: [${text}] } } } }\n`,
      )
      expect(diagnostics.map(({ code }) => code)).toEqual(['invalid-hcl'])
    },
  )

  test('blocks and nested collections', async () => {
    const text = (
      await variable(
        'V:\n  data:\n    - name: a\n      text: |\n        x\n        y\n    - >-\n      folded\n      text\n',
      )
    )?.value
    expect(text).toEqual({ text: '[{"name":"a","text":"x\\ny\\n"},"folded text"]' })
  })
})

describe('template signs are escaped', () => {
  test.each([
    ['${x}', '"$${x}"'],
    ['%{if}', '"%%{if}"'],
    ['$x %d $ % {a}', '"$x %d $ % {a}"'],
    ['a${b}${c}', '"a$${b}$${c}"'],
    // A sign before the escape would become part of it.
    ['$${x}', '"\\u0024$${x}"'],
    ['%${x}', '"\\u0025$${x}"'],
    ['$%%{x}', '"\\u0024\\u0025%%{x}"'],
    ['$'.repeat(5), '"$$$$$"'],
    ['${', '"$${"'],
  ])('%s', (text, hcl) => {
    expect(quotedHcl(text)).toBe(hcl)
  })

  test('also in keys', async () => {
    expect((await variable("V: { data: { '${k}': '%{v}' } }"))?.value).toEqual({ text: '{"$${k}":"%%{v}"}' })
  })
})

test('`hcl` is used unchanged', async () => {
  expect(await variable(`V: { hcl: '{ team = "\${var.x}" }', description: Tags }`)).toEqual({
    key: 'terraform/V',
    value: { text: '{ team = "${var.x}" }' },
    description: 'Tags',
    hcl: true,
  })
})

describe('truncated or unbalanced HCL', () => {
  const VALID = [
    '{ team = "core" }',
    'null',
    '""',
    '[for k, v in var.m : "${k}=${v}" if v != "}"]',
    '"a ${b["c"]} ${ { d = "}" }["d"] } e"',
    '"$${ %%{ $$${ $ % 100% {"',
    '"\\" \\\\"',
    '"%{ if a }b%{ else }c%{ endif ~}"',
    '{ # } not the end\n  a = 1 // ]\n  /* " ${ */ b = 2\n}',
    '<<EOT\nany " text ( [ {\n  EOTX\nEOT\n',
    '{\n  a = <<-EOT\n    x ${join(",", [<<IN\n } "\n IN\n ])} y\n    $EOT $${ %%{\n  EOT\n}',
    '{\r\n  a = <<EOT\r\nx }\r\nEOT\r\n}',
    '<<EOT\nEOT',
    '1 / 2 < 3 ? [4 % 5] : []',
    'jsonencode({ a = "it\'s" })',
    'templatefile("x", {}) # "',
  ]
  test.each(VALID)('is not reported for valid HCL: %j', code => {
    expect(imbalanceOf(code)).toBeUndefined()
  })

  test.each([
    ['{ a = ', 0, 'has a "{" that is never closed'],
    ['{ a = [1, 2 }', 12, 'has a "}" that is where "]" is expected'],
    ['[1]]', 3, 'has a "]" that closes nothing'],
    ['"a', 0, 'has a quote that is never closed'],
    ['{ a = "b\n}', 6, 'has a quote that is not closed on its line'],
    ['"a ${b"', 6, 'has a quote that is never closed'],
    ['"%{ if a "', 9, 'has a quote that is never closed'],
    ['<<EOT\nx\n${a}EOT\n', 0, 'has a heredoc that never ends (no line is EOT alone)'],
    ['{ /* }', 2, 'has a comment that never ends'],
    ['{ a = 1 # }', 0, 'has a "{" that is never closed'],
    ['<<A\n${x', 4, 'has a "${" that is never closed'],
  ])('is reported: %j', (code, at, words) => {
    expect(imbalanceOf(code)).toEqual({ at, words })
  })

  test('is reported if any bracket or quote of valid HCL is removed', () => {
    const code = '{ a = ["b", (c)], d = { e = f["g"] } }'
    for (const { index } of code.matchAll(/[[\](){}"]/g))
      expect([index, imbalanceOf(code.slice(0, index) + code.slice(index + 1))]).not.toContain(undefined)
  })

  test('is found in one pass, even in hostile text', () => {
    for (const row of ['{', '"${', '<<a\n', '/*', '#', '$', '"$', '<<a\n  b\n', '\\"'])
      imbalanceOf(row.repeat(50_000))
  })

  test('is an error at its line', async () => {
    const reported = async (code: string) =>
      (await loadText(`variableSets:\n  one:\n    terraform:\n      a: { hcl: ${JSON.stringify(code)} }\n`))
        .diagnostics
    expect(await reported('{ a = ')).toEqual([
      {
        severity: 'error',
        code: 'invalid-hcl',
        message: 'The HCL has a "{" that is never closed.',
        hint: 'Correct it, or write `data:` and let Setpoint write the HCL. With this value, every run of a workspace that has the set fails.',
        source: { path: 'sets/a.yaml', line: 4, column: 12 },
      },
    ])
    expect((await reported('{\n  a = [\n}\n'))[0]?.message).toBe(
      'The HCL has a "}" that is where "]" is expected, in its line 3.',
    )
  })
})
