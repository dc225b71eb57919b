import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flagWith, matchesPattern, suggest, unmatchedPatterns } from '../../src/model/names.ts'

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

/** Reference: the edit distance with insertions, deletions, substitutions and swaps of neighbours, without a bound. */
function distance(a: string, b: string): number {
  const rows: number[][] = []
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.NaN
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = []
    rows.push(row)
    for (let j = 0; j <= b.length; j++) {
      const ways =
        i === 0 || j === 0
          ? [i + j]
          : [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)]
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(at(i - 2, j - 2) + 1)
      row.push(Math.min(...ways))
    }
  }
  return at(a.length, b.length)
}

test('the nearest candidate is suggested, if at most a third of the letters and four edits differ', () => {
  const word = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 18 }).map(letters => letters.join(''))
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 6 }), (written, candidates) => {
      const most = Math.min(4, Math.max(1, Math.floor(written.length / 3)))
      const near = candidates
        .map(candidate => ({ candidate, far: distance(written, candidate) }))
        .filter(({ far }) => far <= most)
        .sort((a, b) => a.far - b.far)
      expect(suggest(written, candidates)).toBe(near[0]?.candidate)
    }),
    { numRuns: 5000, seed: 1 },
  )
})

test('the first of two equally near candidates is suggested, and case is ignored', () => {
  expect(suggest('region', ['REGION', 'regions'])).toBe('REGION')
  expect(suggest('regoin', ['region', 'regon'])).toBe('region')
})

test('ten thousand candidates of a similar length are looked at, and no more', () => {
  const behind = (count: number) => [...Array<string>(count).fill('uvwxyz'), 'abcdeg']
  expect(suggest('abcdef', [...Array<string>(20_000).fill('of another length'), ...behind(9_999)])).toBe(
    'abcdeg',
  )
  expect(suggest('abcdef', behind(10_000))).toBeUndefined()
})

test('all sets may be none, and a name that begins like a flag is suggested behind an equals sign', () => {
  const unmatched = (pattern: string, ...names: readonly string[]) =>
    unmatchedPatterns(
      { flag: '--only', of: 'set in the files' },
      [pattern],
      names.map(name => ({ name })),
    ).map(({ message, hint }) => [message, hint])
  expect(unmatched('*')).toEqual([])
  expect(unmatched('network', '-network')).toEqual([
    ['--only "network" matches no set in the files.', 'Did you mean --only=-network?'],
  ])
  expect(['a b', '=a', 'a=b'].map(value => flagWith('--only', value))).toEqual([
    "--only 'a b'",
    "--only '=a'",
    '--only a=b',
  ])
})
