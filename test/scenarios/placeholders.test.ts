import { describe, expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'

const FILES = { 'sets/a.yaml': 'variableSets: { a: { env: { PW: { secret: PW } } } }\n' }

const STANDS_FOR_A_VALUE = [
  ...[
    '*****',
    '***',
    '••••',
    '…',
    '...',
    'xxxxxx',
    '[MASKED]',
    '<redacted>',
    'REDACTED',
    '(sensitive value)',
    '<sensitive>',
  ],
  ...['${{ secrets.PW }}', '${PW}', '${PW:-none}', '$DB_PASSWORD', '$(PW)', '%PW%', '{{ .Values.pw }}'],
  ...['***REDACTED***', '#{DB_PASSWORD}#', '__DB_PASSWORD__', '$env:PW', '$(pass show db)'],
  ...['null', 'undefined', 'None', '[object Object]', '<no value>', '<your-password>', '$P'],
  ...['op://vault/item/field', 'vault:secret/data/db#password', 'ref+vault://secret/db#/pw', ' $PW \n'],
  ...['arn:aws:secretsmanager:eu-west-1:123456789012:secret:db', 'projects/p/secrets/db/versions/latest'],
  ...['@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/pw)', '(known after apply)'],
]

const IS_A_VALUE = [
  '$ecret1',
  'hunter2',
  'a***b',
  'pa${ss}word',
  '**',
  'op: //x',
  'vault',
  'p%40ss%',
  '$2b$12$abc',
  'xx',
  '__init__',
  'nullable',
  'none',
  '<a>b',
  '<1>',
  '#{x',
  '$(a)b',
]

/** Each source of secrets, with this value of PW. */
const SOURCES: readonly (readonly [
  string,
  (text: string) => { files?: Record<string, string>; argv?: string[]; env?: Record<string, string> },
])[] = [
  ['the environment', text => ({ env: { SETPOINT_SECRET_PW: text } })],
  [
    'a JSON file',
    text => ({ files: { 'in.json': JSON.stringify({ PW: text }) }, argv: ['--secrets', 'in.json'] }),
  ],
  [
    'a YAML file',
    text => ({ files: { 'in.yaml': `PW: ${JSON.stringify(text)}\n` }, argv: ['--secrets', 'in.yaml'] }),
  ],
  ['a dotenv file', text => ({ files: { 'in.env': `PW='${text}'\n` }, argv: ['--secrets', 'in.env'] })],
  ['a directory', text => ({ files: { 'in/PW': text }, argv: ['--secrets', 'in'] })],
]

describe('a secret whose whole text stands for a value', () => {
  test.each(SOURCES)('is an error before any write, from %s, and never printed', async (_, given) => {
    for (const text of ['*****', 'op://vault/item/field-of-it', '$DB_PASSWORD_OF_IT']) {
      const { files = {}, argv = [], env = {} } = given(text)
      const place = await aPlace({ ...FILES, ...files })
      const ran = await place.setpoint(['apply', '--auto-approve', ...argv], { env })
      expect([ran.code, ran.stderr]).toEqual([
        1,
        expect.stringContaining(
          'sets/a.yaml:1:29  error placeholder\n  The value of secret PW, which a/env/PW needs, is a mask',
        ),
      ])
      expect(ran.stdout + ran.stderr).not.toContain(text)
      expect(place.live()).toEqual([])
    }
  })

  test('has one of these forms, and the hint typed to the letter means it', async () => {
    for (const text of STANDS_FOR_A_VALUE) {
      const place = await aPlace(FILES)
      const env = { SETPOINT_SECRET_PW: text }
      const { code, stderr } = await place.setpoint(['apply', '--auto-approve'], { env })
      expect([text, code, stderr]).toEqual([text, 1, expect.stringContaining('error placeholder')])
      const [, line = ''] = /`(secret: [^`]*)`/.exec(stderr) ?? []
      place.write({ 'sets/a.yaml': `variableSets: { a: { env: { PW: { ${line} } } } }\n` })
      expect((await place.setpoint(['apply', '--auto-approve'], { env })).code).toBe(0)
      expect(place.live()).toEqual([`a  env/PW=(${text})`])
    }
  })

  test('is none of these, which are sent', async () => {
    for (const text of IS_A_VALUE) {
      const place = await aPlace(FILES)
      const { code } = await place.setpoint(['apply', '--auto-approve'], {
        env: { SETPOINT_SECRET_PW: text },
      })
      expect([text, code, place.live()]).toEqual([text, 0, [`a  env/PW=(${text})`]])
    }
  })
})
