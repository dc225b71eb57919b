const SIZE = 256 * 1024

const lines = (count, lineAt) => Array.from({ length: count }, (_, at) => lineAt(at)).join('\n')
const long = (at, more = '') => `${at} of a policy${more}`.padEnd(31, '.')
const LONG = SIZE / 32
const SHORT = SIZE / 2

/** Both sides of a value of 256 KB: changes that people make, and the worst cases for comparing lines. */
export const CASES = {
  'one line of 8,192': () => [
    lines(LONG, at => long(at)),
    lines(LONG, at => long(at, at === 4_000 ? ' new' : '')),
  ],
  'every fortieth line of 8,192': () => [
    lines(LONG, at => long(at)),
    lines(LONG, at => long(at, at % 40 === 0 ? ' new' : '')),
  ],
  'all of 8,192 lines': () => [lines(LONG, at => long(at)), lines(LONG, at => long(at, ' new'))],
  '8,192 lines in reverse': () => [lines(LONG, at => long(at)), lines(LONG, at => long(LONG - at))],
  'a single line': () => ['a'.repeat(SIZE), `${'a'.repeat(SIZE / 2)}b${'a'.repeat(SIZE / 2)}`],
  'some of 131,072 lines of one character': () => [
    lines(SHORT, () => 'a'),
    lines(SHORT, at => (at % 600 === 0 ? 'b' : 'a')),
  ],
  '131,072 lines of one character in reverse': () => [
    lines(SHORT, at => at % 10),
    lines(SHORT, at => 9 - (at % 10)),
  ],
  'all of 131,072 lines of one character': () => [lines(SHORT, () => 'a'), lines(SHORT, () => 'b')],
}
