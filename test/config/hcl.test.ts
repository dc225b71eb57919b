import { describe, expect, test } from 'vitest'
import { quotedHcl } from '../../src/config/hcl.ts'
import { parseLiteral } from '../../src/config/hcl-literal.ts'
import { plain } from '../support/plain-hcl.ts'
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
  expect(await variable(`V: { hcl: '{ team = "\\u0061"  }', description: Tags }`)).toEqual({
    key: 'terraform/V',
    value: { text: '{ team = "\\u0061"  }' },
    description: 'Tags',
    hcl: true,
  })
})

test('data is a literal value, which reads as what was written', async () => {
  const data = String.raw`{ a: ["x", 1.50, true, null], "b c": { "": "\u00e9 \"\\\t" }, "\${k}": "%{v}$\${w}" }`
  const written = (await variable(`V: { data: ${data.replaceAll('\\$', '$')} }`))?.value
  const parsed = parseLiteral(written !== undefined && 'text' in written ? written.text : '')
  expect('value' in parsed && plain(parsed.value)).toEqual({
    a: ['x', 1.5, true, null],
    'b c': { '': '\u00e9 "\\\t' },
    '${k}': '%{v}$${w}',
  })
})

describe('code that is no literal value is an error at its line', () => {
  const reported = async (code: string, key = 'region') =>
    (
      await loadText(
        `variableSets:\n  one:\n    terraform:\n      ${JSON.stringify(key)}: { hcl: ${JSON.stringify(code)} }\n`,
      )
    ).diagnostics

  test('with what to write', async () => {
    expect(await reported('eu-west-1')).toEqual([
      {
        severity: 'error',
        code: 'invalid-hcl',
        message: 'The HCL is a word without quotes.',
        hint: `For a string, write \`region: …\` without \`hcl\`, or put it in quotes: \`region: { hcl: '"…"' }\`.`,
        source: { path: 'sets/a.yaml', line: 4, column: 19 },
      },
    ])
    expect((await reported('{\n  a = [\n}\n'))[0]?.message).toBe(
      'The HCL has a "}" where a value is expected, in its line 3.',
    )
  })

  test.each([
    ['region', 'eu-west-1', ['region: eu-west-1', `region: { hcl: '"eu-west-1"' }`]],
    ['no', '10.0.0.0/16', ['"no": 10.0.0.0/16', `"no": { hcl: '"10.0.0.0/16"' }`]],
    ['day', '2026-11-28', ['day: 2026-11-28', `day: { hcl: '"2026-11-28"' }`]],
    ['text', '', ['text: ""']],
  ])('and each line of the hint is valid: %s', async (key, code, lines) => {
    const [found] = await reported(code, key)
    const hinted = [...(found?.hint ?? '').matchAll(/`([^`]*)`/g)]
      .map(([, line = '']) => line.replace('…', code))
      .filter(line => line !== 'hcl')
    expect(hinted).toEqual(lines)
    for (const line of lines) expect(await variable(line)).toBeDefined()
  })

  test.each([
    ['True', 'Write it in lower case.'],
    ['{ a = b }', 'Put the word in quotes.'],
    ['a = 1', 'Write only the value, which is what follows `=`.'],
    ['var.region', 'The value of a variable cannot refer to anything. Write the value itself.'],
    ['"a ${b}"', 'Write the text itself. For the characters `${` and `%{`, write `$${` and `%%{`.'],
    [
      'file("a")',
      'The value of a variable is not computed. Write the result, or write `data:` and let Setpoint write the HCL.',
    ],
    [
      '[1',
      'Correct it, or write `data:` and let Setpoint write the HCL. With this value, every run of a workspace that has the set fails.',
    ],
  ])('%j: %s', async (code, hint) => {
    expect((await reported(code)).map(found => found.hint)).toEqual([hint])
  })
})
