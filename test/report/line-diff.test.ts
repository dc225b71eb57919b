import { diffArrays } from 'diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineDifference, linesOf } from '../../src/report/line-diff.ts'

const printed = (before: string, after: string): string[] =>
  lineDifference(before, after).hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : ['…']),
    ...hunk.map(({ sign, text }) => `${sign}${text}`),
  ])
const lines = (...parts: readonly string[]): string => `${parts.join('\n')}\n`
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`)

describe('a line difference', () => {
  test('shows changed lines with two equal lines around them', () => {
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

  test('shows changed line endings', () => {
    expect(printed('a\r\nb\r\nc\n', 'a\r\nb\nc\n')).toEqual([' a\r', '-b\r', '+b', ' c'])
  })

  test('reports the final newline if only one of the texts ends with one', () => {
    expect(printed('a\nb\n', 'a\nb')).toEqual([' a', '-b', '\\newline at end', '+b', '\\no newline at end'])
    expect(printed('b', 'b\nc\n')).toEqual(['-b', '\\no newline at end', '+b', '+c', '\\newline at end'])
    expect(printed('a\nb', 'a\nc')).toEqual([' a', '-b', '+c'])
    const long = 'x'.repeat(500)
    expect(printed(`${long}\n`, long)).toEqual([
      `-…${'x'.repeat(20)}`,
      '\\newline at end',
      `+…${'x'.repeat(20)}`,
      '\\no newline at end',
    ])
  })

  test('is not confused by texts that look like its own notes', () => {
    const faked = ['\uFDD01', '\uFDD0\uFDD00', 'no newline at end']
    for (const line of faked)
      expect(printed(`${line}\n`, line)).toEqual([
        `-${line}`,
        '\\newline at end',
        `+${line}`,
        '\\no newline at end',
      ])
  })

  test('shows only the sizes if the texts have too little in common', () => {
    const before = lines(...numbered(1, 3_000))
    const after = lines(...numbered(10_001, 14_000))
    expect(lineDifference(before, after)).toEqual({ added: 4_000, removed: 3_000, hunks: [], left: 0 })
  })

  test('says so if some of the lines that it did not compare are in both texts', () => {
    const reversed = lines(...numbered(1, 3_000).toReversed())
    expect(lineDifference(lines(...numbered(1, 3_000)), reversed)).toEqual({
      added: 3_000,
      removed: 3_000,
      hunks: [],
      left: 0,
      partly: true,
    })
  })

  test('omits equal lines at both ends, however many there are', () => {
    const around = (...middle: readonly string[]) =>
      lines(...numbered(1, 4_000), ...middle, ...numbered(4_001, 8_000))
    const { hunks, ...counts } = lineDifference(around(), around(...numbered(10_001, 11_000)))
    expect(counts).toEqual({ added: 1_000, removed: 0, left: 922 })
    expect(hunks.map(hunk => hunk.slice(0, 3).map(({ sign, text }) => `${sign}${text}`))).toEqual([
      [' line 3999', ' line 4000', '+line 10001'],
    ])
    const rewritten = lineDifference(around(...numbered(20_001, 20_400)), around(...numbered(30_001, 30_300)))
    expect(rewritten).toEqual({ added: 300, removed: 400, hunks: [], left: 0 })
  })

  test.each([300, 600, 131_072])('shows at most 80 of %i lines and counts the others', count => {
    const { hunks, ...counts } = lineDifference('', numbered(1, count).join('\n'))
    expect([hunks.flat().length, counts]).toEqual([80, { added: count, removed: 0, left: count - 80 }])
    const gone = lineDifference(numbered(1, count).join('\n'), '')
    expect([gone.hunks.flat().length, gone.removed, gone.left]).toEqual([80, count, count - 80])
  })

  test('finds the fewest changes, in the correct order', () => {
    const few = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
    fc.assert(
      fc.property(few, few, (old, fresh) => {
        const { added, removed, hunks, left } = lineDifference(old.join('\n'), fresh.join('\n'))
        const edits = diffArrays(old, fresh)
        const counted = (key: 'added' | 'removed') =>
          edits.filter(edit => edit[key]).reduce((sum, edit) => sum + edit.count, 0)
        expect({ added, removed, left }).toEqual({
          added: counted('added'),
          removed: counted('removed'),
          left: 0,
        })
        const side = (sign: '+' | '-') => hunks.flat().filter(line => line.sign === ' ' || line.sign === sign)
        const inOrder = (whole: readonly string[], part: readonly string[]) => {
          let at = 0
          for (const line of whole) if (line === part[at]) at++
          return at === part.length
        }
        expect(
          inOrder(
            old,
            side('-').map(line => line.text),
          ),
        ).toBe(true)
        expect(
          inOrder(
            fresh,
            side('+').map(line => line.text),
          ),
        ).toBe(true)
      }),
      { seed: 20_252, numRuns: 2_000 },
    )
  })

  test.each([
    [20_000, 200, { added: 200, removed: 200 }],
    [131_072, 30, { added: 30, removed: 30 }],
    // This comparison would need a pass over all lines for every change.
    [131_072, 200, { added: 130_346, removed: 130_346 }],
  ])(
    'searches for the fewest changes only if that is cheap: %i lines, %i changes',
    (count, changes, expected) => {
      const every = Math.floor(count / changes)
      const before = numbered(1, count)
      const after = before.map((line, at) => (at % every === 0 && at < every * changes ? `new ${at}` : line))
      const { added, removed } = lineDifference(before.join('\n'), after.join('\n'))
      expect({ added, removed }).toEqual(expected)
    },
  )

  const SIZE = 256 * 1024
  const many = (count: number, lineAt: (at: number) => string | number) =>
    Array.from({ length: count }, (_, at) => lineAt(at)).join('\n')
  test.each<[string, string, string]>([
    ['one line', 'a'.repeat(SIZE), 'b'.repeat(SIZE)],
    ['one line, equal at both ends', 'a'.repeat(SIZE), `${'a'.repeat(SIZE / 2)}b${'a'.repeat(SIZE / 2)}`],
    ['lines of one character, all different', many(SIZE / 2, () => 'a'), many(SIZE / 2, () => 'b')],
    [
      'lines of one character, some different',
      many(SIZE / 2, () => 'a'),
      many(SIZE / 2, at => (at % 600 ? 'a' : 'b')),
    ],
    ['lines of one character, reversed', many(SIZE / 2, at => at % 10), many(SIZE / 2, at => 9 - (at % 10))],
    [
      'lines, reversed',
      many(SIZE / 32, at => `${at}`.padStart(31)),
      many(SIZE / 32, at => `${SIZE / 32 - at}`.padStart(31)),
    ],
    [
      'long lines, each slightly different',
      many(250, at => `${'x'.repeat(500)}${at}${'y'.repeat(500)}`),
      many(250, at => `${'x'.repeat(500)}-${at}${'y'.repeat(500)}`),
    ],
    ['empty lines with other line endings', '\n'.repeat(SIZE), '\r\n'.repeat(SIZE / 4)],
  ])('is short for texts of 256 KB: %s', { tags: ['F-71'] }, (_, before, after) => {
    const { added, removed, hunks, left } = lineDifference(before, after)
    expect(added - removed).toBe(linesOf(after).length - linesOf(before).length)
    const shown = hunks.flat()
    expect(shown.length).toBeLessThanOrEqual(80)
    expect(shown.reduce((sum, line) => sum + line.text.length, 0)).toBeLessThan(80 * 700)
    if (hunks.length > 0) expect(shown.filter(line => line.sign !== ' ').length + left).toBe(added + removed)
  })

  test('shows a long changed line around its first difference, and a long new line from its start', () => {
    const long = (middle: string): string => `${'a'.repeat(200)}${middle}${'z'.repeat(200)}`
    expect(printed(long('1'), long('22'))).toEqual([
      `-…${'a'.repeat(20)}1${'z'.repeat(20)}…`,
      `+…${'a'.repeat(20)}22${'z'.repeat(20)}…`,
    ])
    expect(printed('', 'b'.repeat(500))).toEqual([`+${'b'.repeat(160)}… (500 characters)`])
  })

  test('never splits a character', () => {
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
