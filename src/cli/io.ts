import type { Connection } from '../api/connection.ts'
import type { HttpOptions } from '../api/http.ts'
import type { Timing } from '../api/timing.ts'
import { type Diagnostic, type DiagnosticCode, mistake } from '../model/diagnostic.ts'
import type { Redactor } from '../model/secret.ts'
import { annotations, diagnosticsText, type Validation } from '../report/diagnostics.ts'
import type { FailureReport } from '../report/failure.ts'
import type { TextOptions } from '../report/text.ts'
import type { SingleReport } from '../report/view.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'
import type { Options } from './options.ts'
import type { RunRecord } from './run-record.ts'

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
export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string | undefined
  readonly version: string
  readonly input: () => Input
  /** Removes the secrets and the token of this run from all output. */
  readonly redactor: Redactor
  /** Receives the report when the command has ended. */
  readonly collect?: (report: SingleReport | FailureReport) => void
  /** Receives every diagnostic as data, for a calling program. */
  readonly hear?: (diagnostics: readonly Diagnostic[]) => void
  /** The embedded service of a calling program, in place of the one in a file. */
  readonly sandbox?: Sandbox
  /** The transport of a calling program, in place of the network. */
  readonly transport?: Transport
  /** The saved plan of a calling program, in place of one in a file. */
  readonly savedPlan?: string
  /** Receives the result of `validate`, in a run over several organizations. */
  readonly validated?: (validation: Validation) => void
  /** The first SIGINT or SIGTERM: nothing new is started. */
  readonly stop: AbortSignal
  /** The second signal, or five seconds after the first: requests under way are cancelled. */
  readonly abandon: AbortSignal
  readonly stoppedBy: () => 'SIGINT' | 'SIGTERM' | undefined
  readonly now: () => Date
  /** Milliseconds of a monotonic clock. Only differences are meaningful. */
  readonly elapsed: () => number
  readonly random: () => number
  /** Milliseconds; resolves early when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** What a command gets: everything outside of the program, and its flags. */
export interface Call extends Io {
  readonly options: Options
  /** The connections of all organizations of the run, if it is over several. */
  readonly connections?: ReadonlyMap<string, Connection>
  /** What reports say of the run itself. */
  readonly record?: RunRecord
}

/** The clock of the run, for a client. */
export const timingOf = ({ elapsed, sleep, random }: Io): Timing => ({ now: elapsed, sleep, random })

/** The network, with the proxies of the environment. The code for it is loaded here. */
export async function networkTo({ env }: Io, origin: string, more: HttpOptions = {}) {
  const { httpTransport, proxiesOf } = await import('../api/http.ts')
  const certificatesUnchecked = env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
  const transport = httpTransport(origin, { proxies: proxiesOf(env), certificatesUnchecked, ...more })
  return { transport, close: transport.close }
}

/** Colour for people: a terminal without NO_COLOR, or FORCE_COLOR. */
function wantsColor({ env }: Io, sink: Sink): boolean {
  if (isSet(env.NO_COLOR)) return false
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0'
  return sink.terminal && env.TERM !== 'dumb'
}

/** How text is laid out on stdout. */
export const layoutOf = (io: Call): TextOptions => ({
  color: io.options.color ?? wantsColor(io, io.stdout),
  width: Math.max(40, Math.min(io.stdout.columns, 140)),
  fits: io.stdout.terminal,
})

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

/** Diagnostics go to stderr, because stdout contains only the result. GitHub Actions gets them as annotations too. */
export function sayDiagnostics(io: Call, diagnostics: readonly Diagnostic[]): void {
  const { color, quiet } = io.options
  const all = io.redactor.in(diagnostics)
  io.hear?.(all)
  const said = quiet ? all.filter(({ severity }) => severity === 'error') : all
  if (said.length === 0) return
  io.stderr.write(diagnosticsText(said, { color: color ?? wantsColor(io, io.stderr) }))
  annotate(io, said)
}

/** GitHub shows annotations beside the lines of files, and on the page of the run. Its runner reads both streams. */
export function annotate(io: Io, diagnostics: readonly Diagnostic[]): void {
  if (io.env.GITHUB_ACTIONS === 'true') io.stderr.write(annotations(io.redactor.in(diagnostics)))
}

/** A failure outside of the program: one line, in the words of the error. */
export const sayFailure = (
  io: Call,
  message: string,
  hint?: string,
  code: DiagnosticCode = 'service-failure',
): void => sayDiagnostics(io, [mistake(code, message, hint)])
