import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { isFinalCode } from './errors.ts'
import type { Timing } from './timing.ts'

export interface RetryOptions {
  readonly budget: RetryBudget
  readonly timing: Timing
  /** How long the run waits in all because the service asks it to. Default 15 minutes. */
  readonly patience?: Patience
  /** Attempts in all, for one request. Default 4. */
  readonly attempts?: number
  /** Of `timing.now`: no wait ends after it. */
  readonly deadline?: number
  /** Aborted: nothing is repeated any more; what is under way goes on. */
  readonly stop?: AbortSignal
  readonly onWait?: OnWait
}

/** Base of the backoff, in milliseconds (docs/fault-model.md 8.2). */
const BASE = { transient: 50, throttled: 1000 } as const satisfies Record<RetryKind, number>
const LONGEST_BACKOFF = 20_000

type AttemptResult = { readonly response: ApiResponse } | { readonly fault: TransportError }

/**
 * Repeats what may be repeated: a request that was not sent, or refused with 429, whatever its method; one that may have
 * arrived, or was answered with a 5xx, only where it says it is `repeatable` (docs/fault-model.md 8.1). Waits with full jitter, or as
 * long as the service asks for. The last answer or fault is the result; if an earlier attempt may have been carried out, it
 * says so: an answer by `earlierAttempt`, a fault by `sent: 'maybe'`.
 */
export function withRetry(next: Transport, options: RetryOptions): Transport {
  const { budget, timing, attempts = 4, deadline = Number.POSITIVE_INFINITY } = options
  const { stop, patience = createPatience(timing.now) } = options

  /** False: do not repeat. */
  async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    const stopping = (): boolean => signal?.aborted === true || stop?.aborted === true
    if (stopping() || timing.now() + milliseconds >= deadline) return false
    const woken = new AbortController()
    const wake = (): void => woken.abort()
    for (const one of [signal, stop]) one?.addEventListener('abort', wake)
    try {
      await timing.sleep(milliseconds, woken.signal)
    } catch (error) {
      if (!woken.signal.aborted) throw error
    } finally {
      for (const one of [signal, stop]) one?.removeEventListener('abort', wake)
    }
    return !stopping()
  }

  return async (request, signal) => {
    let earlier = false
    let spent: RetryKind | undefined
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(next, request, signal)
      const kind = kindOfRetry(request, outcome)
      if (kind === undefined && isSuccess(outcome)) budget.refund(spent)
      if (kind === undefined || attempt === attempts) return settled(outcome, earlier)
      if (!budget.spend(kind)) return settled(outcome, earlier)
      const wait = waitBefore(attempt, kind, outcome, timing)
      if (kind === 'throttled' && !patience.spend(wait)) return settled(outcome, earlier)
      options.onWait?.({ for: 'retry', milliseconds: Math.ceil(wait), reason: reasonOf(outcome) })
      if (!(await pause(wait, signal))) return settled(outcome, earlier)
      spent = kind
      earlier ||= mayHaveArrived(request, outcome)
    }
  }
}

const reasonOf = (outcome: AttemptResult): number | string =>
  'fault' in outcome ? outcome.fault.code : outcome.response.status

async function attemptOnce(
  next: Transport,
  request: ApiRequest,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  try {
    return { response: await next(request, signal) }
  } catch (error) {
    if (error instanceof TransportError) return { fault: error }
    throw error
  }
}

/** Which repetition an outcome calls for; `undefined`: none. */
function kindOfRetry(request: ApiRequest, outcome: AttemptResult): RetryKind | undefined {
  const repeatable = request.method === 'GET' || request.repeatable === true
  if ('fault' in outcome) {
    const { sent, code } = outcome.fault
    return !isFinalCode(code) && (sent === 'no' || repeatable) ? 'transient' : undefined
  }
  const { status } = outcome.response
  if (status === 429) return 'throttled'
  return isFailure(status) && repeatable ? 'transient' : undefined
}

/** 501 and 505 stay what they are, however often one asks. */
const isFailure = (status: number): boolean =>
  status === 408 || (status >= 500 && status !== 501 && status !== 505)

const isSuccess = (outcome: AttemptResult): boolean => 'response' in outcome && outcome.response.status < 400

const mayHaveArrived = (request: ApiRequest, outcome: AttemptResult): boolean =>
  request.method !== 'GET' &&
  ('fault' in outcome ? outcome.fault.sent === 'maybe' : isFailure(outcome.response.status))

function waitBefore(attempt: number, kind: RetryKind, outcome: AttemptResult, { random }: Timing): number {
  const computed = random() * Math.min(LONGEST_BACKOFF, BASE[kind] * 2 ** (attempt - 1))
  const hint = 'response' in outcome ? waitHint(outcome.response) : undefined
  return hint === undefined ? computed : Math.max(computed, hint)
}

