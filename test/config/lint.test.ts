import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { lintVariable } from '../../src/config/lint.ts'
import { NAMED_SHAPES, SHAPES } from '../../src/config/lint-shapes.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import { Findings } from '../../src/model/findings.ts'
import { HARMLESS, KNOWN, TELLING } from './lint-corpus/corpora.ts'
import { ORDINARY } from './lint-corpus/ordinary.ts'

const lint = (key: string, text: string): readonly Diagnostic[] => {
  const findings = new Findings()
  const source = { path: 'sets/a.yaml', line: 1, column: 1 }
  const variable = { key: `terraform/${key}`, value: { text }, ...NO_FIELDS, source } as const
  lintVariable(variable, false, findings)
  return findings.diagnostics
}
const severityOf = (key: string, text: string): string | undefined => lint(key, text)[0]?.severity

describe('the corpora', () => {
  test('every secret with a known format is an error', () => {
    expect(KNOWN.length).toBeGreaterThanOrEqual(150)
    const missed = KNOWN.filter(([, key, ...parts]) => severityOf(key, parts.join('')) !== 'error')
    expect(missed.map(([what, key]) => `${what} under ${key}`)).toEqual([])
  })

  test.each([
    ['in prose', (token: string) => `Ask the team before you replace ${token}, please.`],
    ['in JSON', (token: string) => JSON.stringify({ list: [{ value: token }] })],
    ['in HCL', (token: string) => `{ value = ${JSON.stringify(token)} }`],
    ['in a settings file', (token: string) => `# settings\nvalue=${token}\nother=1\n`],
    ['in a URL', (token: string) => `https://acme.example/?x=${token}&y=1`],
    ['after a placeholder', (token: string) => `AKIAIOSFODNN7EXAMPLE ${token}`],
  ])('also %s', (_, inside) => {
    // Formats that need the whole value or a name are left out.
    const named = NAMED_SHAPES.map(({ key }) => key)
    const alone = KNOWN.filter(([, key]) => !named.some(pattern => pattern.test(key)))
    expect(alone.length).toBeGreaterThanOrEqual(150)
    const missed = alone.filter(([, , ...parts]) => severityOf('value', inside(parts.join(''))) !== 'error')
    expect(missed.map(([what]) => what)).toEqual([])
  })

  test('at least 90 % of random values under suspicious names cause a warning', () => {
    expect(TELLING.length).toBeGreaterThanOrEqual(150)
    const found = TELLING.filter(([key, ...parts]) => severityOf(key, parts.join('')) !== undefined)
    expect(found.length / TELLING.length).toBeGreaterThanOrEqual(0.9)
  })

  test('no harmless value is an error, and at most 2 % cause a warning', () => {
    expect(HARMLESS.length).toBeGreaterThanOrEqual(150)
    const severities = HARMLESS.map(([key, ...parts]) => severityOf(key, parts.join('')))
    expect(HARMLESS.filter((_, at) => severities[at] === 'error')).toEqual([])
    const warned = severities.filter(severity => severity === 'warning').length
    expect(warned / HARMLESS.length).toBeLessThanOrEqual(0.02)
  })

  test('a random text after the beginning of a token is an error, of whatever length and alphabet', () => {
    const alphabets = [
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
      '0123456789abcdef',
      'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM',
    ]
    const beginnings = SHAPES.filter(({ isRandom }) => isRandom).flatMap(({ signs }) => signs)
    expect(beginnings.length).toBeGreaterThan(60)
    const tokens = beginnings.flatMap(beginning =>
      alphabets.flatMap(alphabet =>
        [16, 20, 32, 64].map(
          length =>
            beginning + [...randomBytes(length)].map(byte => alphabet[byte % alphabet.length]).join(''),
        ),
      ),
    )
    const missed = tokens.filter(token => severityOf('value', token) !== 'error')
    // One in a thousand looks like words.
    expect(missed.length).toBeLessThanOrEqual(tokens.length / 100)
  })

  test('none of a thousand ordinary values is taken for a secret', () => {
    expect(ORDINARY).toHaveLength(1000)
    expect(ORDINARY.filter(([key, text]) => severityOf(key, text) !== undefined)).toEqual([])
  })

  test.each([
    ['DB_PASSWORD', 'hunter2'],
    ['db_password', 'swordfish'],
    ['DB_PASSWORD_PROD', 'Sommer2024!'],
    ['PASSWORD', 'correct-horse'],
    ['rootPassword', 'Welcome1'],
    ['MYSQL_PWD', 'root'],
    ['passphrase', 'Tr0ub4dor'],
    ['JWT_SECRET', 'supersecret'],
    ['SECRET', 'abc123'],
    ['API_TOKEN', 'abc123'],
    ['db', '{"user":"app","password":"hunter2"}'],
    ['db', '{ user = "app", password = "hunter2" }'],
  ])('a password that a person chose causes a warning: %s %s', (key, text) => {
    expect(severityOf(key, text)).toBe('warning')
  })

  test.each([
    ['DB_PASSWORD', ''],
    ['DB_PASSWORD', 'true'],
    ['DB_PASSWORD', '12'],
    ['DB_PASSWORD', '86400'],
    ['DB_PASSWORD', '********'],
    ['DB_PASSWORD', 'see-vault'],
    ['DB_PASSWORD', 'prod/db/password'],
    ['DB_PASSWORD', 'https://vault.acme.example/db'],
    ['DB_PASSWORD', '${var.password}'],
    ['DB_PASSWORD', '@Microsoft.KeyVault(SecretUri=x1)'],
    ['PASSWORD_POLICY', 'strict1'],
    ['TLS_SECRET', 'wildcard-tls'],
    ['IMAGE_PULL_SECRET', 'regcred'],
    ['TOKEN_SOURCE', 'web1'],
    ['schema', '{"password":"string"}'],
  ])('a placeholder for a password causes no warning: %s %s', (key, text) => {
    expect(severityOf(key, text)).toBeUndefined()
  })

  test('no message quotes any part of the secret', () => {
    const all = [...KNOWN.map(([, ...rest]) => rest), ...TELLING]
    for (const [key = '', ...parts] of all) {
      const reported = lint(key, parts.join(''))
        .map(({ message, hint }) => `${message} ${hint}`)
        .join()
      const text = parts.join('')
      const pieces = Array.from({ length: text.length - 5 }, (_, at) => text.slice(at, at + 6))
      // Pieces without digits may be words that the message contains as well.
      expect(pieces.filter(piece => /[0-9]/.test(piece) && reported.includes(piece))).toEqual([])
    }
  })
})

