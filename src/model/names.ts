import { commandWord, type Diagnostic, mistake } from './diagnostic.ts'

/**
 * Patterns over set names, as in `owns`, `protect` and `--only`: `*` stands for any text, `?` for one character,
 * everything else for itself. Names are not paths, so `*` also matches `/`.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  let at = 0
  let read = 0
  let star = -1
  let resume = 0
  while (read < name.length) {
    const want = pattern.charCodeAt(at)
    if (want === STAR) {
      star = at++
      resume = read
    } else if (want === QUESTION) {
      at++
      read += unitsAt(name, read)
    } else if (want === name.charCodeAt(read)) {
      at++
      read++
    } else if (star >= 0) {
      // Only the last `*` is tried again: everything before it has matched as early as possible.
      at = star + 1
      resume += unitsAt(name, resume)
      read = resume
    } else return false
  }
  while (pattern.charCodeAt(at) === STAR) at++
  return at === pattern.length
}

const STAR = 0x2a
const QUESTION = 0x3f

/** The length of one character: two beyond U+FFFF. */
const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some(pattern => matchesPattern(pattern, name))

/** The name and id of a set, for patterns. */
export interface NamedSet {
  readonly name: string
  readonly id?: string | undefined
}

/** Whether a set matches one of the patterns, by its name or by its whole id. */
export const selects = (patterns: readonly string[], { name, id }: NamedSet): boolean =>
  patterns.some(pattern => pattern === id || matchesPattern(pattern, name))

/** What a flag was to select, and what there is. */
export interface Selection {
  readonly flag: '--adopt' | '--only' | '--rewrite' | '--update'
  readonly pattern: string
  /** What it selects, and where: `set in the files`. */
  readonly of: string
  readonly known: Iterable<string>
  /** The hint if none of them is similar. */
  readonly otherwise: string
}

/** A flag and its value, as they are typed. A value that begins like a flag needs an equals sign. */
export const flagWith = (flag: string, value: string): string =>
  `${flag}${value.startsWith('-') ? '=' : ' '}${commandWord(value)}`

/** The error for a pattern that matches nothing. What it may mean is printed as it is typed. */
export const unmatchedSelection = ({ flag, pattern, of, known, otherwise }: Selection): Diagnostic =>
  mistake(
    'unmatched-selection',
    `${flag} ${JSON.stringify(pattern)} matches no ${of}.`,
    didYouMean(pattern, known, near => flagWith(flag, near)) ?? otherwise,
  )

/** The same for patterns of sets. `*` cannot be misspelled. */
export const unmatchedPatterns = (
  { flag, of }: Pick<Selection, 'flag' | 'of'>,
  patterns: readonly string[],
  sets: readonly NamedSet[],
): Diagnostic[] =>
  patterns
    .filter(pattern => pattern !== '*' && !sets.some(set => selects([pattern], set)))
    .map(pattern =>
      unmatchedSelection({
        flag,
        pattern,
        of,
        known: sets.flatMap(({ name, id }) => (id === undefined ? [name] : [name, id])),
        otherwise: 'Write the name of a set, its id, or a pattern such as "aws-*".',
      }),
    )

/** `as` is how the candidate is written in the place of `written`: in a file in quotes, for a command as a word of a shell. */
export function didYouMean(
  written: string,
  candidates: Iterable<string>,
  as: (candidate: string) => string = JSON.stringify,
  most?: number,
): string | undefined {
  const near = suggest(written, candidates, most)
  return near === undefined ? undefined : `Did you mean ${as(near)}?`
}

/**
 * The candidate that the user most likely meant, for "did you mean"; `undefined` if none is similar enough. Allows at most four
 * mistakes, and looks at a limited number of candidates.
 */
export function suggest(
  written: string,
  candidates: Iterable<string>,
  limit = Math.max(1, Math.floor(written.length / 3)),
): string | undefined {
  if (written.length > LONGEST) return undefined
  const wanted = written.toLowerCase()
  let best: string | undefined
  let most = Math.min(MOST_MISTAKES, limit)
  let looked = 0
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - written.length) > most) continue
    if (++looked > MOST_CANDIDATES) break
    const found = editDistance(wanted, candidate.toLowerCase(), most)
    if (found > most) continue
    best = candidate
    most = found - 1
  }
  return best
}

const LONGEST = 200
const MOST_MISTAKES = 4
const MOST_CANDIDATES = 10_000

/**
 * Damerau's distance (optimal string alignment): a swap of neighbours counts once, as in `kye` for `key`. Only positions at
 * most `most` apart are compared, so a larger distance is only known to be larger.
 */
function editDistance(a: string, b: string, most: number): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let d = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d = Math.min(d, at(before, j - 2) + 1)
      row[j] = d
      least = Math.min(least, d)
    }
    if (least > most) return least
    before = previous
    previous = row
  }
  return at(previous, b.length)
}

/** Positions that are not compared are too far apart. */
const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY

/** The wanted name, or one with a number that is not taken; it is taken from now on. Names that look the same count as one. */
export function freeName(wanted: string, taken: Set<string>, numbered: (n: number) => string): string {
  let name = wanted
  for (let n = 2; taken.has(name.normalize('NFC')); n++) name = numbered(n)
  taken.add(name.normalize('NFC'))
  return name
}

/** The inventory of an owner is a set whose name is this and the owner (docs/secrets.md#the-inventory). Files may not use such a name. */
export const INVENTORY_PREFIX = 'setpoint-inventory-'

/**
 * A path that somebody passed, in quotes. What reads like a content or an assignment is not repeated, because it may be a secret in the
 * place of a path.
 */
export const quotedPath = (path: string): string =>
  /^[^={}'"`<>|\p{Cc}]{1,200}$/u.test(path) ? JSON.stringify(path) : '"…"'