function settled(outcome: AttemptResult, earlier: boolean): ApiResponse {
  if ('fault' in outcome) {
    const { fault } = outcome
    throw earlier && fault.sent === 'no'
      ? new TransportError(`${fault.message}; an earlier attempt may have arrived`, {
          sent: 'maybe',
          code: fault.code,
        })
      : fault
  }
  return earlier ? { ...outcome.response, earlierAttempt: 'maybe' } : outcome.response
}

/** Costs in tokens: a storm of faults empties a run's bucket before it becomes a storm of requests (docs/fault-model.md 8.2). */
const RETRY_COST = { transient: 14, throttled: 5 } as const
type RetryKind = keyof typeof RETRY_COST

const FULL = 500

/** What all requests of one run may spend on repetitions. */
interface RetryBudget {
  /** False: too little is left, and the run should start nothing new. */
  readonly spend: (kind: RetryKind) => boolean
  /** After a success: gives back what its last repetition cost, or one token where there was none. */
  readonly refund: (kind: RetryKind | undefined) => void
  /** A repetition was refused at some time. Stays true. */
  readonly isExhausted: () => boolean
}

export function createRetryBudget(capacity = FULL): RetryBudget {
  let left = capacity
  let exhausted = false
  return {
    spend: kind => {
      if (exhausted || left < RETRY_COST[kind]) {
        exhausted = true
        return false
      }
      left -= RETRY_COST[kind]
      return true
    },
    refund: kind => {
      left = Math.min(capacity, left + (kind === undefined ? 1 : RETRY_COST[kind]))
    },
    isExhausted: () => exhausted,
  }
}

/** Milliseconds that a run waits in all because the service asks it to: else a service could hold it for ever. */
export const LONGEST_PAUSES = 15 * 60_000

/** How long a run goes on waiting for the service. Waits at the same time count once. */
export interface Patience {
  /** False: so much longer is too long, and nothing is waited for any more. */
  readonly spend: (milliseconds: number) => boolean
  /** Milliseconds so far. */
  readonly spent: () => number
}

export function createPatience(now: () => number, most = LONGEST_PAUSES): Patience {
  let spent = 0
  let until = Number.NEGATIVE_INFINITY
  let isOver = false
  return {
    spend: milliseconds => {
      const time = now()
      const more = Math.max(0, time + milliseconds - Math.max(time, until))
      isOver ||= spent + more > most
      if (isOver) return false
      spent += more
      until = Math.max(until, time + milliseconds)
      return true
    },
    spent: () => spent,
  }
}

/** Nothing waits longer than this for a hint, in milliseconds (docs/fault-model.md F-10). */
const LONGEST_HINT = 60_000

/**
 * How long the service asks us to wait, in milliseconds, at most `LONGEST_HINT`: `Retry-After` as seconds or as a date, a
 * date relative to the answer's own `Date`, for our clock may be wrong (docs/fault-model.md F-50). For a 429 also
 * `x-ratelimit-reset`, which is seconds to wait, not a time (docs/service.md 9.3). What makes no sense is no hint.
 */
export function waitHint({ status, headers }: ApiResponse): number | undefined {
  const hint =
    retryAfter(headers['retry-after'], headers.date) ??
    (status === 429 ? seconds(headers['x-ratelimit-reset']) : undefined)
  return hint === undefined ? undefined : Math.min(LONGEST_HINT, hint)
}

function retryAfter(written: string | undefined, answered: string | undefined): number | undefined {
  if (written === undefined) return undefined
  const wait = seconds(written)
  if (wait !== undefined) return wait
  const difference = httpDate(written) - httpDate(answered)
  return Number.isNaN(difference) ? undefined : Math.max(0, difference)
}

/** Milliseconds from a number of seconds, with or without a fraction. */
export function seconds(written: string | undefined): number | undefined {
  return written !== undefined && /^\d{1,12}(?:\.\d{1,12})?$/.test(written.trim())
    ? Number(written) * 1000
    : undefined
}

/** Only the form of HTTP: `Date.parse` alone would read "soon 1" as a date. */
const httpDate = (written: string | undefined): number =>
  written !== undefined && /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(written)
    ? Date.parse(written)
    : Number.NaN

/** Why nothing is sent for a while. `limit`: the service said to wait, and all requests of the run do. `retry`: one is repeated. */
export interface Wait {
  readonly for: 'limit' | 'retry'
  readonly milliseconds: number
  /** Of a limit: milliseconds that the run has waited for it so far, this wait included. */
  readonly total?: number
  /** Of a repetition: the status of the answer, or the code of the fault. */
  readonly reason?: number | string
}

export type OnWait = (wait: Wait) => void
