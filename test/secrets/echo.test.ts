import { describe, expect, test } from 'vitest'
import { createBody, updateBody, variableBody, type WireValue } from '../../src/api/encode.ts'
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

/** Ways to write a text so that it is still readable, which nobody could list. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': text => text,
  hex: text => Buffer.from(text).toString('hex'),
  base64: text => Buffer.from(text).toString('base64'),
  reversed: text => [...text].reverse().join(''),
  split: text => [...text].join('-'),
  'in entities': text => [...text].map(sign => `&#${sign.charCodeAt(0)};`).join(''),
  'as numbers': text => [...Buffer.from(text)].join(' '),
  'in another alphabet': text =>
    text.replace(/[a-z]/gi, sign =>
      String.fromCharCode(sign.charCodeAt(0) + (sign.toLowerCase() < 'n' ? 13 : -13)),
    ),
  halved: text => text.slice(0, text.length / 2),
  'its beginning': text => text.slice(0, 3),
}

describe('where a request carried a secret, the reason of a refusal is shown only if it is known', () => {
  test.each(Object.keys(WAYS))('and not with the secret %s', { tags: ['F-17'] }, way => {
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
    ['Value is too long (maximum is 256 KB)', 'invalid attribute'],
    ["You have exceeded the API's rate limit.", 'Too many requests'],
  ])('as %s', (detail, title) => {
    expect(refused(variableBody(secretly, 'terraform'), error(detail, title)).details).toEqual([
      { title, detail, pointer: '/data/attributes/value' },
    ])
  })

  test('else it is reported that it is withheld, beside status, place and what is known', () => {
    const { message, details } = refused(variableBody(secretly, 'terraform'), error('a new sentence'))
    expect(details).toEqual([
      { title: 'invalid attribute', detail: WITHHELD, pointer: '/data/attributes/value' },
    ])
    expect(message).toBe(
      `POST /api/v2/varsets: the service answered 422; invalid attribute: ${WITHHELD} (/data/attributes/value)`,
    )
  })

  test.each([
    ['Value is too long (maximum is 4711 bytes)', '/data/attributes/value'],
    ['a new sentence', '/data/relationships/vars/data/1/attributes/value'],
    ['a new sentence', '/data/relationships/vars/data/4711/attributes/value'],
    ['a new sentence', '/data/4/7/1/1'],
  ])('a number may be the secret as well: %s at %s', (detail, pointer) => {
    const { message } = refused(
      updateBody(settings, [inClear, secretly], 'terraform'),
      error(detail, '', pointer),
    )
    const place = pointer.endsWith('/1/attributes/value') ? ` (${pointer})` : ''
    expect(message).toBe(
      `POST /api/v2/varsets: the service answered 422; ${WITHHELD}${detail.startsWith('Value') ? ` (${pointer})` : place}`,
    )
  })

  test('whichever request it was, and whichever variable', () => {
    const variables = [inClear, secretly]
    for (const sent of [
      variableBody(secretly, 'terraform'),
      updateBody(settings, variables, 'terraform'),
      createBody({ ...settings, variables, workspaces: [], projects: [] }, 'terraform'),
    ])
      expect(refused(sent, error('a new sentence')).details[0]?.detail).toBe(WITHHELD)
  })

  test('and where to it redirects is not said', () => {
    const { message } = refused(
      variableBody(secretly, 'terraform'),
      {},
      { location: `https://${SECRET}.example/` },
      302,
    )
    expect(message).toContain('redirected to another host (302)')
  })
})

describe('where it carried none, the reason is shown without the secrets of the run', () => {
  const sent = variableBody(inClear, 'terraform')

  test('every part of it', () => {
    const { details } = refused(sent, error(`"${SECRET}" is taken`, SECRET, `/${SECRET}`))
    expect(details).toEqual([
      { title: '[secret S]', detail: '"[secret S]" is taken', pointer: '/[secret S]' },
    ])
  })

  test('also where it is cut in the middle of one', () => {
    const { details } = refused(sent, error(`${'x'.repeat(995)}${SECRET}`))
    expect(details[0]?.detail).toBe(`${'x'.repeat(995)}[secr`)
  })

  test('the host of a redirect included', () => {
    const redirected = (location: string) => refused(sent, {}, { location }, 302).message
    expect(redirected(`https://${SECRET}.example/`)).toContain('redirected to another host (302)')
    expect(redirected('https://other.example/')).toContain('redirected to other.example (302)')
  })

  test('and so it is where a value that is set elsewhere was left alone', () => {
    const kept = variableBody(variable({ keep: true, sensitive: true }), 'terraform')
    expect(refused(kept, error('a new sentence')).details[0]?.detail).toBe('a new sentence')
  })
})
