import { type Checked, type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { failureOf } from './failure.ts'
import type { OptionDefinition } from './flags.ts'
import { type Call, type Io, sayDiagnostics, sayFailure } from './io.ts'
import { ownTokenName } from './token-directory.ts'

/** The whole program: arguments in, exit code out. */
type Program = (argv: readonly string[], io: Io) => Promise<number>

/** Runs one command and returns its exit code. `program` is for the demo, which runs other commands. */
export type Run = (
  io: Call,
  argument: string | undefined,
  program: Program,
  /** Further arguments, for a command that takes several. */
  others?: readonly string[],
) => Promise<number>

/** A command as data: the parser, the help and the reference page are made from it. */
export interface CommandDefinition {
  readonly name: string
  readonly summary: string
  readonly argument?: {
    readonly name: string
    readonly description: string
    /** Offered by completion. The command itself checks the argument. */
    readonly choices?: readonly string[]
    readonly required?: boolean
    readonly repeatable?: boolean
  }
  readonly options: readonly OptionDefinition[]
  /** `--config` may be a pattern, and the command then runs for each configuration. */
  readonly several?: boolean
  readonly examples: readonly (readonly [command: string, comment: string])[]
  readonly load: () => Promise<{ readonly run: Run }>
}

/**
 * Runs a command. A failure of the service, the network or a file is reported and becomes an exit code; a bug is thrown.
 * Nothing was written to the service by then: an apply turns its failures into outcomes.
 */
export async function runCommand(run: Run, ...args: Parameters<Run>): Promise<number> {
  try {
    return await run(...args)
  } catch (error) {
    if (error instanceof Ended) return error.code
    const [io] = args
    const failure = failureOf(error, organization => ownTokenName(io, organization))
    if (failure === undefined) throw error
    const interrupted = failure.isOfFile ? undefined : codeOfSignal(io)
    if (interrupted === undefined) sayFailure(io, failure.message, failure.hint, failure.code)
    else io.stderr.write('Interrupted. Nothing was written.\n')
    return interrupted ?? EXIT.error
  }
}

/** The end of a command that has reported why. */
class Ended extends Error {
  override readonly name = 'Ended'
  readonly code: number

  constructor(code: number) {
    super()
    this.code = code
  }
}

/** Reports mistakes and ends the command. A refusal has an exit code of its own. */
export function fail(io: Call, ...mistakes: readonly Diagnostic[]): never {
  sayDiagnostics(io, mistakes)
  throw new Ended(mistakes.every(({ code }) => code === 'refused') ? EXIT.refused : EXIT.error)
}

/** Reports a wrong use and ends the command. */
export function misuse(io: Call, message: string, hint?: string): never {
  fail(io, mistake('bad-usage', message, hint))
}

/** The value, after its diagnostics were reported. Ends the command if one is an error, or if there is no value. */
export function required<T>(io: Call, { value, diagnostics }: Checked<T>): T {
  sayDiagnostics(io, diagnostics)
  if (value === undefined || hasErrors(diagnostics)) throw new Ended(EXIT.error)
  return value
}

/** Ends the command after a signal. */
export function endIfStopped(io: Io): void {
  const code = codeOfSignal(io)
  if (code !== undefined) throw new Ended(code)
}

/** The exit code of a run that a signal ended; `undefined` without a signal. */
export function codeOfSignal({ stoppedBy }: Pick<Io, 'stoppedBy'>): number | undefined {
  const signal = stoppedBy()
  if (signal === undefined) return undefined
  return signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
}

/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The hidden command that the completion scripts run to get candidates. */
export const COMPLETE = '__complete'

/** Exit codes, one table for code, help and docs. */
export const EXIT = {
  done: 0,
  error: 1,
  changes: 2,
  partial: 3,
  refused: 4,
  interrupted: 130,
  terminated: 143,
} as const

export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [
    0,
    'success: applied and verified, or nothing to do; also a plan with changes, without --detailed-exitcode',
  ],
  [
    1,
    'error (usage, files, authentication, network): nothing was written, or everything was and only a report failed',
  ],
  [
    2,
    'changes pending (plan --detailed-exitcode), drift found (drift), or changes that files cannot express (export --update)',
  ],
  [3, 'partly applied, or the result is unknown'],
  [4, 'refused: blocked by a guard, stale or modified plan, or not confirmed'],
  [130, 'interrupted by SIGINT (143: SIGTERM)'],
]
