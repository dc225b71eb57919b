import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesPattern } from '../../src/model/names.ts'

/** Naive reference implementation. */
function means(pattern: readonly string[], name: readonly string[]): boolean {
  const [sign, ...rest] = pattern
  if (sign === undefined) return name.length === 0
  if (sign === '*') return means(rest, name) || (name.length > 0 && means(pattern, name.slice(1)))
  return name.length > 0 && (sign === '?' || sign === name[0]) && means(rest, name.slice(1))
}

test('`*` matches any text, `?` one character, and every other character itself', () => {
  const character = fc.constantFrom('a', 'b', '*', '?', '/', '.', '\u{1f600}', '\u{1f601}')
  const text = fc.array(character, { maxLength: 8 })
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      expect(matchesPattern(pattern.join(''), name.join(''))).toBe(
        means([...pattern.join('')], [...name.join('')]),
      )
    }),
    { numRuns: 5000, seed: 1 },
  )
})
