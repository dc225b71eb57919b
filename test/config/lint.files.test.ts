import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEMO_FILES } from '../../src/cli/commands/demo-command.ts'
import { loadDesired } from '../../src/config/load.ts'
import { resolvedYaml } from '../../src/config/write.ts'
import { inDirectory, loaded, loadText } from './load-text.ts'

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
      `2:3 ${holds('The description of the set "one"')}`,
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
        hint: 'Write `secret: DB_PASSWORD` and pass the value to the run. If it is not a secret, write `notSecret: true` beside the value.',
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
      '4:7 error looks-like-a-secret The value of "aws" contains an AWS secret key.',
    ])
    expect(await reported(set(`env:\n  CHECKSUM: ${key}`))).toEqual([])
  })

  test('and the hint suggests a valid name for the secret', async () => {
    const hint = async (key: string) =>
      (await loadText(set(`terraform:\n  ${key}: ${TOKEN}`))).diagnostics[0]?.hint
    expect(await hint('a-b')).toContain('Write `secret: NAME`')
    expect(await hint('a_b')).toContain('Write `secret: a_b`')
  })
})

describe('notSecret: true', () => {
  const TEXTS = [
    `env:\n  A: { value: ${TOKEN}, notSecret: true }`,
    `env:\n  DB_PASSWORD: { value: ${RANDOM}, notSecret: true }`,
    `env:\n  A: { value: x, description: "for ${TOKEN}", notSecret: true }`,
    `terraform:\n  a: { hcl: '"${TOKEN}"', notSecret: true }`,
    `terraform:\n  a: { data: ["${TOKEN}"], notSecret: true }`,
    'terraform:\n  a: { file: x.txt, notSecret: true }',
  ]

  test.each(TEXTS)(
    'allows a value that looks like a secret, and is kept when the file is written: %s',
    async body => {
      const files = { 'sets/a.yaml': set(body), 'sets/x.txt': TOKEN }
      const first = await loaded(files)
      const written = resolvedYaml(first)
      expect(written).toContain('notSecret: true')
      const second = await loaded({ 'sets/a.yaml': written })
      const plain = ({ sets }: typeof first) =>
        sets.map(({ variables }) => variables.map(({ source, file: _, ...variable }) => variable))
      expect(plain(second)).toEqual(plain(first))
    },
  )

  test('is inherited from a base, and not added to other variables', async () => {
    const text = `bases:\n  b:\n    env:\n      A: { value: ${TOKEN}, notSecret: true }\nvariableSets:\n  x: { from: b, env: { B: c } }\n`
    expect(resolvedYaml(await loaded(text))).toBe(
      `variableSets:\n  x:\n    env:\n      A:\n        value: ${TOKEN}\n        notSecret: true\n      B: c\n`,
    )
  })

  test.each([
    ['secret', 'env:\n  A: { secret: S, notSecret: true }', '"secret" and "notSecret"'],
    ['secret', 'terraform:\n  A: { secret: S, notSecret: true }', '"secret" and "notSecret"'],
    ['external', 'env:\n  A: { external: true, notSecret: true }', '"external" and "notSecret"'],
    ['external', 'terraform:\n  A: { external: true, notSecret: true }', '"external" and "notSecret"'],
  ])('cannot be combined with %s: %s', async (_, body, both) => {
    expect(await reported(set(body))).toEqual([
      `4:7 error wrong-value "A" has ${both}, but can have only one of them.`,
    ])
  })

  test.each(['env', 'terraform'])(
    'cannot be combined with external or required in a base: %s',
    async category => {
      const text = `bases:\n  b:\n    ${category}:\n      A: { external: true, notSecret: true }\n      B: { required: true, notSecret: true }\n`
      expect(await reported(text)).toEqual([
        '4:7 error wrong-value "A" has "external" and "notSecret", but can have only one of them.',
        '5:7 error wrong-value "B" has "notSecret" and "required", but can have only one of them.'.replace(
          '"notSecret" and "required"',
          '"required" and "notSecret"',
        ),
      ])
    },
  )

  test('must be `true`, beside a value', async () => {
    const bodies = [
      '{ notSecret: true }',
      '{ value: x, notSecret: false }',
      '{ value: x, notSecret: "true" }',
    ]
    const all = await Promise.all(bodies.map(body => reported(set(`env:\n  A: ${body}`))))
    expect(all.map(([first]) => first?.replace(/^\d+:\d+ /, ''))).toEqual([
      'error missing-key "A" has no value.',
      'error wrong-value "notSecret" cannot have this value.',
      'error wrong-value "notSecret" cannot have this value.',
    ])
  })
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
