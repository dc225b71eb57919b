import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { isFinalCode } from './errors.ts'
import { waitHint } from './rate-limit.ts'
import { isCertainRefusal } from './refusal.ts'
import { isServerFailure, retryAfter } from './statuses.ts'
import type { OnWait, Timing } from './timing.ts'

export interface RetryOptions {
  readonly patience: Patience
  readonly timing: Timing
  /** A time of `timing.now`. No wait ends after it. */
  readonly deadline?: number
  /** After it is aborted nothing is repeated. Requests under way continue. */
  readonly stop?: AbortSignal
  readonly onWait?: OnWait
}

/** Milliseconds of the first backoff (docs/fault-model.md 8.2). */
const BASE = 50

type AttemptResult = { readonly response: ApiResponse } | { readonly fault: TransportError }

/** Of one request, the first one included. */
const MOST_ATTEMPTS = 4

/**
 * Repeats a request that was not sent. After a 5xx, or if the request may have arrived, it repeats `repeatable` requests only
 * (docs/fault-model.md 8.1). Waits with full jitter, or as long as the service asks. The result is the last response or fault. If an earlier
 * attempt may have been carried out, the result says so: a response by `earlierAttempt`, a fault by `sent: 'maybe'`.
 *
 * After a 429, which was certainly not carried out, any request is repeated, and this is no attempt: it costs time, and `next` is a limiter,
 * which waits as long as the service asks and ends with a fault if that is too long.
 */
export function withRetry(next: Transport, options: RetryOptions): Transport {
  const { patience, timing, deadline = Number.POSITIVE_INFINITY } = options
  const { stop } = options

  return async (request, signal) => {
    const ends = [signal, stop].filter(one => one !== undefined)
    const mayRepeatAfter = (milliseconds: number): boolean =>
      !ends.some(({ aborted }) => aborted) && timing.now() + milliseconds < deadline
    let earlier = false
    let attempt = 1
    for (;;) {
      const outcome = await attemptOnce(next, request, signal)
      if (isRefused(outcome) && mayRepeatAfter(0)) continue
      if (isSuccess(outcome)) patience.succeeded()
      const isOver = !mayBeRepeated(request, outcome) || attempt === MOST_ATTEMPTS || !patience.takeRepeat()
      if (isOver) return judged(outcome, earlier)
      const wait = waitBefore(attempt, outcome, timing)
      options.onWait?.({ for: 'retry', milliseconds: Math.ceil(wait), reason: reasonOf(outcome) })
      if (mayRepeatAfter(wait)) await timing.sleep(wait, AbortSignal.any(ends))
      else return judged(outcome, earlier)
      if (!mayRepeatAfter(0)) return judged(outcome, earlier)
      earlier ||= mayHaveArrived(request, outcome)
      attempt++
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

const isRefused = (outcome: AttemptResult): boolean =>
  'response' in outcome && retryAfter(outcome.response.status) === 'throttled'

function mayBeRepeated(request: ApiRequest, outcome: AttemptResult): boolean {
  const repeatable = request.method === 'GET' || request.repeatable === true
  if ('fault' in outcome) {
    const { sent, code } = outcome.fault
    return !isFinalCode(code) && (sent === 'no' || repeatable)
  }
  return isServerFailure(outcome.response.status) && repeatable && !isCertainRefusal(outcome.response)
}

const isSuccess = (outcome: AttemptResult): boolean => 'response' in outcome && outcome.response.status < 400

const mayHaveArrived = (request: ApiRequest, outcome: AttemptResult): boolean =>
  request.method !== 'GET' &&
  ('fault' in outcome ? outcome.fault.sent === 'maybe' : isServerFailure(outcome.response.status))

function waitBefore(attempt: number, outcome: AttemptResult, { random }: Timing): number {
  const computed = random() * BASE * 2 ** (attempt - 1)
  const hint = 'response' in outcome ? waitHint(outcome.response) : undefined
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

/** Repeats in a row without a success, after which a run starts nothing new (docs/fault-model.md 8.2). */
const MOST_REPEATS = 20

/** What all requests of one run bear of a failing service. */
export interface Patience {
  /** Before each repeat. False if it is exhausted; it stays so. */
  readonly takeRepeat: () => boolean
  readonly succeeded: () => void
  readonly isExhausted: () => boolean
}

export function createPatience(): Patience {
  let repeats = 0
  let exhausted = false
  return {
    takeRepeat: () => {
      exhausted ||= repeats === MOST_REPEATS
      repeats++
      return !exhausted
    },
    succeeded: () => {
      repeats = 0
    },
    isExhausted: () => exhausted,
  }
}
