import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { isFinalCode } from './errors.ts'
import { UNHINTED_PAUSE, waitHint } from './rate-limit.ts'
import { isCertainRefusal } from './refusal.ts'
import { isServerFailure, retryAfter } from './statuses.ts'
import type { OnWait, Timing } from './timing.ts'

export interface RetryOptions {
  readonly budget: RetryBudget
  readonly timing: Timing
  /** Attempts per request, the first one included. Default 4. */
  readonly attempts?: number
  /** A time of `timing.now`. No wait ends after it. */
  readonly deadline?: number
  /** After it is aborted nothing is repeated. Requests under way continue. */
  readonly stop?: AbortSignal
  readonly onWait?: OnWait
}

/** Milliseconds of the first backoff (docs/fault-model.md 8.2). */
const BASE = { transient: 50, throttled: UNHINTED_PAUSE } as const satisfies Record<RetryKind, number>
const LONGEST_BACKOFF = 20_000

type AttemptResult = { readonly response: ApiResponse } | { readonly fault: TransportError }

/**
 * Repeats a request that was not sent, or was refused with a 429. After a 5xx, or if the request may have arrived, it repeats `repeatable`
 * requests only (docs/fault-model.md 8.1). Waits with full jitter, or as long as the service asks. The result is the last response or fault.
 * If an earlier attempt may have been carried out, the result says so: a response by `earlierAttempt`, a fault by `sent: 'maybe'`.
 */
export function withRetry(next: Transport, options: RetryOptions): Transport {
  const { budget, timing, attempts = 4, deadline = Number.POSITIVE_INFINITY } = options
  const { stop } = options

  /** False if the request must not be repeated. */
  async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    const stopping = (): boolean => signal?.aborted === true || stop?.aborted === true
    if (stopping() || timing.now() + milliseconds >= deadline) return false
    await timing.sleep(milliseconds, AbortSignal.any([signal, stop].filter(one => one !== undefined)))
    return !stopping()
  }

  return async (request, signal) => {
    let earlier = false
    let spent: RetryKind | undefined
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(next, request, signal)
      const kind = kindOfRetry(request, outcome)
      if (kind === undefined && isSuccess(outcome)) budget.refund(spent)
      if (kind === undefined || attempt === attempts) return judged(outcome, earlier)
      if (!budget.take(kind)) return judged(outcome, earlier)
      const wait = waitBefore(attempt, kind, outcome, timing)
      options.onWait?.({ for: 'retry', milliseconds: Math.ceil(wait), reason: reasonOf(outcome) })
      if (!(await pause(wait, signal))) return judged(outcome, earlier)
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

/** `undefined` if the request is not repeated. */
function kindOfRetry(request: ApiRequest, outcome: AttemptResult): RetryKind | undefined {
  const repeatable = request.method === 'GET' || request.repeatable === true
  if ('fault' in outcome) {
    const { sent, code } = outcome.fault
    return !isFinalCode(code) && (sent === 'no' || repeatable) ? 'transient' : undefined
  }
  const kind = retryAfter(outcome.response.status)
  return kind === 'transient' && (!repeatable || isCertainRefusal(outcome.response)) ? undefined : kind
}

const isSuccess = (outcome: AttemptResult): boolean => 'response' in outcome && outcome.response.status < 400

const mayHaveArrived = (request: ApiRequest, outcome: AttemptResult): boolean =>
  request.method !== 'GET' &&
  ('fault' in outcome ? outcome.fault.sent === 'maybe' : isServerFailure(outcome.response.status))

function waitBefore(attempt: number, kind: RetryKind, outcome: AttemptResult, { random }: Timing): number {
  const computed = random() * Math.min(LONGEST_BACKOFF, BASE[kind] * 2 ** (attempt - 1))
  // After a 429 the limiter waits as long as the service asks, for all requests of the run.
  const hint = kind === 'transient' && 'response' in outcome ? waitHint(outcome.response) : undefined
  return hint === undefined ? computed : Math.max(computed, hint)
}

function judged(outcome: AttemptResult, earlier: boolean): ApiResponse {
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

/** Costs in tokens, so that many faults empty the budget before they become many requests (docs/fault-model.md 8.2). */
const RETRY_COST = { transient: 14, throttled: 5 } as const
type RetryKind = keyof typeof RETRY_COST

const FULL = 500

/** What all requests of one run may spend on retries. */
interface RetryBudget {
  /** False if too little is left. The run should start nothing new then. */
  readonly take: (kind: RetryKind) => boolean
  /** After a success: returns the cost of its last retry, or one token without a retry. */
  readonly refund: (kind: RetryKind | undefined) => void
  /** Whether a retry was ever refused. */
  readonly isExhausted: () => boolean
}

export function createRetryBudget(capacity = FULL): RetryBudget {
  let left = capacity
  let exhausted = false
  return {
    take: kind => {
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
