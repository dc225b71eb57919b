import { readAddress } from '../../api/address.ts'
import { type Checked, type Diagnostic, hasErrors, mistake } from '../../model/diagnostic.ts'
import type { FailureReport } from '../../report/failure-doc.ts'
import type { SingleReport } from '../../report/single-report.ts'
import { codeOfSignal, EXIT, exitCodeOfMistakes } from '../exit-codes.ts'
import { type Run, sayDiagnostics, sayFailure, type World } from '../run.ts'
import { failureOf } from './failure.ts'
import { ownTokenName } from './token-directory.ts'

/** How a run ended, and its report. */
export interface Ending {
  readonly code: number
  readonly report?: SingleReport | FailureReport
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

/**
 * The result of `body`. A failure of the service, the network or a file is reported and becomes an exit code; a bug is thrown.
 * Nothing was written to the service by then: an apply turns its failures into outcomes.
 */
export async function untilEnd<T>(run: Run, body: () => Promise<T>): Promise<T | Ending> {
  try {
    return await body()
  } catch (error) {
    if (error instanceof Ended) return { code: error.code }
    const failure = failureOf(error, {
      host: run.options.sandbox ? undefined : readAddress(run.options.address, run.env).value?.host,
      tokenOf: organization => ownTokenName(run, organization),
    })
    if (failure === undefined) throw error
    const interrupted = failure.isOfFile ? undefined : codeOfSignal(run)
    if (interrupted === undefined) sayFailure(run, failure.message, failure.hint, failure.code)
    else run.listener.note('Interrupted. Nothing was written.\n')
    return { code: interrupted ?? EXIT.error }
  }
}

/** Reports mistakes and ends the command. A refusal has an exit code of its own. */
export function fail(run: Run, ...mistakes: readonly Diagnostic[]): never {
  sayDiagnostics(run, mistakes)
  throw new Ended(exitCodeOfMistakes(mistakes))
}

/** Reports a wrong use and ends the command. */
export function misuse(run: Run, message: string, hint?: string): never {
  fail(run, mistake('bad-usage', message, hint))
}

/** The value, after its diagnostics were reported. Ends the command if one is an error, or if there is no value. */
export function required<T>(run: Run, { value, diagnostics }: Checked<T>): T {
  sayDiagnostics(run, diagnostics)
  if (value === undefined || hasErrors(diagnostics)) throw new Ended(EXIT.error)
  return value
}

/** Ends the command after a signal. */
export function endIfStopped(world: Pick<World, 'stoppedBy'>): void {
  const code = codeOfSignal(world)
  if (code !== undefined) throw new Ended(code)
}