describe('the rules', () => {
  const patterns = [
    ...SHAPES.map(({ name, pattern }) => [name, pattern] as const),
    ...NAMED_SHAPES.flatMap(({ name, key, value }) => [[name, key] as const, [name, value] as const]),
  ]

  test.each(patterns)(
    '%s: every repetition is bounded, so time grows linearly with the text',
    (_, { source }) => {
      const bare = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
      expect(bare).not.toMatch(/[*+]|\{\d*,\}/)
      // Nested repetitions multiply, so only small ones are allowed.
      for (const [, inner = '', most = ''] of bare.matchAll(/\(([^()]*\{\d[^()]*)\)\{(?:\d+,)?(\d+)\}/g))
        expect(`${inner} ${Number(most) <= 8}`).toBe(`${inner} true`)
    },
  )

  test('long texts of nothing but beginnings of secrets take linear time', () => {
    const beginnings = [
      ...SHAPES.flatMap(({ signs }) => signs),
      '-----BEGIN A A A PRIVATE KEY-----',
      'a://b:c',
      'eyJa.',
      'password="',
      'secret=',
    ]
    for (const beginning of beginnings) {
      const row = beginning.repeat(Math.ceil(20_000 / beginning.length))
      lint('password', row)
      lint('value', `${row} token = ${row}`)
    }
  })

  test.each(SHAPES)('$name: every match contains one of its signs', shape => {
    const texts = KNOWN.map(([, , ...parts]) => parts.join('')).filter(
      text => text.match(shape.pattern) !== null,
    )
    expect(texts.filter(text => !shape.signs.some(sign => text.includes(sign)))).toEqual([])
  })

  test('every format has a secret in the corpus', () => {
    const texts = KNOWN.map(([, , ...parts]) => parts.join(''))
    const unused = SHAPES.filter(({ pattern }) => !texts.some(text => text.match(pattern) !== null))
    expect(unused.map(({ name }) => name)).toEqual([])
  })
})
