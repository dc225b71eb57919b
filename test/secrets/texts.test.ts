import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Findings } from '../../src/model/findings.ts'
import { formatOf, readSecretFile } from '../../src/secrets/texts.ts'
import { read } from './read.ts'

describe('the format of a source', () => {
  test.each([
    ['a.json', 'A=b', 'json'],
    ['A.JSON', '', 'json'],
    ['a.yaml', 'A=b', 'yaml'],
    ['dir.env/a.yml', 'A=b', 'yaml'],
    ['prod.env', 'A: b', 'dotenv'],
    ['.env', 'A: b', 'dotenv'],
    ['/x/.env.local', 'A: b', 'dotenv'],
    ['secrets', '# a comment\n\n  export A_1 = b', 'dotenv'],
    ['secrets', 'A: b=c', 'yaml'],
    ['secrets', '{"A": "b=c"}', 'yaml'],
    ['standard input', '---\nA: b\n', 'yaml'],
    ['standard input', '', 'yaml'],
  ])('%s with content %j is %s', (path, text, wanted) => {
    expect(formatOf({ path, text })).toBe(wanted)
  })

  test('is detected from the content if the name has no known extension', () => {
    const sources = ['A: "1"\nB: two\n', '{\n\t"A": "1",\n\t"B": "two"\n}\n', 'A=1\nB=two\n']
    expect(sources.map(text => read('secrets', text).texts)).toEqual(
      sources.map(() => ({ A: '1', B: 'two' })),
    )
  })
})

