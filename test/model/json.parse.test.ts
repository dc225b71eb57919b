import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../src/model/json.ts'

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
  test.each([
    ['lists', '[],'],
    ['objects', '{},'],
    ['numbers', '1e5,'],
  ])('rejects a document with millions of %s', { tags: ['F-06'] }, (_, one) => {
    expect(parseJson(`[${one.repeat(MANY)}0]`)).toBeUndefined()
  })
})
