import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Serialisable, toCompactJson, toJson } from '../../src/model/json.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Plan } from '../../src/plan/plan-data.ts'

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
