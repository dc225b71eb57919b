import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { StepResult } from '../../apply/outcome.ts'
import { mistake } from '../../model/diagnostic.ts'
import { inertJson } from '../../model/json.ts'
import { unwrittenSecrets } from '../../report/next-steps.ts'
import type { CommandFlags } from '../../report/phrase.ts'
import type { SingleReport } from '../../report/view.ts'
import type { RunSecrets } from '../../secrets/open.ts'
import { applyPrepared } from '../apply-prepared.ts'
import { codeOfSignal, EXIT, failedAfter } from '../exit-codes.ts'
import { type Ending, fail } from './ending.ts'
import { type CurrentPlan, planReport, reachIn } from './planning.ts'
import { endingOf, published } from './reports.ts'
import { type RunContext, sayDiagnostics, sayFailure } from './run-context.ts'
import type { Session } from './session.ts'
import { ownTokenName } from './token-directory.ts'

/** What an apply has in addition to files and connection. */
export interface ApplySession extends Session {
  readonly secrets: RunSecrets
  readonly events: EventLog
}

/** Executes the approved plan, shows progress, and reports the verified result. */
export async function execute(
  context: RunContext,
  { service, secrets, progress, events }: ApplySession,
  { prepared, request }: CurrentPlan,
  flags: CommandFlags,
): Promise<Ending> {
  const { organization, address, owner, digest, steps } = prepared.plan
  const results: StepResult[] = []
  const log = (event: ApplyEvent): void =>
    events.write({ ...event, organization, requests: service.requests() })
  log({ event: 'start', address, owner, digest, steps: steps.length })
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
    onStart: ({ id, operation: { subject } }) => log({ event: 'step-start', step: id, subject }),
    onResult: one => {
      results.push(one)
      progress.result(one)
      const { step, outcome } = one
      log({ event: 'step-end', step: step.id, subject: step.operation.subject, outcome })
    },
  })
  progress.end()
  sayDiagnostics(context, [...diagnostics, ...secrets.problems()])
  const exitCode = result === undefined ? EXIT.error : (codeOfSignal(context) ?? result.exitCode)
  const outcomes = { succeeded: 0, failed: 0, skipped: 0, unknown: 0 }
  for (const { outcome } of result?.results ?? results) outcomes[outcome.status]++
  const unwritten = result && unwrittenSecrets(result).map(({ step }) => step.id)
  log({ event: 'end', exitCode, closing: result?.closing.state, outcomes, unwritten })
  const code = closeEvents(context, events, exitCode)
  if (result === undefined) return endingOf(context, planReport(context, prepared), code)
  const report: SingleReport = {
    kind: 'apply',
    result: { ...result, exitCode: code },
    flags: { ...flags, token: ownTokenName(context, organization) },
    reach: reachIn(prepared),
  }
  return await published(context, report, code)
}

/** A failing event log does not stop the apply, but it changes the exit code. */
function closeEvents(context: RunContext, events: EventLog, code: number): number {
  const failed = events.close()
  if (failed === undefined) return code
  sayFailure(context, `Not all events could be written (${failed}).`, undefined, 'unwritable-file')
  return failedAfter(code)
}

/** Version of `schemas/event.schema.json`: new members and events raise the second number, breaking changes the first. */
export const EVENT_FORMAT = '1.1'

/** An event of an apply, as `schemas/event.schema.json` describes it. It contains no value of a variable, secret or not. */
interface ApplyEvent {
  readonly event: 'start' | 'step-start' | 'step-end' | 'end'
  readonly [member: string]: unknown
}

interface EventLog {
  readonly write: (event: ApplyEvent) => void
  /** Closes the file. Returns the code of the first error if a line could not be written. */
  readonly close: () => string | undefined
}

/**
 * Opens the file of `--events` for appending, before anything else is done. Each line is written at once, so it survives however
 * the program ends. An incomplete line of an earlier run stays, and does not damage the next one. Without the flag, events are
 * dropped.
 */
export function eventsFor(context: RunContext): EventLog {
  const { events: file } = context.options
  if (file === undefined) return { write: () => {}, close: () => undefined }
  let failed: string | undefined
  let handle: number | undefined
  try {
    handle = openSync(resolve(context.cwd, file), OPEN_FLAGS, 0o644)
  } catch (error) {
    fail(context, notWritable(file, codeOf(error)))
  }
  if (!fstatSync(handle).isFile()) {
    closeSync(handle)
    fail(context, notWritable(file, 'it is not a file'))
  }
  const append = (text: string): void => {
    if (failed !== undefined || handle === undefined) return
    try {
      writeSync(handle, text)
    } catch (error) {
      failed = codeOf(error)
    }
  }
  if (isTorn(handle)) append('\n')
  return {
    write: event => {
      const line = { format: EVENT_FORMAT, time: context.now().toISOString(), ...context.redactor.in(event) }
      append(`${inertJson(JSON.stringify(line))}\n`)
    },
    close: () => {
      if (handle !== undefined) closeSync(handle)
      handle = undefined
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

const notWritable = (file: string, reason: string) =>
  mistake(
    'bad-usage',
    `--events ${JSON.stringify(file)} cannot be written (${reason}).`,
    'Nothing was read or written. Choose another file, or create the directory.',
  )
