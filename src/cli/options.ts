import { resolve } from 'node:path'
import type { Limits } from '../config/limits.ts'
import {
  type ArgumentKind,
  isRepeatable,
  type OptionDefinition,
  type READERS,
  type Repeatable,
} from './arguments.ts'
import { FLAGS } from './flags.ts'

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
