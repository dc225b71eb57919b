import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApplyResult, Closing, Outcome } from '../apply/outcome.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { inertJson } from '../model/json.ts'
import type { OperationId, Subject } from '../plan/operation.ts'
import type { Io } from './io.ts'

/** Of an event's form, `schemas/event.schema.json`: the second number grows with members and events, the first with breaks. */
export const EVENT_FORMAT = '1.1'

type Requests = ApplyResult['requests']

/** What happens in an apply, one thing a line. No value of a variable is in it, secret or not. */
export type ApplyEvent =
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
      readonly outcome: Outcome
      readonly requests: Requests
    }
  | {
      readonly event: 'end'
      readonly exitCode: number
      /** Left out where no step was reached. */
      readonly closing?: Closing['state']
      readonly outcomes: Readonly<Record<Outcome['status'], number>>
      /** Steps that were to write a secret and did not, or may not have: no later plan asks for them. */
      readonly unwritten?: readonly OperationId[]
      readonly requests: Requests
    }

export interface EventLog {
  readonly write: (event: ApplyEvent) => void
  /** Closes the file, once; the code of the first error, where a line could not be written. */
  readonly close: () => string | undefined
}

export const NO_EVENTS: EventLog = { write: () => {}, close: () => undefined }

/**
 * Opens the file for lines at its end, before anything else is done. Each line is handed to the system at once, whole: what
 * is in the file is there after the end of the program, however it ends. A line that an earlier run left torn stays torn and
 * takes no other with it.
 */
export function openEvents(io: Io, file: string): EventLog | Diagnostic {
  let handle: number
  try {
    handle = openSync(resolve(io.cwd, file), FLAGS, 0o644)
  } catch (error) {
    return refused(file, codeOf(error))
  }
  if (!fstatSync(handle).isFile()) {
    closeSync(handle)
    return refused(file, 'it is not a file')
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

/** A link is not followed, and a pipe that nobody reads is no place to wait. */
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

function isTorn(handle: number): boolean {
  const { size } = fstatSync(handle)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'

const refused = (file: string, reason: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `--events ${JSON.stringify(file)} cannot be written (${reason}).`,
  hint: 'Nothing was read or written. Name another file, or make the directory.',
})
