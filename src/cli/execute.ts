import type { Outcome, StepResult } from '../apply/outcome.ts'
import type { Report } from '../report/index.ts'
import { unwrittenSecrets } from '../report/still-to-do.ts'
import { applyPrepared } from '../run/apply.ts'
import type { PlanRequest, Prepared } from '../run/prepare.ts'
import type { RunSecrets } from '../secrets/open.ts'
import { type ApplyEvent, type EventLog, NO_EVENTS, openEvents } from './events.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { againFor, planReport, reachIn } from './planned.ts'
import { publish, withFailure, writeReports } from './publish.ts'
import { sayDiagnostics, sayFailure } from './say.ts'
import { type Session, signalCode } from './with-service.ts'

/** What an apply has beside files and connection. */
export interface ApplySession extends Session {
  readonly secrets: RunSecrets
  readonly events: EventLog
}

/** Where events of this run go; nowhere without `--events`. `undefined` after it was said why they cannot. */
export function eventsFor(io: Io, options: Options): EventLog | undefined {
  if (options.events === undefined) return NO_EVENTS
  const opened = openEvents(io, options.events)
  if (!('severity' in opened)) return opened
  sayDiagnostics(io, options, [opened])
  return undefined
}

/** Applies what was consented to, tells of it while it runs, and reports. */
export async function execute(
  io: Io,
  options: Options,
  { service, secrets, progress, events }: ApplySession,
  prepared: Prepared,
  wishes: PlanRequest,
): Promise<number> {
  const { plan } = prepared
  const requests = service.requests
  const results: StepResult[] = []
  events.write({ event: 'start', ...headOf(prepared), requests: requests() })
  progress.applying(plan.steps.length)
  const { result, diagnostics } = await applyPrepared({
    prepared,
    service,
    secrets: secrets.textOf,
    concurrency: options.concurrency,
    failFast: options.failFast,
    stop: io.stop,
    abandon: io.abandon,
    sleep: io.sleep,
    ...(wishes.fingerprintOf === undefined ? {} : { fingerprintOf: wishes.fingerprintOf }),
    onStart: ({ id, operation: { subject } }) =>
      events.write({ event: 'step-start', step: id, subject, requests: requests() }),
    onResult: one => {
      results.push(one)
      progress.result(one)
      events.write({
        event: 'step-end',
        step: one.step.id,
        subject: one.step.operation.subject,
        outcome: one.outcome,
        requests: requests(),
      })
    },
  })
  progress.end()
  sayDiagnostics(io, options, [...diagnostics, ...secrets.problems()])
  const signal = io.stoppedBy()
  const exitCode =
    result === undefined ? EXIT.error : signal === undefined ? result.exitCode : signalCode(signal)
  events.write({
    event: 'end',
    exitCode,
    ...(result === undefined ? {} : { closing: result.closing.state }),
    outcomes: countsOf(result?.results ?? results),
    ...(result === undefined ? {} : { unwritten: unwrittenSecrets(result).map(({ step }) => step.id) }),
    requests: requests(),
  })
  const code = closeEvents(io, options, events, exitCode)
  if (result === undefined) return await writeReports(io, options, planReport(options, prepared), code)
  const report: Report = {
    kind: 'apply',
    result: { ...result, exitCode: code },
    again: againFor(options),
    reach: reachIn(prepared),
  }
  return await publish(io, options, report, code)
}

function headOf({ plan }: Prepared): Omit<Extract<ApplyEvent, { event: 'start' }>, 'event' | 'requests'> {
  const { organization, address, owner, digest, steps } = plan
  return { organization, address, ...(owner === undefined ? {} : { owner }), digest, steps: steps.length }
}

function countsOf(results: readonly StepResult[]): Record<Outcome['status'], number> {
  const counts = { succeeded: 0, failed: 0, skipped: 0, unknown: 0 }
  for (const { outcome } of results) counts[outcome.status]++
  return counts
}

/** An apply does not stop because its diary is full; it says so, and does not end as if all were well. */
function closeEvents(io: Io, options: Options, events: EventLog, code: number): number {
  const failed = events.close()
  if (failed === undefined) return code
  sayFailure(io, options, `Not all events could be written (${failed}).`)
  return withFailure(code)
}
