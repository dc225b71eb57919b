import { describe, expect, test } from 'vitest'
import { createBody, variableBody, type WireValue } from '../../src/api/encode.ts'
import { refusalOf } from '../../src/api/refusal.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import { Redactor, Secret } from '../../src/model/secret.ts'
import type { Variable } from '../../src/model/variable-set.ts'
import type { ApiRequest } from '../../src/wire/transport.ts'

const SECRET = 'HunterTwo-2026'
const WITHHELD = '(the reason is hidden, because the request contained a secret)'
const POST: ApiRequest = { method: 'POST', path: '/api/v2/varsets', headers: {}, body: '' }

const variable = (value: WireValue, key = 'env/K'): Variable<WireValue> => ({
  key: key as 'env/K',
  value,
  ...NO_FIELDS,
})
const secretly = variable({ secret: new Secret(SECRET) })
const inClear = variable({ text: 'readable' }, 'env/T')
const settings = { name: 'a', description: '', global: false, priority: false }

const hide = (text: string): string => {
  const redactor = new Redactor()
  redactor.know('[secret S]', SECRET)
  return redactor.text(text)
}
const refused = (
  sent: ReturnType<typeof variableBody>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 422,
) => refusalOf(POST, { status, headers, body: JSON.stringify(body) }, { hide, sent })
const error = (detail: string, title = 'invalid attribute', pointer = '/data/attributes/value') => ({
  errors: [{ title, detail, source: { pointer } }],
})

/** Ways to write a text so that people can still read it, of which no list can be complete. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  unchanged: text => text,
  hex: text => Buffer.from(text).toString('hex'),
  base64: text => Buffer.from(text).toString('base64'),
  reversed: text => [...text].reverse().join(''),
  split: text => [...text].join('-'),
  'as HTML entities': text => [...text].map(sign => `&#${sign.charCodeAt(0)};`).join(''),
  'as numbers': text => [...Buffer.from(text)].join(' '),
  'in ROT13': text =>
    text.replace(/[a-z]/gi, sign =>
      String.fromCharCode(sign.charCodeAt(0) + (sign.toLowerCase() < 'n' ? 13 : -13)),
    ),
  halved: text => text.slice(0, text.length / 2),
  'its first three characters': text => text.slice(0, 3),
}

describe('if a request contained a secret, the error shows only known messages of the service', () => {
  test.each(Object.keys(WAYS))('never the secret, in this form: %s', { tags: ['F-17'] }, way => {
    const echo = WAYS[way]?.(SECRET) ?? ''
    for (const one of [
      error(`"${echo}" is not accepted`),
      error('Key has already been taken', `invalid ${echo}`),
      error('Key has already been taken', 'invalid attribute', `/data/${echo}`),
    ]) {
      const { message } = refused(variableBody(secretly, 'terraform'), one)
      expect(message).not.toContain(echo)
    }
  })

  test.each([
    ['Key has already been taken', 'invalid attribute'],
    ['Key has already been taken.', 'Invalid Attribute'],
    ['Value is invalid', 'invalid attribute'],
    ['Value is too long (maximum is 256 KB)', 'invalid attribute'],
    ["You have exceeded the API's rate limit.", 'Too many requests'],
    ['changing the key of a sensitive variable is not allowed', 'Internal Server Error'],
    ['changing HCL mode on a sensitive variable is not allowed', 'Internal Server Error'],
    ['cannot change a sensitive variable to a non-sensitive variable', 'Internal Server Error'],
    ['resource already exists', 'Conflict'],
    ['resource not found', 'Not Found'],
    ['access to the resource is not permitted', 'Forbidden'],
    [
      'creating variable: checking for conflicts: variable conflicts with another variable with the same name and type',
      'Internal Server Error',
    ],
  ])('shows a known message: %s', (detail, title) => {
    expect(refused(variableBody(secretly, 'terraform'), error(detail, title)).details).toEqual([
      { title, detail, pointer: '/data/attributes/value' },
    ])
  })

  test('instead of an unknown message, it says that the reason is hidden', () => {
    const { message, details } = refused(variableBody(secretly, 'terraform'), error('a new sentence'))
    expect(details).toEqual([
      { title: 'invalid attribute', detail: WITHHELD, pointer: '/data/attributes/value' },
    ])
    expect(message).toBe(
      `POST /api/v2/varsets: the service responded with 422; invalid attribute: ${WITHHELD} (/data/attributes/value)`,
    )
  })

  test.each([
    ['Value is too long (maximum is 4711 bytes)', '/data/attributes/value'],
    ['creating 4711: resource already exists', '/data/attributes/value'],
    ['a new sentence', '/data/relationships/vars/data/1/attributes/value'],
    ['a new sentence', '/data/relationships/vars/data/2/attributes/value'],
    ['a new sentence', '/data/relationships/vars/data/4711/attributes/value'],
    ['a new sentence', '/data/4/7/1/1'],
  ])(
    'numbers in messages and pointers are hidden, because they may be a secret: %s at %s',
    (detail, pointer) => {
      const { message } = refused(
        createBody(
          { ...settings, variables: [inClear, secretly], workspaces: [], projects: [] },
          'terraform',
        ),
        error(detail, '', pointer),
      )
      const place = pointer.endsWith('/1/attributes/value') ? ` (${pointer})` : ''
      expect(message).toBe(
        `POST /api/v2/varsets: the service responded with 422; ${WITHHELD}${pointer === '/data/attributes/value' ? ` (${pointer})` : place}`,
      )
    },
  )

  test('for every kind of request, and any variable in it', () => {
    const variables = [inClear, secretly]
    for (const sent of [
      variableBody(secretly, 'terraform'),
      createBody({ ...settings, variables, workspaces: [], projects: [] }, 'terraform'),
    ])
      expect(refused(sent, error('a new sentence')).details[0]?.detail).toBe(WITHHELD)
  })

  test('the target of a redirect is hidden', () => {
    const { message } = refused(
      variableBody(secretly, 'terraform'),
      {},
      { location: `https://${SECRET}.example/` },
      302,
    )
    expect(message).toContain('redirected to another host (302)')
  })
})

describe('if a request contained no secret, the error shows the message of the service without secrets of the run', () => {
  const sent = variableBody(inClear, 'terraform')

  test('in all its parts', () => {
    const { details } = refused(sent, error(`"${SECRET}" is taken`, SECRET, `/${SECRET}`))
    expect(details).toEqual([
      { title: '[secret S]', detail: '"[secret S]" is taken', pointer: '/[secret S]' },
    ])
  })

  test('even if the message is truncated inside a secret', () => {
    const { details } = refused(sent, error(`${'x'.repeat(995)}${SECRET}`))
    expect(details[0]?.detail).toBe(`${'x'.repeat(995)}[secr`)
  })

  test('and the host of a redirect, unless it contains a secret', () => {
    const redirected = (location: string) => refused(sent, {}, { location }, 302).message
    expect(redirected(`https://${SECRET}.example/`)).toContain('redirected to another host (302)')
    expect(redirected('https://other.example/')).toContain('redirected to other.example (302)')
  })

  test('also if the request keeps a value that is set in the service', () => {
    const kept = variableBody(variable({ keep: true, sensitive: true }), 'terraform')
    expect(refused(kept, error('a new sentence')).details[0]?.detail).toBe('a new sentence')
  })
})