describe('values', () => {
  test('of YAML are the source text of numbers and booleans, and otherwise unchanged', () => {
    const { texts, said } = read(
      'a.yaml',
      [
        'INTEGER: 0123',
        'FLOAT: 1.10',
        'BIG: 12345678901234567890',
        'TRUE: yes',
        'BOOL: True',
        "QUOTED: 'it''s'",
        'ESCAPED: "a\\tb\\u00e9"',
        'BLOCK: |',
        '  line 1',
        '  line 2',
        'EMPTY: ""',
        'WORD: "null"',
        '__proto__: x',
        '',
      ].join('\n'),
    )
    expect(said).toEqual([])
    expect(Object.entries(texts)).toEqual([
      ['INTEGER', '0123'],
      ['FLOAT', '1.10'],
      ['BIG', '12345678901234567890'],
      ['TRUE', 'yes'],
      ['BOOL', 'True'],
      ['QUOTED', "it's"],
      ['ESCAPED', 'a\tb\u00e9'],
      ['BLOCK', 'line 1\nline 2\n'],
      ['EMPTY', ''],
      ['WORD', 'null'],
      ['__proto__', 'x'],
    ])
  })

  test('of JSON are the same, with the escapes of JSON', () => {
    const { texts, said } = read(
      'a.json',
      '{\n\t"N": 1.10,\t"E": -1e5, "B": false,\r\n\t"S": "a\\/b\\ud83d\\ude00\\n", "#": "# no comment"\n}\n',
    )
    expect(said).toEqual([])
    expect(texts).toEqual({ N: '1.10', E: '-1e5', B: 'false', S: 'a/b\u{1f600}\n', '#': '# no comment' })
  })

  test.each([
    ['a map', 'a.yaml', 'A:\n  B: c\n', ['2:3 error wrong-type A secret must be a string, not a map.']],
    ['a list', 'a.yaml', 'A: [x]\n', ['1:4 error wrong-type A secret must be a string, not a list.']],
    [
      'an explicit null',
      'a.yaml',
      'A: null\nB: ~\n',
      ['1:4 error null-value A value is missing.', '2:4 error null-value A value is missing.'],
    ],
    ['a missing value', 'a.yaml', 'A:\n', ['1:3 error null-value A value is missing.']],
    ['null in JSON', 'a.json', '{"A": null}', ['1:7 error null-value A value is missing.']],
    [
      'a map in JSON',
      'a.json',
      '{"A": {"B": 1}}',
      ['1:7 error wrong-type A secret must be a string, not a map.'],
    ],
    [
      'a list at the top level',
      'a.yaml',
      '- hunter2\n',
      ['1:1 error wrong-type This is not a map of names to strings.'],
    ],
    [
      'a string at the top level',
      'a.json',
      '"hunter2"',
      ['1:1 error wrong-type This is not a map of names to strings.'],
    ],
    [
      'a duplicate name in JSON',
      'a.json',
      '{"A": 1,\n "A": 2}',
      ['2:2 error duplicate-key This name is already on line 1.'],
    ],
    [
      'a duplicate name in YAML',
      'a.yaml',
      'A: 1\nB: 2\nA: 1\n',
      ['3:1 error duplicate-key This name is already on line 1.'],
    ],
    ['YAML in a .json file', 'a.json', 'A: b\n', ['1:1 error secret-syntax This is not JSON.']],
    ['a superfluous comma', 'a.json', '{"A": 1,}', ['1:1 error secret-syntax This is not JSON.']],
    ['truncated JSON', 'a.json', '{"A": "hunter2', ['1:7 error secret-syntax This is not JSON.']],
    [
      'an anchor',
      'a.yaml',
      'A: &x hunter2\nB: *x\n',
      [
        '1:4 error yaml-feature An anchor (`&…`) is not supported.',
        '2:4 error yaml-feature An alias (`*…`) is not supported.',
      ],
    ],
    [
      'a quote that is never closed',
      'a.yaml',
      'A: "hunter2\n',
      ['1:4 error yaml-syntax A quote or bracket is opened here and never closed.'],
    ],
    ['an empty source', 'a.yaml', ' \n\n', ['1:1 error missing-key The source of secrets is empty.']],
    [
      'U+0000',
      'a.json',
      '{"A": "x\\u0000"}',
      ['1:2 error wrong-value A secret cannot contain the character U+0000 or half of a surrogate pair.'],
    ],
    [
      'half of a surrogate pair',
      'a.json',
      '{"A": "\\ud83d"}',
      ['1:2 error wrong-value A secret cannot contain the character U+0000 or half of a surrogate pair.'],
    ],
    [
      'a value encrypted by SOPS',
      'a.yaml',
      'A: ENC[AES256_GCM,data:c2VjcmV0,iv:x,tag:y,type:str]\n',
      ['1:1 error wrong-value The value is still encrypted by SOPS.'],
    ],
    [
      'a value encrypted by SOPS, in dotenv',
      'a.env',
      'A=ENC[AES256_GCM,data:c2VjcmV0,type:str]\n',
      ['1:1 error wrong-value The value is still encrypted by SOPS.'],
    ],
  ])('rejects %s, with its place', (_, path, text, wanted) => {
    expect(read(path, text).said).toEqual(wanted)
  })

  test('reports the place of the first invalid UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('A: x\nB: '), Buffer.from([0xff, 0xfe])])
    expect(read('a.yaml', bytes).said).toEqual([
      '2:4 error yaml-syntax The file is not valid UTF-8 from here on.',
    ])
  })
})

/** Everything in a source that a message could repeat, including names, because a malformed line may be a secret. */
const SOURCES = {
  'a.json':
    '{\n  "NAMEHUNTER": "texthunter\\n2",\n  "OTHERHUNTER": 12345.678,\n  "LASTHUNTER": "a:b{hunter}"\n}\n',
  'a.yaml':
    'NAMEHUNTER: "texthunter\\n2"\nOTHERHUNTER: |\n  blockhunter\n  # hunter\nLASTHUNTER: plainhunter: x\n'.replace(
      ': x',
      '',
    ),
  'a.env':
    'NAMEHUNTER="texthunter2"\nexport OTHERHUNTER=\'block\nhunter\'\nLASTHUNTER=plainhunter\n# hunter\n',
}
const DAMAGE = [
  '',
  '"',
  "'",
  '{',
  '}',
  '[',
  ':',
  ': ',
  ',',
  '\\',
  '\n',
  '\t',
  '#',
  '&a ',
  '*a',
  '!t ',
  '|',
  '=',
  '\0',
  '\u001b',
  '%',
  '- ',
  '? ',
  '<<: ',
  '\ud800',
]

