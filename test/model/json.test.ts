import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareText } from '../../src/model/diagnostic.ts'
import { parseJson, toCompactJson, toJson } from '../../src/model/json.ts'

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

const MANY = 5_000_000

describe('parseJson', () => {
  test('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), value => {
        expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed: 1 },
    )
  })
  test.each(['', '{', '{"a":}', '[1,]', 'nothing', '"open', '"\\"'])(
    'returns undefined for invalid JSON: %j',
    text => {
      expect(parseJson(text)).toBeUndefined()
    },
  )
  test('accepts brackets, commas, quotes and backslashes inside strings', () => {
    const value = { '[{,': ['[['.repeat(100), ','.repeat(MANY), '\\'.repeat(9), '"]}"', '\\"'] }
    expect(parseJson(JSON.stringify(value))).toEqual(value)
  })
  test.each([
    ['accepts the deepest allowed document', 64, true],
    ['rejects a document one level too deep', 65, false],
    ['rejects a document so deep that parsing it would take gigabytes', 30_000_000, false],
  ])('%s: %j levels', (_, depth, isRead) => {
    // Shorter texts are not checked, because they cannot do harm.
    const text = JSON.stringify('x'.repeat(2_200_000))
    expect(parseJson(`${'['.repeat(depth)}${text}${']'.repeat(depth)}`) !== undefined).toBe(isRead)
  })
  test.each([String.raw`"\\"`, String.raw`"\\\\"`, String.raw`"\""`])(
    'rejects a document too deep behind a string that ends after %s',
    text => {
      const deep = `${'['.repeat(65)}${' '.repeat(2_200_000)}${']'.repeat(65)}`
      expect(parseJson(`{"a":${text},"b":${deep}}`)).toBeUndefined()
      expect(parseJson(`{"a":${text},"b":${deep.slice(5, -5)}}`)).toBeDefined()
    },
  )
  test.each([
    ['lists', '[],'],
    ['objects', '{},'],
    ['numbers', '1e5,'],
  ])('rejects a document with millions of %s', { tags: ['F-06'] }, (_, one) => {
    expect(parseJson(`[${one.repeat(MANY)}0]`)).toBeUndefined()
  })
})
