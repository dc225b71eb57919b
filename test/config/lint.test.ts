import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEMO_FILES } from '../../src/cli/commands/demo-command.ts'
import { formatIn } from '../../src/config/credentials.ts'
import { lintVariable } from '../../src/config/lint.ts'
import { looksRandom, SHAPES } from '../../src/config/lint-shapes.ts'
import { loadDesired } from '../../src/config/load.ts'
import { resolvedYaml } from '../../src/config/write.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import { Findings } from '../../src/model/findings.ts'
import { HARMLESS, KNOWN, TELLING } from './lint-corpus/corpora.ts'
import { FORMS, NO_CREDENTIALS } from './lint-corpus/forms.ts'
import { ORDINARY } from './lint-corpus/ordinary.ts'
import { inDirectory, loaded, loadText } from './load-text.ts'

const lint = (key: string, text: string): readonly Diagnostic[] => {
  const findings = new Findings()
  const source = { path: 'sets/a.yaml', line: 1, column: 1 }
  const variable = { key: `terraform/${key}`, value: { text }, ...NO_FIELDS, source } as const
  lintVariable(variable, findings)
  return findings.diagnostics
}
const severityOf = (key: string, text: string): string | undefined => lint(key, text)[0]?.severity

describe('the corpora', () => {
  /** Those that have no format of their own, and are a warning because of their name and their look. */
  const isNamed = (key: string, parts: readonly string[]) =>
    formatIn(parts.join('')) === undefined && key !== ''

  test('every secret with a known format is an error, and one that only its name tells a warning', () => {
    expect(KNOWN.length).toBeGreaterThanOrEqual(150)
    const wrong = KNOWN.filter(
      ([, key, ...parts]) => severityOf(key, parts.join('')) !== (isNamed(key, parts) ? 'warning' : 'error'),
    )
    expect(wrong.map(([what, key]) => `${what} under ${key}`)).toEqual([])
    expect(KNOWN.filter(([, key, ...parts]) => isNamed(key, parts)).length).toBeLessThanOrEqual(18)
  })

  test.each([
    ['in prose', (token: string) => `Ask the team before you replace ${token}, please.`],
    ['in JSON', (token: string) => JSON.stringify({ list: [{ value: token }] })],
    ['in HCL', (token: string) => `{ value = ${JSON.stringify(token)} }`],
    ['in a settings file', (token: string) => `# settings\nvalue=${token}\nother=1\n`],
    ['in a URL', (token: string) => `https://acme.example/?x=${token}&y=1`],
    ['after a placeholder', (token: string) => `AKIAIOSFODNN7EXAMPLE ${token}`],
  ])('also %s', (_, inside) => {
    const alone = KNOWN.filter(([, key, ...parts]) => !isNamed(key, parts))
    expect(alone.length).toBeGreaterThanOrEqual(150)
    const missed = alone.filter(([, , ...parts]) => severityOf('value', inside(parts.join(''))) !== 'error')
    expect(missed.map(([what]) => what)).toEqual([])
  })

  test.each(FORMS)('a credential in the form of %s is found', (_, key, text) => {
    expect(severityOf(key, text)).toBeDefined()
  })

  test.each(NO_CREDENTIALS)('%s has no credential', (_, key, text) => {
    expect(lint(key, text)).toEqual([])
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

  test.each([
    ['x7Kq9ZpW2v', true],
    ['x7Kq9ZpWv', false],
    ['x7Kq 9ZpW2v', false],
    ['a1@b2@c3@d4@e5', true],
    ['1-a-2-b-3-c-4-d-5-e', false],
    // Digits in a row, and words that begin with a capital.
    ['20261128123456', false],
    ['inOnAtItIsAsOfToMeWe', false],
  ])('whether a text looks random: %s', (text, isRandom) => {
    expect(looksRandom(text)).toBe(isRandom)
  })

  test('a text looks random up to 4096 characters', () => {
    const text = 'x7Kq9ZpW2v'.repeat(410)
    expect([4096, 4097].map(length => looksRandom(text.slice(0, length)))).toEqual([true, false])
  })

  test('none of a thousand ordinary values is taken for a secret', () => {
    expect(ORDINARY).toHaveLength(1000)
    expect(ORDINARY.filter(([key, text]) => severityOf(key, text) !== undefined)).toEqual([])
  })

  test.each([
    ['DB_PASSWORD', 'hunter2'],
    ['DB_PASSWORD_2', 'hunter2'],
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

  test.each(['PUBLIC_TOKEN', 'token_fingerprint', 'max_password', 'secret_hash'])(
    'a name like %s announces something about a secret, and none',
    name => {
      const value = 'q8Zr2LxN5vTk9WbY3mHs'
      expect([severityOf(name, value), severityOf('TOKEN', value)]).toEqual([undefined, 'warning'])
    },
  )

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
  const patterns = SHAPES.map(({ name, pattern }) => [name, pattern] as const)

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
    const texts = [...KNOWN.map(([, , ...parts]) => parts.join('')), ...FORMS.map(([, , text]) => text)]
    const unused = SHAPES.filter(({ pattern }) => !texts.some(text => text.match(pattern) !== null))
    expect(unused.map(({ name }) => name)).toEqual([])
  })
})

/** A token with a known format, one with a suspicious name only, and a value with neither. */
const TOKEN = ['gh', 'p_', 'x8Kd02LmQz7RtV5bN1cW', 'y6HsJ4fPgA3eT9uB'].join('')
const RANDOM = ['q7Wz-pX2', 'mL9vT4kR'].join('')

const set = (body: string): string => `variableSets:\n  one:\n${body.replaceAll(/^/gm, '    ')}\n`
const reported = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<string[]> => {
  const { diagnostics } = await loadText({ 'sets/a.yaml': text, ...files })
  return diagnostics.map(
    ({ severity, code, message, source }) =>
      `${source?.line}:${source?.column} ${severity} ${code} ${message}`,
  )
}

describe('where a secret is found', () => {
  const holds = (label: string): string => `error looks-like-a-secret ${label} contains a GitHub token.`

  test.each([
    ['the short form', `env:\n  A: ${TOKEN}`, `4:7 ${holds('The value of "A"')}`],
    ['the long form', `env:\n  A: { value: ${TOKEN} }`, `4:7 ${holds('The value of "A"')}`],
    ['HCL', `terraform:\n  a: { hcl: '{ x = "${TOKEN}" }' }`, `4:7 ${holds('The value of "a"')}`],
    ['data', `terraform:\n  a: { data: { x: [1, ${TOKEN}] } }`, `4:7 ${holds('The value of "a"')}`],
    ['a file', 'terraform:\n  a: { file: x.txt }', `4:7 ${holds('The value of "a"')}`],
    [
      'a description',
      `env:\n  A: { value: x, description: "for ${TOKEN}" }`,
      `4:7 ${holds('The description of "A"')}`,
    ],
    [
      'a description of a secret',
      `env:\n  A: { secret: A, description: "for ${TOKEN}" }`,
      `4:7 ${holds('The description of "A"')}`,
    ],
    [
      'a description of an external',
      `env:\n  A: { external: true, description: "for ${TOKEN}" }`,
      `4:7 ${holds('The description of "A"')}`,
    ],
    [
      'a description of the set',
      `description: for ${TOKEN}`,
      `3:5 ${holds('The description of the set "one"')}`,
    ],
  ])('in %s', async (_, body, wanted) => {
    expect(await reported(set(body), { 'sets/x.txt': `first line\n${TOKEN}\n` })).toEqual([wanted])
  })

  test('in a base, once and at its line, however many sets use the base', async () => {
    const text = `bases:\n  b:\n    env:\n      A: ${TOKEN}\nvariableSets:\n  x: { from: b }\n  y: { from: b }\n`
    expect(await reported(text)).toEqual([`4:7 ${holds('The value of "A"')}`])
  })

  test('under a suspicious name, as a warning', async () => {
    const { value, diagnostics } = await loadText(set(`env:\n  DB_PASSWORD: ${RANDOM}\n  DB_NAME: ${RANDOM}`))
    expect(value?.sets[0]?.variables).toHaveLength(2)
    expect(diagnostics).toEqual([
      {
        severity: 'warning',
        code: 'looks-like-a-secret',
        message: 'The value of "DB_PASSWORD" looks like a secret (suspicious name, high-entropy value).',
        hint: 'Write `DB_PASSWORD: { secret: DB_PASSWORD }` and pass the value to the run. If it is not a secret, write `DB_PASSWORD: { value: …, accept: [looks-like-a-secret] }`.',
        source: { path: 'sets/a.yaml', line: 4, column: 7 },
      },
    ])
  })

  test.each([
    ['data', `terraform:\n  db: { data: { user: app, password: ${RANDOM} } }`],
    ['HCL', `terraform:\n  db: { hcl: '{ user = "app", password = "${RANDOM}" }' }`],
    ['JSON in text', `terraform:\n  db: '{"user": "app", "password": "${RANDOM}"}'`],
    ['JSON in HCL', `terraform:\n  db: { data: '{"user": "app", "password": "${RANDOM}"}' }`],
    ['a settings file', `terraform:\n  db: |\n    user=app\n    password=${RANDOM}\n`],
    ['YAML in text', `terraform:\n  db: |\n    user: app\n    password: ${RANDOM}\n`],
  ])('under a suspicious name inside %s', async (_, body) => {
    expect(await reported(set(body))).toEqual([
      '4:7 warning looks-like-a-secret The value of "db" contains what looks like a secret (suspicious name, high-entropy value).',
    ])
  })

  test('inside a file, if its format is recognized only with its name', async () => {
    const key = ['wu0Sa13y/HT0PW7j', '+Aj6eoFdT6H54mqK', 'x7Jm9aQz'].join('')
    const text = set(`terraform:\n  aws: |\n    [default]\n    aws_secret_access_key = ${key}\n`)
    expect(await reported(text)).toEqual([
      '4:7 warning looks-like-a-secret The value of "aws" contains what looks like a secret (suspicious name, high-entropy value).',
    ])
    expect(await reported(set(`env:\n  CHECKSUM: ${key}`))).toEqual([])
  })

  test('and the hint suggests a valid name for the secret', async () => {
    const hint = async (key: string) =>
      (await loadText(set(`terraform:\n  ${key}: ${TOKEN}`))).diagnostics[0]?.hint
    expect(await hint('a-b')).toContain('Write `a-b: { secret: NAME }`')
    expect(await hint('a_b')).toContain('Write `a_b: { secret: a_b }`')
  })
})

describe('accept: [looks-like-a-secret]', () => {
  const TEXTS = [
    `env:\n  A: { value: ${TOKEN}, accept: [looks-like-a-secret] }`,
    `env:\n  DB_PASSWORD: { value: ${RANDOM}, accept: [looks-like-a-secret] }`,
    `env:\n  A: { value: x, description: "for ${TOKEN}", accept: [looks-like-a-secret] }`,
    `terraform:\n  a: { hcl: '"${TOKEN}"', accept: [looks-like-a-secret] }`,
    `terraform:\n  a: { data: ["${TOKEN}"], accept: [looks-like-a-secret] }`,
    'terraform:\n  a: { file: x.txt, accept: [looks-like-a-secret] }',
  ]

  test.each(TEXTS)(
    'allows a value that looks like a secret, and is kept when the file is written: %s',
    async body => {
      const files = { 'sets/a.yaml': set(body), 'sets/x.txt': TOKEN }
      const first = await loaded(files)
      const written = resolvedYaml(first)
      expect(written).toContain('accept:\n          - looks-like-a-secret\n')
      const second = await loaded({ 'sets/a.yaml': written })
      const plain = ({ sets }: typeof first) =>
        sets.map(({ variables }) => variables.map(({ source, file: _, ...variable }) => variable))
      expect(plain(second)).toEqual(plain(first))
    },
  )

  test('is inherited from a base, and not added to other variables', async () => {
    const text = `bases:\n  b:\n    env:\n      A: { value: ${TOKEN}, accept: [looks-like-a-secret] }\nvariableSets:\n  x: { from: b, env: { B: c } }\n`
    expect(resolvedYaml(await loaded(text))).toBe(
      `variableSets:\n  x:\n    env:\n      A:\n        value: ${TOKEN}\n        accept:\n          - looks-like-a-secret\n      B: c\n`,
    )
  })
})

test('a value that looks like a quoted form is written so that it is read again', async () => {
  const text = set('env:\n  A: { value: "secret: X" }')
  expect(resolvedYaml(await loaded(text))).toContain('value: "secret: X"')
})

describe('files that Setpoint provides', () => {
  const EXAMPLES = resolve(import.meta.dirname, '../../examples')
  const examples = readdirSync(EXAMPLES).filter(name => existsSync(join(EXAMPLES, name, 'setpoint.yaml')))
  const found = async (directory: string) =>
    (await loadDesired({ directory })).diagnostics.filter(({ code }) => code === 'looks-like-a-secret')

  test.each(examples)('the example %s has no findings', async name => {
    expect(await found(join(EXAMPLES, name))).toEqual([])
  })

  test('the demo has no findings', async () => {
    expect(await inDirectory(Object.fromEntries(DEMO_FILES), found)).toEqual([])
  })
})
