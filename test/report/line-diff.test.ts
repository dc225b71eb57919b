import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineDifference } from '../../src/report/line-diff.ts'

const printed = (before: string, after: string): string[] =>
  lineDifference(before, after).hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : ['…']),
    ...hunk.map(({ sign, text }) => `${sign}${text}`),
  ])
const lines = (...parts: readonly string[]): string => `${parts.join('\n')}\n`
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`)

describe('a line difference', () => {
  test('shows changed lines with two equal ones around them', () => {
    const before = lines(...numbered(1, 20))
    const after = lines(...numbered(1, 4), 'new', ...numbered(6, 16), ...numbered(18, 20))
    expect(printed(before, after)).toEqual([
      ' line 3',
      ' line 4',
      '-line 5',
      '+new',
      ' line 6',
      ' line 7',
      '…',
      ' line 15',
      ' line 16',
      '-line 17',
      ' line 18',
      ' line 19',
    ])
  })

  test('takes line ends and the last newline as the plan does', () => {
    expect(lineDifference('a\r\nb\r\n', 'a\nb')).toEqual({ added: 0, removed: 0, hunks: [], left: 0 })
  })

  test('gives up on texts that have too little in common, and says how large they are', () => {
    const before = lines(...numbered(1, 3_000))
    const after = lines(...numbered(10_001, 14_000))
    expect(lineDifference(before, after)).toEqual({ added: 4_000, removed: 3_000, hunks: [], left: 0 })
  })

  test('shows a bounded number of lines and counts the others', () => {
    const { hunks, added, left } = lineDifference('', lines(...numbered(1, 300)))
    expect([hunks.flat().length, added, left]).toEqual([80, 300, 220])
  })

  test('shows a long line around the first difference, and a long new one by its start', () => {
    const long = (middle: string): string => `${'a'.repeat(200)}${middle}${'z'.repeat(200)}`
    expect(printed(long('1'), long('22'))).toEqual([
      `-…${'a'.repeat(20)}1${'z'.repeat(20)}…`,
      `+…${'a'.repeat(20)}22${'z'.repeat(20)}…`,
    ])
    expect(printed('', 'b'.repeat(500))).toEqual([`+${'b'.repeat(160)}… (500 characters)`])
  })

  test('never cuts a character in half', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 170, maxLength: 400 }).filter(text => !/[\r\n]/.test(text)),
        fc.nat(400),
        (text, cut) => {
          const characters = [...text]
          const other = [...characters.slice(0, cut), '🎉', ...characters.slice(cut + 1)].join('')
          expect(printed(text, other).join('')).not.toMatch(/\p{Cs}/u)
        },
      ),
      { seed: 20_251, numRuns: 100 },
    )
  })
})
