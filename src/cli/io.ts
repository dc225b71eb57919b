import type { Diagnostic } from '../model/diagnostic.ts'
import type { Redactor } from '../model/redactor.ts'
import { annotations, diagnosticsText, type Validation } from '../report/diagnostics.ts'
import type { SingleReport } from '../report/index.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'
import type { Options } from './options.ts'

/** A stream of the program. Writing never throws; what could not be written shows in `failed`. */
export interface Sink {
  write(text: string): void
  readonly terminal: boolean
  readonly columns: number
  /** The reader went away or the disk is full: the code of the first error. */
  readonly failed?: string | undefined
}

/** Where a person types, or what is piped into the program. */
export interface Input {
  /** Asks on the terminal; absent where there is none to ask. */
  readonly ask?: (question: string) => Promise<string>
  /** All that is piped in, as far as it is of a size that anyone would send; absent at a terminal. */
  readonly all?: () => Promise<string>
}

/** Everything of the outside world that a command may use. `run-program.ts` makes the real one, tests their own. */
export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string | undefined
  readonly version: string
  readonly input: () => Input
  /** Knows the secrets of this run and its token: what leaves the program goes through it. */
  readonly redactor: Redactor
  /** Where the report goes instead of stdout and files, in a run over several organizations. */
  readonly collect?: (report: SingleReport) => void
  /** Gets every diagnostic as data, where a program called and reads no stderr. */
  readonly hear?: (diagnostics: readonly Diagnostic[]) => void
  /** The embedded service that a program brought, in place of the one in a file. */
  readonly sandbox?: Sandbox
  /** What a program brought in place of the network. */
  readonly transport?: Transport
  /** Hears what `validate` found, in a run over several organizations. */
  readonly validated?: (validation: Validation) => void
  /** The first SIGINT or SIGTERM: start nothing new. */
  readonly stop: AbortSignal
  /** The second one, or the end of patience after the first: give up what is under way. */
  readonly abandon: AbortSignal
  readonly stoppedBy: () => 'SIGINT' | 'SIGTERM' | undefined
  readonly now: () => Date
  /** Milliseconds of a clock that never goes back; only differences mean something. */
  readonly elapsed: () => number
  readonly random: () => number
  /** Milliseconds; resolves early when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Colour where it is read by a person: a terminal, no NO_COLOR, or FORCE_COLOR. */
export function wantsColor({ env }: Io, sink: Sink): boolean {
  if (isSet(env.NO_COLOR)) return false
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0'
  return sink.terminal && env.TERM !== 'dumb'
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

/**
 * Diagnostics go to stderr, errors and warnings alike: stdout carries the result and nothing else. In a job of GitHub
 * Actions they are annotated as well.
 */
export function sayDiagnostics(
  io: Io,
  { color, quiet = false }: Pick<Options, 'color'> & Partial<Pick<Options, 'quiet'>>,
  diagnostics: readonly Diagnostic[],
): void {
  const all = io.redactor.in(diagnostics)
  io.hear?.(all)
  const said = quiet ? all.filter(({ severity }) => severity === 'error') : all
  if (said.length === 0) return
  io.stderr.write(diagnosticsText(said, { color: color ?? wantsColor(io, io.stderr) }))
  annotate(io, said)
}

/** Beside the lines of the files, and on the page of the run: GitHub's runner takes it from either stream. */
export function annotate(io: Io, diagnostics: readonly Diagnostic[]): void {
  if (io.env.GITHUB_ACTIONS === 'true') io.stderr.write(annotations(io.redactor.in(diagnostics)))
}

/** A failure of the world: one line, from the error's own words. */
export function sayFailure(io: Io, options: Pick<Options, 'color'>, message: string, hint?: string): void {
  sayDiagnostics(io, options, [
    { severity: 'error', code: 'service-failure', message, ...(hint === undefined ? {} : { hint }) },
  ])
}
