import { resolve } from 'node:path'
import type { Limits } from '../config/loader-limits.ts'
import { FILE_KINDS, isFileKind } from '../report/formats.ts'
import { LIMITS, type Shard } from '../run/commands/run-options.ts'
import { type ArgumentKind, FLAGS, type OptionDefinition } from './flags.ts'

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
} as const satisfies Readonly<Record<ArgumentKind, (text: string) => unknown>>

/** Kinds of arguments that a repeated flag collects. */
type Repeatable = 'texts' | 'limit' | 'report'

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

function readLimit(text: string): Partial<Limits> {
  const [name = '', number = ''] = text.split('=', 2)
  const known = Object.entries(LIMITS).find(([one]) => one === name)?.[1]
  if (known === undefined || !/^[1-9]\d{0,14}$/.test(number))
    throw new RangeError(`expected NAME=NUMBER with one of ${Object.keys(LIMITS).join(', ')}`)
  return { [known]: Number(number) }
}

/** Reads `markdown=plan.md`: a report in a file, in addition to the one on stdout. */
function readReport(text: string) {
  const at = text.indexOf('=')
  const format = text.slice(0, Math.max(0, at))
  const path = text.slice(at + 1)
  if (!isFileKind(format) || path === '')
    throw new RangeError(`expected KIND=FILE with one of ${FILE_KINDS.join(', ')}`)
  return { format, path }
}

/** Reads `2/4`, or the equal `index=1/4`, because an Indexed Job counts from 0. */
function readShard(text: string): Shard {
  const [, fromZero, first = '', second = ''] = /^(index=)?(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { index: Number(first) + (fromZero === undefined ? 0 : 1), of: Number(second) }
  if (shard.index >= 1 && shard.index <= shard.of) return shard
  throw new RangeError('expected I/N, such as 2/4, with I from 1 to N; or index=I/N, with I from 0')
}

type Flags = typeof FLAGS
type Name = keyof Flags

type Argument<K extends ArgumentKind> = K extends Repeatable
  ? readonly ReturnType<(typeof READERS)[K]>[]
  : ReturnType<(typeof READERS)[K]>
type ValueOf<F> = F extends { readonly value: infer K extends ArgumentKind } ? Argument<K> : boolean

/** Switches, repeatable flags and flags with a default are always present. */
type Always = {
  [N in Name]: Flags[N] extends { readonly value: Exclude<ArgumentKind, Repeatable> }
    ? Flags[N] extends { readonly fallback: string }
      ? N
      : never
    : N
}[Name]

/** Each flag by its name in the parser, with the type that its argument is read as. */
type Values = { readonly [N in Always]: ValueOf<Flags[N]> } & {
  readonly [N in Exclude<Name, Always>]?: ValueOf<Flags[N]>
}

/** Flags as typed values. One flat list, because a flag means the same in every command. */
export type Options = Omit<Values, 'C' | 'concurrency' | 'limit' | 'report'> & {
  /** Absolute: every other path is relative to it. */
  readonly directory: string
  /** `-C` as it was typed. */
  readonly typedDirectory?: string
  readonly concurrency: number
  readonly color?: boolean
  readonly limits: Partial<Limits>
  /** Further reports, each in a file. */
  readonly reports: Argument<'report'>
}

/** The result of the parser as `Options`: only flags that the command has, each read by its kind. */
export function optionsFrom(
  { C, limit = [], report = [], ...given }: Partial<Values> & { readonly color?: boolean },
  cwd: string,
): Options {
  return {
    ...DEFAULTS,
    concurrency: 8,
    ...given,
    directory: resolve(cwd, C ?? '.'),
    typedDirectory: C,
    limits: Object.assign({}, ...limit),
    reports: report,
  }
}

const DEFAULTS = Object.fromEntries(
  Object.entries<OptionDefinition>(FLAGS).flatMap<[string, unknown]>(([name, { value, fallback }]) => {
    if (value === undefined) return [[name, false]]
    return isRepeatable(value) ? [[name, []]] : fallback === undefined ? [] : [[name, fallback]]
  }),
) as Pick<Values, Always>
