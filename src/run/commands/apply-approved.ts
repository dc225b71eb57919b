import type { Again } from '../../report/next-steps.ts'
import type { SingleReport } from '../../report/view.ts'
import type { RunSecrets } from '../../secrets/open.ts'
import { applyPrepared } from '../apply-prepared.ts'
import { codeOfSignal, EXIT } from '../exit-codes.ts'
import { type Made, planReport, reachIn } from '../plan.ts'
import { type Run, sayDiagnostics, typedIn } from '../run.ts'
import type { Ending } from './ending.ts'
import { endingOf, published } from './reports.ts'
import type { Session } from './session.ts'
import { ownTokenName } from './token-directory.ts'

/** What an apply has in addition to files and connection. */
export interface ApplySession extends Session {
  readonly secrets: RunSecrets
}

/** Executes the approved plan, shows progress, and reports the verified result. */
export async function execute(
  context: Run,
  { service, secrets, progress }: ApplySession,
  made: Made,
  again: Again,
): Promise<Ending> {
  const { organization, steps } = made.plan
  progress.applying(steps.length)
  const { result, diagnostics } = await applyPrepared({
    prepared: made,
    service,
    secrets: secrets.secretOf,
    concurrency: context.options.concurrency,
    failFast: context.options.failFast,
    stop: context.stop,
    abandon: context.abandon,
    sleep: context.sleep,
    fingerprintOf: made.asked.fingerprintOf,
    onResult: progress.result,
  })
  progress.end()
  sayDiagnostics(context, [...diagnostics, ...secrets.problems()])
  const code = result === undefined ? EXIT.error : (codeOfSignal(context) ?? result.exitCode)
  if (result === undefined) return endingOf(context, planReport(context, made), code)
  const report: SingleReport = {
    kind: 'apply',
    result: { ...result, exitCode: code },
    typed: typedIn(context),
    again,
    token: ownTokenName(context, organization),
    reach: reachIn(made),
  }
  return await published(context, report, code)
}
