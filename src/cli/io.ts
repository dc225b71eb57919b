import type { Diagnostic } from '../model/diagnostic.ts'
import type { Redactor } from '../model/redactor.ts'
import type { SingleReport } from '../report/index.ts'
import type { Validation } from '../report/validation.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Transport } from '../wire/transport.ts'

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
