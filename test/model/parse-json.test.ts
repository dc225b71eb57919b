import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../src/model/json.ts'

const MANY = 5_000_000

describe('a JSON text from the service', () => {
  test('is read as JSON reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), value => {
        expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed: 1 },
    )
  })
  test.each(['', '{', '{"a":}', '[1,]', 'nothing', '"open', '"\\"'])(
    'that is none, %j, has no value',
    text => {
      expect(parseJson(text)).toBeUndefined()
    },
  )
  test('may hold brackets, commas, quotes and backslashes in its texts', () => {
    const value = { '[{,': ['[['.repeat(100), ','.repeat(MANY), '\\'.repeat(9), '"]}"', '\\"'] }
    expect(parseJson(JSON.stringify(value))).toEqual(value)
  })
  test.each([
    ['as deep as a document may be', 64, true],
    ['deeper than any document', 65, false],
    ['so deep that parsing it would take gigabytes', 30_000_000, false],
  ])('%s is %j levels deep: %j', (_, depth, isRead) => {
    // Long enough to be checked: a shorter text cannot do harm.
    const text = JSON.stringify('x'.repeat(2_200_000))
    expect(parseJson(`${'['.repeat(depth)}${text}${']'.repeat(depth)}`) !== undefined).toBe(isRead)
  })
  test.each([
    ['lists', '[],'],
    ['objects', '{},'],
    ['numbers', '1e5,'],
  ])('with millions of %s is none', { tags: ['F-06'] }, (_, one) => {
    expect(parseJson(`[${one.repeat(MANY)}0]`)).toBeUndefined()
  })
})
