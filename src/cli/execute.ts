import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApplyResult, Closing, StepOutcome, StepResult } from '../apply/outcome.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { inertJson } from '../model/json.ts'
import type { OperationId, Subject } from '../plan/operation.ts'
import type { Report } from '../report/index.ts'
import { unwrittenSecrets } from '../report/still-to-do.ts'
import { applyPrepared } from '../run/apply.ts'
import type { Prepared } from '../run/prepare.ts'
import type { RunSecrets } from '../secrets/open.ts'
import { codeOfSignal, EXIT } from './command.ts'
import { type Io, sayDiagnostics, sayFailure } from './io.ts'
import type { Options } from './options.ts'
import { type CurrentPlan, commandFlags, planReport, reachIn } from './planning.ts'
import { publish, withFailure, writeReports } from './publish.ts'
import type { Session } from './session.ts'

/** What an apply has in addition to files and connection. */
export interface ApplySession extends Session {
  readonly secrets: RunSecrets
  readonly events: EventLog
}

/** The log of events; without `--events` it drops them. `undefined` after it was reported why the file cannot be used. */
export function eventsFor(io: Io, options: Options): EventLog | undefined {
  if (options.events === undefined) return NO_EVENTS
  const opened = openEvents(io, options.events)
  if (!('severity' in opened)) return opened
  sayDiagnostics(io, options, [opened])
  return undefined
}

/** Executes the approved plan, shows progress, and reports the verified result. */
export async function execute(
  io: Io,
  options: Options,
  { service, secrets, progress, events }: ApplySession,
  { prepared, request }: CurrentPlan,
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
    fingerprintOf: request.fingerprintOf,
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
  const exitCode = result === undefined ? EXIT.error : (codeOfSignal(io) ?? result.exitCode)
  events.write({
    event: 'end',
    exitCode,
    closing: result?.closing.state,
    outcomes: countsOf(result?.results ?? results),
    unwritten: result && unwrittenSecrets(result).map(({ step }) => step.id),
    requests: requests(),
  })
  const code = closeEvents(io, options, events, exitCode)
  if (result === undefined) return await writeReports(io, options, planReport(options, prepared), code)
  const report: Report = {
    kind: 'apply',
    result: { ...result, exitCode: code },
    flags: commandFlags(options),
    reach: reachIn(prepared),
  }
  return await publish(io, options, report, code)
}

function headOf({ plan }: Prepared): Omit<Extract<ApplyEvent, { event: 'start' }>, 'event' | 'requests'> {
  const { organization, address, owner, digest, steps } = plan
  return { organization, address, owner, digest, steps: steps.length }
}

function countsOf(results: readonly StepResult[]): Record<StepOutcome['status'], number> {
  const counts = { succeeded: 0, failed: 0, skipped: 0, unknown: 0 }
  for (const { outcome } of results) counts[outcome.status]++
  return counts
}

/** A failing event log does not stop the apply, but it changes the exit code. */
function closeEvents(io: Io, options: Options, events: EventLog, code: number): number {
  const failed = events.close()
  if (failed === undefined) return code
  sayFailure(io, options, `Not all events could be written (${failed}).`)
  return withFailure(code)
}

/** Version of `schemas/event.schema.json`: new members and events raise the second number, breaking changes the first. */
export const EVENT_FORMAT = '1.1'

type Requests = ApplyResult['requests']

/** The events of an apply, one on a line. They contain no value of a variable, secret or not. */
type ApplyEvent =
  | {
      readonly event: 'start'
      readonly organization: string
      readonly address: string
      readonly owner?: string
      readonly digest: string
      readonly steps: number
      readonly requests: Requests
    }
  | {
      readonly event: 'step-start'
      readonly step: string
      readonly subject: Subject
      readonly requests: Requests
    }
  | {
      readonly event: 'step-end'
      readonly step: string
      readonly subject: Subject
      readonly outcome: StepOutcome
      readonly requests: Requests
    }
  | {
      readonly event: 'end'
      readonly exitCode: number
      /** Absent if no step was reached. */
      readonly closing?: Closing['state']
      readonly outcomes: Readonly<Record<StepOutcome['status'], number>>
      /** Steps that should have written a secret and did not, or may not have. No later plan writes it. */
      readonly unwritten?: readonly OperationId[]
      readonly requests: Requests
    }

interface EventLog {
  readonly write: (event: ApplyEvent) => void
  /** Closes the file. Returns the code of the first error if a line could not be written. */
  readonly close: () => string | undefined
}

const NO_EVENTS: EventLog = { write: () => {}, close: () => undefined }

/**
 * Opens the file for appending, before anything else is done. Each line is written at once, so it survives however the program
 * ends. An incomplete line of an earlier run stays, and does not damage the next one.
 */
function openEvents(io: Io, file: string): EventLog | Diagnostic {
  let handle: number
  try {
    handle = openSync(resolve(io.cwd, file), OPEN_FLAGS, 0o644)
  } catch (error) {
    return notWritable(file, codeOf(error))
  }
  if (!fstatSync(handle).isFile()) {
    closeSync(handle)
    return notWritable(file, 'it is not a file')
  }
  let failed: string | undefined
  let open = true
  const append = (text: string): void => {
    if (failed !== undefined) return
    try {
      writeSync(handle, text)
    } catch (error) {
      failed = codeOf(error)
    }
  }
  if (isTorn(handle)) append('\n')
  return {
    write: event => {
      const line = { format: EVENT_FORMAT, time: io.now().toISOString(), ...io.redactor.in(event) }
      append(`${inertJson(JSON.stringify(line))}\n`)
    },
    close: () => {
      if (open) closeSync(handle)
      open = false
      return failed
    },
  }
}

/** Follows no link, and does not wait for a pipe without a reader. */
const OPEN_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

function isTorn(handle: number): boolean {
  const { size } = fstatSync(handle)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'

const notWritable = (file: string, reason: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `--events ${JSON.stringify(file)} cannot be written (${reason}).`,
  hint: 'Nothing was read or written. Choose another file, or create the directory.',
})
