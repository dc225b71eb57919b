import type { LogEntry } from '../api/client.ts'
import type { Connection } from '../api/connection.ts'
import type { Wait } from '../api/timing.ts'
import type { StepResult } from '../apply/outcome.ts'
import type { DiagnosticCode } from '../model/codes.ts'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import type { Redactor } from '../model/secret.ts'
import { inThisPlace, type TypedCommand } from '../report/command-line.ts'
import type { FailureReport } from '../report/failure-doc.ts'
import type { RenderOptions } from '../report/index.ts'
import type { SingleReport } from '../report/single-report.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'
import type { RunRecord } from './commands/run-record.ts'
import type { Options } from './options.ts'

/** What a run may use of the world: values, a clock and signals. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string | undefined
  readonly version: string
  /** Removes the secrets and the token of this run from everything that leaves it. */
  readonly redactor: Redactor
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

/** What a command gets as a function: its options, and the world. Nothing of it is a stream. */
export interface Run extends World {
  readonly options: Options
  readonly listener: Listener
  /** The command as it was typed; absent if nobody typed one, and then the run prints no command. */
  readonly typed?: TypedCommand
  /** Every diagnostic of the run so far, without secrets. */
  readonly told: Diagnostic[]
  /** `all` reads what is piped into the run; absent if nothing is. */
  readonly input?: () => { readonly all?: () => Promise<string> }
  /** The service that the caller passes in, in place of the network or the embedded one. */
  readonly given?: GivenService
  /** The connections of all organizations of the run, if it is over several. */
  readonly connections?: ReadonlyMap<string, Connection>
  /** What reports say of the run itself. */
  readonly record?: RunRecord
}

/** A service in place of the network, or an embedded one that stays open. */
export type GivenService = { readonly transport: Transport } | { readonly sandbox: Sandbox }

/** Hears at once what a result says at the end. Nothing that it gets contains a secret, but for notes. */
export interface Listener {
  readonly diagnostics: (found: readonly Diagnostic[]) => void
  /** A line for people who watch the run. */
  readonly note: (text: string, kind?: NoteKind) => void
  /** A report that the run has now: a plan before it is applied, and the one at the end. */
  readonly report: (report: SingleReport | FailureReport, links?: ReportLinks) => void
  /** What that report says of places in the files. */
  readonly findings: (found: readonly Diagnostic[]) => void
  readonly progress: () => Progress
}

/** `usual` notes may be left out; `detail` is for people who ask for it. Others matter to everybody. */
type NoteKind = 'usual' | 'detail'

/** Where the forge shows the files of a report. */
export type ReportLinks = Pick<RenderOptions, 'sources'>

/** Hears how far a run is. */
export interface Progress {
  /** A phase of reading begins. */
  readonly reading: () => void
  /** An apply of this many steps begins. */
  readonly applying: (steps: number) => void
  readonly attempt: (entry: LogEntry) => void
  readonly wait: (wait: Wait) => void
  readonly result: (result: StepResult) => void
  /** Clears the progress line, because nothing is running. */
  readonly end: () => void
}

/** The command of this run, without what it knows to be secret. */
export const typedIn = ({ typed, redactor }: Run): TypedCommand | undefined => typed && redactor.in(typed)

/** Keeps the diagnostics for the result of the run, without secrets, and tells them at once. */
export function sayDiagnostics(run: Run, diagnostics: readonly Diagnostic[]): void {
  const shown = run.redactor.in(inThisPlace(diagnostics, run.typed))
  run.told.push(...shown)
  run.listener.diagnostics(shown)
}

/** A failure outside of the program: one line, in the words of the error. */
export const sayFailure = (
  run: Run,
  message: string,
  hint?: string,
  code: DiagnosticCode = 'service-failure',
): void => sayDiagnostics(run, [mistake(code, message, hint)])
