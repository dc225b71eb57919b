import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Serialisable, toCompactJson, toJson } from '../../src/model/json.ts'
import { Redactor, Secret } from '../../src/model/secret.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import { formsOf } from '../support/canary.ts'

/** Whether `toJson` accepts a value of this type. The compiler reports a wrong expectation. */
type Takes<T> = T extends T & Serialisable<T> ? true : false

const TAKEN = {
  text: true,
  nested: true,
  optional: true,
  plan: true,
} as const satisfies {
  text: Takes<string>
  nested: Takes<{ readonly a: readonly { readonly b: string | null }[] }>
  optional: Takes<{ readonly a?: number }>
  plan: Takes<Plan>
}

const REFUSED = {
  alone: false,
  member: false,
  list: false,
  deep: false,
  union: false,
  optional: false,
  tuple: false,
  record: false,
  map: false,
} as const satisfies {
  alone: Takes<Secret>
  member: Takes<{ readonly a: Secret }>
  list: Takes<readonly Secret[]>
  deep: Takes<{ readonly a: readonly { readonly b: { readonly c: Secret } }[] }>
  union: Takes<{ readonly a: string | Secret }>
  optional: Takes<{ readonly a?: Secret }>
  tuple: Takes<readonly [string, Secret]>
  record: Takes<Readonly<Record<string, Secret>>>
  map: Takes<ReadonlyMap<string, Secret>>
}

/** A secret whose type is hidden by a cast. */
const smuggled = (value: unknown): string => value as string

describe('a secret', () => {
  const TEXT = 'hunter2-and-more'
  const secret = new Secret(TEXT)

  test('is rejected by the type of toJson', () => {
    expect(new Set(Object.values(TAKEN))).toEqual(new Set([true]))
    expect(new Set(Object.values(REFUSED))).toEqual(new Set([false]))
  })

  test.each([
    ['alone', secret],
    ['as a member', { a: secret }],
    ['in a list', [secret]],
    ['deep inside', { a: [{ b: { c: secret } }] }],
  ])('is rejected by toJson at run time: %s', (_, value) => {
    const refusal = new TypeError('a Secret cannot be serialised')
    expect(() => toJson(smuggled(value))).toThrow(refusal)
    expect(() => toCompactJson(smuggled(value))).toThrow(refusal)
    expect(() => JSON.stringify(value)).toThrow(refusal)
  })

  test('cannot be seen in any other way', () => {
    const shown = [
      `${secret}`,
      String(secret),
      [secret].join(),
      inspect(secret, { depth: 9, showHidden: true, getters: true }),
      inspect({ a: [secret] }, { depth: 9, showHidden: true }),
      Object.keys(secret).join(),
      JSON.stringify(Object.entries(secret)),
      JSON.stringify({ ...secret }),
      JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
      JSON.stringify(structuredClone({ ...secret })),
      new Error('x', { cause: secret }).message,
    ]
    expect(shown.filter(text => text.includes('hunter'))).toEqual([])
    expect(shown[0]).toBe('[secret]')
    expect(secret.reveal()).toBe(TEXT)
  })
})

const SECRETS = [
  'wJalrXUtnFEMI-K7MDENG-bPxRfiCYCANARY',
  'first "line" of \\ it\nsecond <line> & 50% \u00e9\u4e16\u{1f512} of it\ttail',
  '~~~???>>>~~~???>>>',
  'Mixed-Case.Of+A/Host',
]

const knowing = (...texts: readonly string[]): Redactor => {
  const redactor = new Redactor()
  for (const [index, text] of texts.entries()) redactor.know(`[secret S${index}]`, text)
  return redactor
}

