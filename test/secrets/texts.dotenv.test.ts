import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { read } from './read.ts'

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
    ['a comment after a blank', 'A=b # c\nB=b\t#c\nC= # c\n', { A: 'b', B: 'b', C: '' }],
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
    ['escapes in double quotes', 'A="a\\nb\\tc\\rd\\"e\\\\f\\$g"\n', { A: 'a\nb\tc\rd"e\\f$g' }],
    ['several lines in quotes', 'A=\'x\ny=z\n\'\nB="p\r\nq"\n', { A: 'x\ny=z\n', B: 'p\r\nq' }],
    ['blanks and a comment after a quote', "A='b' # c\nB=\"d\"\t\nC='e'#f\n", { A: 'b', B: 'd', C: 'e' }],
    ['several equals signs', 'A=b=c==\n', { A: 'b=c==' }],
    ['white space other than blanks', 'A=\u00a0b\u00a0\n', { A: '\u00a0b\u00a0' }],
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
      'A="d\\"\nE=f\n',
      ['1:3 error secret-syntax A quote is opened here and never closed.'],
    ],
    [
      'an unknown escape',
      'A="a\\qb"\n',
      ['1:5 error secret-syntax Double quotes do not support this escape.'],
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
  ])('rejects %s, with its place', (_, text, wanted) => {
    expect(dotenv(text).said).toEqual(wanted)
  })

  test('stops after ten errors', () => {
    expect(dotenv('x\n'.repeat(40)).said).toHaveLength(10)
  })

  test('reads every value that is correctly quoted', () => {
    const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\r', '\\r')}"`
    // The values that a source may contain.
    const text = fc.string({ unit: 'grapheme' }).filter(value => !/[^\P{Cc}\n\r\t]/u.test(value))
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
    expect(texts(`A="${'\\n'.repeat(10 * many)}"`).A).toHaveLength(10 * many)
    expect(texts(`A='${'x'.repeat(many)}'`).A).toHaveLength(many)
    expect(texts(`A=x${' '.repeat(many)}y${' '.repeat(many)}`).A).toHaveLength(many + 2)
    expect(texts(`${' \n'.repeat(many)}A=b`)).toEqual({ A: 'b' })
  })
})