describe('a malformed source', () => {
  test.each(Object.entries(SOURCES))(
    '%s is never quoted in messages, wherever it is damaged',
    (path, text) => {
      expect(read(path, text).said).toEqual([])
      let broken = 0
      for (let at = 0; at <= text.length; at++)
        for (const damage of DAMAGE)
          for (const length of [0, 1, 5]) {
            const { diagnostics } = read(path, text.slice(0, at) + damage + text.slice(at + length))
            if (diagnostics.length > 0) broken++
            expect(diagnostics.map(({ message, hint }) => `${message} ${hint}`).join()).not.toMatch(
              /hunter|12345|block\b/i,
            )
          }
      expect(broken).toBeGreaterThan(1000)
    },
  )
})

const dotenv = (text: string) => read('x.env', text)
const texts = (text: string) => {
  const { texts, said } = dotenv(text)
  expect(said).toEqual([])
  return texts
}

describe('a dotenv file', () => {
  test.each([
    ['a plain line', 'A=b', { A: 'b' }],
    ['a missing final newline, and Windows line endings', 'A=b\r\nC=d\r\n', { A: 'b', C: 'd' }],
    ['a byte order mark', '\ufeffA=b\n', { A: 'b' }],
    ['export, with blanks before it', '  export  A=b\n', { A: 'b' }],
    ['a name that begins with export', 'exported=b\nexport=c\n', { exported: 'b', export: 'c' }],
    ['blanks around the equals sign and at the end', 'A \t = \t b \t \n', { A: 'b' }],
    ['blanks inside', 'A=b c\td\n', { A: 'b c\td' }],
    ['blank lines and comments', '\n# A=x\n  # B=y\n\t\nA=b\n', { A: 'b' }],
    ['the empty string, in four ways', 'A=\nB=\'\'\nC=""\nD=  \n', { A: '', B: '', C: '', D: '' }],
    ['a # without a blank before it', 'A=b#c\nB=#c\n', { A: 'b#c', B: '#c' }],
    [
      '$ and backquotes, which other tools expand',
      'A=$B\nC=${D}\nE="${F} $G"\nH=`i`\n',
      {
        A: '$B',
        C: '${D}',
        E: '${F} $G',
        H: '`i`',
      },
    ],
    [
      'quotes inside',
      `A=it's\nB=a"b"\nC='say "x"'\nD="it's"\n`,
      { A: "it's", B: 'a"b"', C: 'say "x"', D: "it's" },
    ],
    [
      'a backslash without quotes and in single quotes',
      "A=C:\\new\nB='C:\\new\\'\n",
      { A: 'C:\\new', B: 'C:\\new\\' },
    ],
    ['several lines in quotes', 'A=\'x\ny=z\n\'\nB="p\r\nq"\n', { A: 'x\ny=z\n', B: 'p\r\nq' }],
    ['blanks and a comment after a quote', "A='b' # c\nB=\"d\"\t\nC='e'#f\n", { A: 'b', B: 'd', C: 'e' }],
    ['several equals signs', 'A=b=c==\n', { A: 'b=c==' }],
    ['whitespace other than blanks', 'A=\u00a0b\u00a0\n', { A: '\u00a0b\u00a0' }],
  ])('accepts %s', (_, text, wanted) => {
    expect(texts(text)).toEqual(wanted)
  })

  test.each([
    [
      'a line without an equals sign',
      'A=b\nhunter2\n',
      ['2:1 error secret-syntax This line is not NAME=value.'],
    ],
    ['an export alone', 'export A\n', ['1:1 error secret-syntax This line is not NAME=value.']],
    [
      'a name with invalid characters',
      '1A=b\nA-B=c\nA.B=d\n',
      [
        '1:1 error secret-syntax This line is not NAME=value.',
        '2:1 error secret-syntax This line is not NAME=value.',
        '3:1 error secret-syntax This line is not NAME=value.',
      ],
    ],
    [
      'a single quote that is never closed',
      "A=b\nC='d\nE=f\n",
      ['2:3 error secret-syntax A quote is opened here and never closed.'],
    ],
    [
      'a double quote that is never closed',
      'A="d\nE=f\n',
      ['1:3 error secret-syntax A quote is opened here and never closed.'],
    ],
    ...['n', 'r', 't', '"', '\\', '$', 'q', 'u0041'].map(
      sign =>
        [
          `\\${sign} in double quotes`,
          `A="a\\${sign}b"\n`,
          ['1:5 error secret-syntax Double quotes do not support escapes.'],
        ] satisfies [string, string, string[]],
    ),
    [
      'a path of Windows in double quotes',
      'A="C:\\new"\nB=c\n',
      ['1:6 error secret-syntax Double quotes do not support escapes.'],
    ],
    [
      'a # behind a blank, which may begin a comment',
      'A=b # c\nB={"k":"v # x"}\n C=b\t#c\nD= # c\nE=a#b #c\n',
      ['1:5', '2:11', '3:6', '4:4', '5:7'].map(
        at => `${at} error secret-syntax After a blank, a \`#\` may begin a comment or belong to the value.`,
      ),
    ],
    [
      'a quote inside the same kind of quotes',
      'A=\'it\'s\'\nB="say "x""\n',
      [
        '1:7 error secret-syntax Something follows the closing quote.',
        '2:9 error secret-syntax Something follows the closing quote.',
      ],
    ],
    [
      'text after a closing quote',
      "A='b'c\nB=d\n",
      ['1:6 error secret-syntax Something follows the closing quote.'],
    ],
    [
      'a duplicate name',
      'A=b\nC=d\n export A=e\n',
      ['3:9 error duplicate-key This name is already on line 1.'],
    ],
    [
      'a duplicate name that begins like `export`',
      'ex=b\nexport ex=c\n',
      ['2:8 error duplicate-key This name is already on line 1.'],
    ],
  ] satisfies [string, string, string[]][])('rejects %s, with its place', (_, text, wanted) => {
    expect(dotenv(text).said).toEqual(wanted)
  })

  test.each([
    ['A=b # c\n', "A='b' # c\n", 'b'],
    ['A={"k":"v # x"}\n', `A='{"k":"v # x"}'\n`, '{"k":"v # x"}'],
    ['A="C:\\new"\n', "A='C:\\new'\n", 'C:\\new'],
    ['A="one\\ntwo"\n', "A='one\ntwo'\n", 'one\ntwo'],
    ["A='it's'\n", `A="it's"\n`, "it's"],
    ['A=first\nsecond\n', "A='first\nsecond'\n", 'first\nsecond'],
    ['A="say "x""\n', `A='say "x"'\n`, 'say "x"'],
  ])('refuses %j, and takes what the hint says: %j', (refused, written, value) => {
    const findings = new Findings()
    readSecretFile('x.env', Buffer.from(refused), findings)
    expect(findings.sorted().map(({ hint }) => hint)).toEqual([
      expect.stringMatching(/^(?:Quote the value|(?:Use|Put .* in) (?:single|double) quotes)/),
    ])
    expect(texts(written)).toEqual({ A: value })
  })

  test('reports every line, of a kind the first hundred', () => {
    expect(dotenv('x\n'.repeat(40)).said).toHaveLength(40)
    expect(dotenv('x\n'.repeat(140)).said).toHaveLength(100)
  })

  test('reads every value that is correctly quoted', () => {
    const quoted = (text: string) => (text.includes("'") ? `"${text}"` : `'${text}'`)
    // The values that a source may contain.
    const text = fc
      .string({ unit: 'grapheme' })
      .filter(value => !/[^\P{Cc}\n\t]/u.test(value) && !(value.includes("'") && /["\\]/.test(value)))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), values => {
        const lines = values.map((value, index) => `K${index}=${quoted(value)} # "c"\n`)
        expect(texts(`# begin\n${lines.join('')}`)).toEqual(
          Object.fromEntries(values.map((value, index) => [`K${index}`, value])),
        )
      }),
      { seed: 20261121, numRuns: 300 },
    )
  })

  test('reads megabytes of each kind of line', () => {
    const many = 200_000
    expect(Object.keys(texts(Array.from({ length: many }, (_, i) => `K${i}="v"\n`).join('')))).toHaveLength(
      many,
    )
    expect(texts(`A="${'\n'.repeat(10 * many)}"`).A).toHaveLength(10 * many)
    expect(texts(`A='${'x'.repeat(many)}'`).A).toHaveLength(many)
    expect(texts(`A=x${' '.repeat(many)}y${' '.repeat(many)}`).A).toHaveLength(many + 2)
    expect(texts(`${' \n'.repeat(many)}A=b`)).toEqual({ A: 'b' })
  })
})
