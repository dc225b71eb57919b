import type { Limits } from '../config/limits.ts'
import { FORMATS, isFormat } from '../report/formats.ts'

/** A flag. `value` is the kind of its argument; a switch has none. */
export interface OptionDefinition {
  readonly flags: string
  readonly description: string
  readonly value?: ArgumentKind
  readonly choices?: readonly string[]
  readonly fallback?: string
}

/** Reads an argument, by kind. Throws a `RangeError` for an invalid one, which becomes a usage error that names the flag. */
export const READERS = {
  text: readText,
  texts: readText,
  limit: readLimit,
  report: readReport,
  shard: readShard,
  characters: wholeNumber(2_000, 9_999_999, 'a number of characters from 2000 to 9999999'),
  count: wholeNumber(1, 10_000, 'a whole number from 1 to 10000'),
  number: wholeNumber(1, 9_999_999, 'a number such as 7'),
  port: wholeNumber(0, 65_535, 'a port from 0 to 65535'),
  milliseconds: (text: string) =>
    wholeNumber(0, 600_000, 'milliseconds, such as 50ms')(text.replace(/ms$/, '')),
} as const satisfies Readonly<Record<string, (text: string) => unknown>>

export type ArgumentKind = keyof typeof READERS

/** Kinds of arguments that a repeated flag collects. */
export type Repeatable = 'texts' | 'limit' | 'report'

export const isRepeatable = (kind: ArgumentKind): kind is Repeatable =>
  kind === 'texts' || kind === 'limit' || kind === 'report'

function readText(text: string): string {
  // Without this, `--only --sandbox` would be a pattern, and the run would go to the real service.
  if (text.startsWith('--')) throw new RangeError('expected a value, not another flag')
  return text
}

function wholeNumber(least: number, most: number, wanted: string): (text: string) => number {
  return text => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new RangeError(`expected ${wanted}`)
  }
}

const LIMITS = {
  'file-bytes': 'fileBytes',
  'total-bytes': 'totalBytes',
  files: 'files',
  keys: 'keysPerMap',
  depth: 'depth',
  variables: 'variables',
  'value-characters': 'valueCharacters',
} as const satisfies Record<string, keyof Limits>

function readLimit(text: string): Partial<Limits> {
  const [name = '', number = ''] = text.split('=', 2)
  const known = Object.entries(LIMITS).find(([one]) => one === name)?.[1]
  if (known === undefined || !/^[1-9]\d{0,14}$/.test(number))
    throw new RangeError(`expected NAME=NUMBER with one of ${Object.keys(LIMITS).join(', ')}`)
  return { [known]: Number(number) }
}

/** Reads `markdown=plan.md`: a report in a file, in addition to the one on stdout. */
export function readReport(text: string) {
  const at = text.indexOf('=')
  const format = text.slice(0, Math.max(0, at))
  const path = text.slice(at + 1)
  if (!isFormat(format) || path === '')
    throw new RangeError(`expected KIND=FILE with one of ${FORMATS.join(', ')}`)
  return { format, path }
}

/** One of `of` equal parts of the work; `index` counts from 1. */
export type Shard = ReturnType<typeof readShard>

/** Reads `2/4`, or the equal `index=1/4`, because an Indexed Job counts from 0. */
function readShard(text: string) {
  const [, fromZero, first = '', second = ''] = /^(index=)?(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { index: Number(first) + (fromZero === undefined ? 0 : 1), of: Number(second) }
  if (shard.index >= 1 && shard.index <= shard.of) return shard
  throw new RangeError('expected I/N, such as 2/4, with I from 1 to N; or index=I/N, with I from 0')
}

/** Whether a run covers several configurations: `--config` is a pattern, or the work is divided. */
export const isSeveral = (config: string | undefined, shard: Shard | undefined): boolean =>
  shard !== undefined || (config !== undefined && /[*?[{(]/.test(config))
