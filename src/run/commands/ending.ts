import { readAddress } from '../../api/address.ts'
import { type Checked, type Diagnostic, hasErrors, mistake } from '../../model/diagnostic.ts'
import type { FailureReport } from '../../report/failure-report.ts'
import type { SingleReport } from '../../report/view.ts'
import { codeOfSignal, EXIT, exitCodeOfMistakes } from '../exit-codes.ts'
import { failureOf } from './failure.ts'
import { type RunContext, sayDiagnostics, sayFailure, type World } from './run-context.ts'
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
export async function untilEnd<T>(context: RunContext, body: () => Promise<T>): Promise<T | Ending> {
  try {
    return await body()
  } catch (error) {
    if (error instanceof Ended) return { code: error.code }
    const failure = failureOf(error, {
      host: context.options.sandbox
        ? undefined
        : readAddress(context.options.address, context.env).value?.host,
      tokenOf: organization => ownTokenName(context, organization),
    })
    if (failure === undefined) throw error
    const interrupted = failure.isOfFile ? undefined : codeOfSignal(context)
    if (interrupted === undefined) sayFailure(context, failure.message, failure.hint, failure.code)
    else context.listener.note('Interrupted. Nothing was written.\n')
    return { code: interrupted ?? EXIT.error }
  }
}

/** Reports mistakes and ends the command. A refusal has an exit code of its own. */
export function fail(context: RunContext, ...mistakes: readonly Diagnostic[]): never {
  sayDiagnostics(context, mistakes)
  throw new Ended(exitCodeOfMistakes(mistakes))
}

/** Reports a wrong use and ends the command. */
export function misuse(context: RunContext, message: string, hint?: string): never {
  fail(context, mistake('bad-usage', message, hint))
}

/** The value, after its diagnostics were reported. Ends the command if one is an error, or if there is no value. */
export function required<T>(context: RunContext, { value, diagnostics }: Checked<T>): T {
  sayDiagnostics(context, diagnostics)
  if (value === undefined || hasErrors(diagnostics)) throw new Ended(EXIT.error)
  return value
}

/** Ends the command after a signal. */
export function endIfStopped(world: Pick<World, 'stoppedBy'>): void {
  const code = codeOfSignal(world)
  if (code !== undefined) throw new Ended(code)
}
