import type { Again } from '../../report/next-steps.ts'
import type { SingleReport } from '../../report/view.ts'
import type { RunSecrets } from '../../secrets/open.ts'
import { applyPrepared } from '../apply-prepared.ts'
import { codeOfSignal, EXIT } from '../exit-codes.ts'
import type { Ending } from './ending.ts'
import { type CurrentPlan, planReport, reachIn, typedIn } from './planning.ts'
import { endingOf, published } from './reports.ts'
import { type RunContext, sayDiagnostics } from './run-context.ts'
import type { Session } from './session.ts'
import { ownTokenName } from './token-directory.ts'

/** What an apply has in addition to files and connection. */
export interface ApplySession extends Session {
  readonly secrets: RunSecrets
}

/** Executes the approved plan, shows progress, and reports the verified result. */
export async function execute(
  context: RunContext,
  { service, secrets, progress }: ApplySession,
  { prepared, request }: CurrentPlan,
  again: Again,
): Promise<Ending> {
  const { organization, steps } = prepared.plan
  progress.applying(steps.length)
  const { result, diagnostics } = await applyPrepared({
    prepared,
    service,
    secrets: secrets.secretOf,
    concurrency: context.options.concurrency,
    failFast: context.options.failFast,
    stop: context.stop,
    abandon: context.abandon,
    sleep: context.sleep,
    fingerprintOf: request.fingerprintOf,
    onResult: progress.result,
  })
  progress.end()
  sayDiagnostics(context, [...diagnostics, ...secrets.problems()])
  const code = result === undefined ? EXIT.error : (codeOfSignal(context) ?? result.exitCode)
  if (result === undefined) return endingOf(context, planReport(context, prepared), code)
  const report: SingleReport = {
    kind: 'apply',
    result: { ...result, exitCode: code },
    typed: typedIn(context),
    again,
    token: ownTokenName(context, organization),
    reach: reachIn(prepared),
  }
  return await published(context, report, code)
}
