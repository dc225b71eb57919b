import { type ApiRequest, type ReadTransport, type Transport, TransportError } from '../wire/transport.ts'
import { ABORTED, REFUSED_TOKEN } from './errors.ts'
import { withLimiter } from './rate-limit.ts'
import { createPatience, createRetryBudget, type OnWait, withRetry } from './retry.ts'
import type { Timing } from './timing.ts'

interface ClientOptions {
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
interface Client {
  readonly transport: Transport
  /** The same line, which cannot write. */
  readonly reading: ReadTransport
  readonly counts: () => RequestCounts
  /** So much failed that the run should start nothing new. */
  readonly isExhausted: () => boolean
}

/** One line a run. `transport`: the network with its token, or the sandbox. Every attempt waits for its turn and is counted. */
export function openClient(transport: Transport, options: ClientOptions): Client {
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

/** A transport that cannot write: by its type, and for callers who know no types at run time too. */
export const readOnly =
  (next: Transport): ReadTransport =>
  async (request, signal) => {
    const method: string = request.method
    if (method !== 'GET') throw new TypeError(`a read-only transport was given a ${method}`)
    return await next(request, signal)
  }

interface RequestCounts {
  readonly reads: number
  readonly writes: number
}

/** Counts attempts, repetitions included: what the service is asked to do. */
function countRequests(next: Transport): {
  readonly transport: Transport
  readonly counts: () => RequestCounts
} {
  let reads = 0
  let writes = 0
  return {
    transport: (request, signal) => {
      if (request.method === 'GET') reads++
      else writes++
      return next(request, signal)
    },
    counts: () => ({ reads, writes }),
  }
}

interface Halted {
  readonly transport: Transport
  /** Aborted when the user asks to stop, or the service refuses the token: nothing is repeated any more. */
  readonly halt: AbortSignal
}

/**
 * The last thing before the network: what waited for its turn, or to be repeated, does not leave any more. After `stop`
 * that is every write, for reads still tell what came of those; after a 401 it is every request (docs/fault-model.md F-14, F-22).
 */
function withHalt(next: Transport, stop?: AbortSignal): Halted {
  const refused = new AbortController()
  const halt = new AbortController()
  if (stop?.aborted === true) halt.abort()
  for (const one of [stop, refused.signal]) one?.addEventListener('abort', () => halt.abort())
  return {
    halt: halt.signal,
    transport: async (request, signal) => {
      if (refused.signal.aborted)
        throw unsent(request, REFUSED_TOKEN, 'not sent, for the service had refused the token')
      if (stop?.aborted === true && request.method !== 'GET')
        throw unsent(request, ABORTED, 'not sent, for the run was interrupted')
      const response = await next(request, signal)
      if (response.status === 401) refused.abort()
      return response
    },
  }
}

const unsent = ({ method, path }: ApiRequest, code: string, why: string): TransportError =>
  new TransportError(`${method} ${path}: ${why}`, { sent: 'no', code })

/** One attempt. No header, no body and no query is in it. */
export interface LogEntry {
  readonly method: ApiRequest['method']
  readonly path: string
  /** The status of an answer, or the code of a fault. */
  readonly result: number | string
  readonly milliseconds: number
}

function withLog(next: Transport, write: (entry: LogEntry) => void, { now }: Pick<Timing, 'now'>): Transport {
  return async (request, signal) => {
    const start = now()
    const log = (result: number | string): void =>
      write({
        method: request.method,
        path: request.path,
        result,
        milliseconds: Math.round(now() - start),
      })
    try {
      const response = await next(request, signal)
      log(response.status)
      return response
    } catch (error) {
      log(error instanceof TransportError ? error.code : 'UNKNOWN')
      throw error
    }
  }
}
