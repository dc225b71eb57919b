import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { isFinalCode } from './fault.ts'
import { waitHint } from './hints.ts'
import { createPatience, type Patience, type RetryBudget, type RetryKind } from './retry-budget.ts'
import type { Timing } from './timing.ts'
import type { OnWait } from './wait.ts'

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

type Outcome = { readonly response: ApiResponse } | { readonly fault: TransportError }

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

const reasonOf = (outcome: Outcome): number | string =>
  'fault' in outcome ? outcome.fault.code : outcome.response.status

async function attemptOnce(
  next: Transport,
  request: ApiRequest,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  try {
    return { response: await next(request, signal) }
  } catch (error) {
    if (error instanceof TransportError) return { fault: error }
    throw error
  }
}

/** Which repetition an outcome calls for; `undefined`: none. */
function kindOfRetry(request: ApiRequest, outcome: Outcome): RetryKind | undefined {
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

const isSuccess = (outcome: Outcome): boolean => 'response' in outcome && outcome.response.status < 400

const mayHaveArrived = (request: ApiRequest, outcome: Outcome): boolean =>
  request.method !== 'GET' &&
  ('fault' in outcome ? outcome.fault.sent === 'maybe' : isFailure(outcome.response.status))

function waitBefore(attempt: number, kind: RetryKind, outcome: Outcome, { random }: Timing): number {
  const computed = random() * Math.min(LONGEST_BACKOFF, BASE[kind] * 2 ** (attempt - 1))
  const hint = 'response' in outcome ? waitHint(outcome.response) : undefined
  return hint === undefined ? computed : Math.max(computed, hint)
}

function settled(outcome: Outcome, earlier: boolean): ApiResponse {
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