describe('a secret in a string is redacted', () => {
  test.each(SECRETS)('in every encoded form: %j', { tags: ['I-17'] }, secret => {
    const redactor = knowing(secret)
    for (const [form, written] of formsOf(secret))
      for (const [before, after] of [
        ['', ''],
        ['x', 'y'],
        ['the value "', '" is taken'],
      ]) {
        const shown = redactor.text(`${before}${written}${after}`)
        expect(shown, form).not.toContain(written)
        expect(shown, form).toContain('[secret S0]')
      }
  })

  test('in base64 at any offset, as percent codes, and in the lower case of a host name', () => {
    const [secret = ''] = SECRETS
    const redactor = knowing(secret)
    for (const before of ['', 'x', 'xy', 'xyz'])
      expect(redactor.text(Buffer.from(`${before}${secret} tail`).toString('base64'))).toContain(
        '[secret S0]',
      )
    const everyByte = [...Buffer.from(secret)].map(byte => `%${byte.toString(16)}`).join('')
    expect(redactor.text(everyByte)).toBe('[secret S0]')
    expect(redactor.text(everyByte.toUpperCase())).toBe('[secret S0]')
    expect(redactor.text(`${secret.toLowerCase()}.example`)).toBe('[secret S0].example')
  })

  test('at every occurrence, longest secret first, and the text around it is kept', () => {
    const redactor = knowing('abcdefgh', 'abcdefghijkl')
    expect(redactor.text('abcdefghijkl, abcdefgh and abcdefg; aabcdefghh')).toBe(
      '[secret S1], [secret S0] and abcdefg; a[secret S0]h',
    )
  })

  test('also behind what only begins like one', () => {
    expect(knowing('aaaaaaaab').text('aaaaaaaaab')).toBe('a[secret S0]')
    expect(knowing('abcabcabx').text('abcabcabcabx')).toBe('abc[secret S0]')
  })

  test('among hundreds of other secrets', () => {
    const many = Array.from({ length: 400 }, (_, index) => `secret-number-${index * 7919}-of-many`)
    const redactor = knowing(...many)
    for (const [index, secret] of many.entries())
      expect(redactor.text(`<${secret}>`)).toBe(`<[secret S${index}]>`)
    expect(redactor.text('secret-number-of-none')).toBe('secret-number-of-none')
  })
})

describe('in data', () => {
  test('every string is checked, and an object without secrets is returned unchanged', () => {
    const redactor = knowing('the-whole-secret')
    const clean = { name: 'network', values: [{ text: 'x' }, null, 7, true] }
    const data = { clean, set: { name: 'a-the-whole-secret-b' }, list: ['x', 'the-whole-secret'] }
    const shown = redactor.in(data)
    expect(shown).toEqual({ clean, set: { name: 'a-[secret S0]-b' }, list: ['x', '[secret S0]'] })
    expect(shown.clean).toBe(clean)
    expect(redactor.in(data)).toBe(shown)
    expect(redactor.in(clean)).toBe(clean)
  })

  test('a secret that is registered later is also redacted in data that was checked before', () => {
    const redactor = knowing('the-whole-secret')
    const data = { name: 'another-secret' }
    expect(redactor.in(data)).toBe(data)
    redactor.know('[token]', 'another-secret')
    expect(redactor.in(data)).toEqual({ name: '[token]' })
  })

  test('a short secret is redacted only where it is the whole value of a variable', () => {
    const redactor = knowing('4711')
    const data = { name: '4711', value: { text: '4711' }, other: { text: 'port 4711' } }
    expect(redactor.in(data)).toEqual({ ...data, value: { text: '[secret S0]' } })
    expect(redactor.text('4711')).toBe('4711')
  })

  test('types and states that Setpoint writes itself are never redacted', () => {
    const redactor = knowing('create-set', 'succeeded')
    const data = { type: 'create-set', status: 'succeeded', name: 'succeeded' }
    expect(redactor.in(data)).toEqual({ ...data, name: '[secret S1]' })
  })

  test('text that the files contain in clear is not redacted', () => {
    const redactor = knowing('production', 'eu-1', 'a-real-secret')
    redactor.spare({ sets: [{ name: 'production-eu', variables: [{ value: { text: 'eu-1' } }] }] })
    const data = { name: 'production', value: { text: 'eu-1' }, other: 'a-real-secret' }
    expect(redactor.in(data)).toEqual({ ...data, other: '[secret S2]' })
  })

  test('nothing is redacted if no secret or only the empty string is registered', () => {
    const redactor = knowing('')
    const data = { name: '' }
    expect(redactor.in(data)).toBe(data)
  })
})
