import type { Diagnostic } from '../model/diagnostic.ts'
import { annotations } from '../report/diagnostics.ts'
import type { TextOptions } from '../report/print-text.ts'
import type { Options } from '../run/options.ts'
import type { Run, World } from '../run/run.ts'

/** A stream of the program. Writing never throws; `failed` has the first error. */
export interface Sink {
  write(text: string): void
  readonly terminal: boolean
  readonly columns: number
  /** The code of the first error: the reader went away, or the disk is full. */
  readonly failed?: string | undefined
  /** What is written now appears later, so progress would be out of date. */
  readonly isHeld?: boolean
}

/** The terminal, or what is piped into the program. */
export interface Input {
  /** Asks on the terminal; absent if there is none. */
  readonly ask?: (question: string) => Promise<string>
  /** Everything that is piped in, up to a sensible size; absent at a terminal. */
  readonly all?: () => Promise<string>
}

/** Everything outside of the program that a command may use. `run-program.ts` makes the real one; tests make their own. */
export interface Io extends World {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly input: () => Input
}

/** What a command of the program gets: a run, and the streams. */
export interface CommandContext extends Run, Io {
  readonly input: () => Input
}

/** Streams, and the options that say how they are used. */
export type Printed = Io & { readonly options: Options }

/** Colour for people: a terminal without NO_COLOR, or FORCE_COLOR. */
export function wantsColor({ env }: Io, sink: Sink): boolean {
  if (isSet(env.NO_COLOR)) return false
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0'
  return sink.terminal && env.TERM !== 'dumb'
}

/** How text is laid out on stdout. */
export const layoutOf = (io: Printed): TextOptions => ({
  color: io.options.color ?? wantsColor(io, io.stdout),
  // In a log, where one line is easier to find than two, nothing breaks.
  ...(io.stdout.terminal ? { width: io.stdout.columns } : {}),
})

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

/** GitHub shows annotations beside the lines of files, and on the page of the run. Its runner reads both streams. */
export function annotate(io: Io, diagnostics: readonly Diagnostic[]): void {
  if (io.env.GITHUB_ACTIONS === 'true') io.stderr.write(annotations(io.redactor.in(diagnostics)))
}
