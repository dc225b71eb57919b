import type { ReadTransport, Transport } from '../wire/transport.ts'
import { countRequests, type RequestCounts } from './count-requests.ts'
import { readOnly } from './read-only.ts'
import { createPatience, createRetryBudget } from './retry-budget.ts'
import type { Timing } from './timing.ts'
import type { OnWait } from './wait.ts'
import { withHalt } from './with-halt.ts'
import { withLimiter } from './with-limiter.ts'
import { type LogEntry, withLog } from './with-log.ts'
import { withRetry } from './with-retry.ts'

export interface LineOptions {
  readonly timing: Timing
  /** Requests a second; see `withLimiter`. The embedded sandbox has no limit to keep to. */
  readonly rate?: number | 'unlimited'
  /** Milliseconds from now after which nothing is repeated any more. */
  readonly runDeadline?: number
  /** Aborted: no write leaves, and nothing is repeated, any more. */
  readonly stop?: AbortSignal
  readonly onAttempt?: (entry: LogEntry) => void
  readonly onWait?: OnWait
}

/** A transport with everything that one run shares: pace, retries, counts. */
export interface Line {
  readonly transport: Transport
  /** The same line, which cannot write. */
  readonly reading: ReadTransport
  readonly counts: () => RequestCounts
  /** So much failed that the run should start nothing new. */
  readonly isExhausted: () => boolean
}

/** One line a run. `transport`: the network with its token, or the sandbox. Every attempt waits for its turn and is counted. */
export function openLine(transport: Transport, options: LineOptions): Line {
  const { timing, rate, runDeadline, stop, onAttempt, onWait = () => {} } = options
  const budget = createRetryBudget()
  const patience = createPatience(timing.now)
  const counted = countRequests(onAttempt === undefined ? transport : withLog(transport, onAttempt, timing))
  const { transport: halted, halt } = withHalt(counted.transport, stop)
  const limited =
    rate === 'unlimited'
      ? halted
      : withLimiter(halted, { timing, patience, onWait, ...(rate === undefined ? {} : { rate }) })
  const retried = withRetry(limited, {
    budget,
    timing,
    patience,
    onWait,
    stop: halt,
    ...(runDeadline === undefined ? {} : { deadline: timing.now() + runDeadline }),
  })
  return {
    transport: retried,
    reading: readOnly(retried),
    counts: counted.counts,
    isExhausted: budget.isExhausted,
  }
}
