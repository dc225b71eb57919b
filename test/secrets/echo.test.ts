import { describe, expect, test } from 'vitest'
import { createBody, updateBody, variableBody, type WireValue } from '../../src/api/encode.ts'
import { refusalOf } from '../../src/api/refusal.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Variable } from '../../src/model/variable-set.ts'
import type { ApiRequest } from '../../src/wire/transport.ts'

const variable = (value: WireValue, key = 'env/K'): Variable<WireValue> => ({
  key: key as 'env/K',
  value,
  description: '',
  hcl: false,
})
const secretly = (text: string) => variable({ secret: new Secret(text) })
const betrays = (secret: string, text: string): boolean =>
  variableBody(secretly(secret), 'terraform').betrays(text)

/** Of signs alone, so that no form but the right one brings back six in a row. */
const SIGNS = '"\\/"<>\n"\\&"\t"\\=?'
const WORDS = 'correct horse battery'
const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const url = (text: string): string => encodeURIComponent(text)
const form = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
const everyByte = (text: string): string =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
const everyUnit = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
const base64 = (text: string, before = 0): string => Buffer.from('x'.repeat(before) + text).toString('base64')
const inside = (text: string): string => `value "${text}" is not taken`

describe('an echo of a secret is seen', () => {
  test.each([
    ['as it is', inside(SIGNS), SIGNS],
    ['in another case, as in the name of a host', 'https://correct-horse.example', 'CORRECT-HORSE'],
    ['escaped for JSON', inside(json(SIGNS)), SIGNS],
    [
      'escaped for JSON with a backslash before each slash',
      inside(json(SIGNS).replaceAll('/', '\\/')),
      SIGNS,
    ],
    ['escaped for JSON unit by unit', inside(everyUnit('äöü\u{1f600}\u{1f512}')), 'äöü\u{1f600}\u{1f512}'],
    ['escaped for JSON twice', inside(json(json(SIGNS))), SIGNS],
    ['escaped for a URL', inside(url(SIGNS)), SIGNS],
    ['escaped for a URL in small letters, every byte', inside(everyByte(WORDS)), WORDS],
    ['escaped as a form, with + for blanks', inside(form('a b c d e f g')), 'a b c d e f g'],
    ['escaped for a URL, with a + that is one', inside('a+b+c%2Bd'), 'a+b+c+d'],
    ['escaped for a URL, beyond ASCII', inside(url('пароль')), 'пароль'],
    ['in base64, from the start', inside(base64(WORDS)), WORDS],
    ['in base64, one byte further', inside(base64(WORDS, 1)), WORDS],
    ['in base64, two bytes further', inside(base64(WORDS, 2)), WORDS],
    ['in base64, for URLs', inside(Buffer.from('???>>>~~~???>>>').toString('base64url')), '???>>>~~~???>>>'],
    ['in base64, cut by one', inside(base64(WORDS).slice(1)), WORDS],
    ['in base64, cut by two', inside(base64(WORDS).slice(2)), WORDS],
    ['in base64, cut by three', inside(base64(WORDS).slice(3)), WORDS],
    ['in base64 of JSON', inside(base64(`{"value":"${json(SIGNS)}"}`)), SIGNS],
    ['in base64 inside a URL', inside(url(base64('~~~???>>>~~~'))), '~~~???>>>~~~'],
    ['in base64 inside JSON', inside(base64('???>>>???>>>').replaceAll('/', '\\/')), '???>>>???>>>'],
    ['as a part of six in a row', 'begins with correc', WORDS],
    ['as a part of six in base64', base64('correc'), WORDS],
    ['as a short secret', 'the value xy1 is too short', 'xy1'],
    ['as a short secret in base64', base64('xy1z'), 'xy1z'],
  ])('%s', (_, text, secret) => {
    expect(betrays(secret, text)).toBe(true)
  })

  test.each([
    ['a part of five', 'begins with corre', WORDS],
    ['other words, of the same letters', 'The value has a wrong form: /data/attributes/value', WORDS],
    ['what is said about an empty secret', 'the value must not be empty', ''],
    ['an escape that is none', '100 % of \\u12 and %zz', WORDS],
  ])('and not in %s', (_, text, secret) => {
    expect(betrays(secret, text)).toBe(false)
  })

  test('of any secret that a body carries, and of no text that is readable anyhow', () => {
    const variables = [
      secretly('first-secret'),
      variable({ text: 'a-readable-text' }, 'env/T'),
      variable({ keep: true, sensitive: true }, 'env/E'),
      variable({ secret: new Secret('second-secret') }, 'env/S'),
    ]
    const settings = { name: 'a', description: '', global: false, priority: false }
    for (const { betrays: of } of [
      createBody({ ...settings, variables, workspaces: [], projects: [] }, 'terraform'),
      updateBody(settings, variables, 'terraform'),
    ])
      expect(['first-secret', 'second-secret', 'a-readable-text', 'nothing at all'].map(of)).toEqual([
        true,
        true,
        false,
        false,
      ])
  })

  test('in a secret of the largest size, from its end as well', () => {
    const large = `${Array.from({ length: 60_000 }, (_, i) => i).join(' ')} the-end`
    expect(betrays(large, base64('... the-end'))).toBe(true)
    expect(betrays(large, 'x'.repeat(1000))).toBe(false)
  })
})

describe('a refusal', () => {
  const POST: ApiRequest = { method: 'POST', path: '/api/v2/varsets', headers: {}, body: '' }
  const secret = 'HunterTwo-2026'
  const of = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    refusalOf(
      POST,
      { status, headers, body: JSON.stringify(body) },
      variableBody(secretly(secret), 'terraform').betrays,
    )
  const WITHHELD = '(withheld: it repeats a part of a secret)'

  test('keeps back each part that repeats a secret, and shows the others', () => {
    const { details, message } = of(422, {
      errors: [
        { title: 'invalid', detail: `"${secret}" is taken`, source: { pointer: '/data/attributes/value' } },
        { title: base64(secret), detail: 'wrong', source: { pointer: `/${url(secret)}` } },
      ],
    })
    expect(details).toEqual([
      { title: 'invalid', detail: WITHHELD, pointer: '/data/attributes/value' },
      { title: WITHHELD, detail: 'wrong', pointer: WITHHELD },
    ])
    expect(message).not.toMatch(/hunter/i)
  })

  test('of a long text shows its beginning, which does not hold the secret', () => {
    const { details } = of(422, { errors: [{ detail: `${'x'.repeat(1000)}${secret}` }] })
    expect(details).toEqual([{ detail: 'x'.repeat(1000) }])
  })

  test('that redirects to a host made of the secret does not name the host', () => {
    const redirected = (location: string) => of(302, {}, { location }).message
    expect(redirected(`https://${secret}.example/`)).toContain(`redirected to ${WITHHELD} (302)`)
    expect(redirected(`https://other.example/${secret}`)).toContain('redirected to other.example (302)')
  })
})
