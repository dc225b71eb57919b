import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareText } from '../../src/model/diagnostic.ts'
import { toCompactJson, toJson } from '../../src/model/json.ts'

const values: fc.Arbitrary<{ [name: string]: string | number }> = fc.dictionary(
  fc.string({ unit: 'binary' }),
  fc.oneof(fc.string(), fc.integer()),
)

test('JSON output does not depend on the order of members, and parses back to the same value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), values), members => {
      const turned = Object.fromEntries(Object.entries(members).reverse())
      expect(toCompactJson(turned)).toBe(toCompactJson(members))
      expect(toJson(turned)).toBe(toJson(members))
      expect(JSON.parse(toCompactJson(members))).toEqual(JSON.parse(JSON.stringify(members)))
    }),
    { seed: 7 },
  )
})

test('members are sorted by code point, at every depth', () => {
  expect(toCompactJson({ b: 1, a: [{ d: 1, c: { '\u{1f600}': 1, '\uffee': 2 } }], A: undefined })).toBe(
    '{"a":[{"c":{"\uffee":2,"\u{1f600}":1},"d":1}],"b":1}',
  )
  expect(compareText('\uffee', '\u{1f600}')).toBeLessThan(0)
})

test('a member named __proto__ is written like any other', () => {
  const value: unknown = JSON.parse('{"z":{"__proto__":{"b":1,"a":2}},"__proto__":3}')
  expect(toCompactJson(value as Record<string, string>)).toBe(
    '{"__proto__":3,"z":{"__proto__":{"a":2,"b":1}}}',
  )
})
