import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { ABORTED } from './fault.ts'
import { seconds, waitHint } from './hints.ts'
import type { Timing } from './timing.ts'
import type { OnWait } from './wait.ts'

/** Requests a second where nothing is said: two thirds of the known real service's limit (service-facts 1.1). */
export const DEFAULT_RATE = 20
/** The known real service's limit, until an answer announces another. */
const USUAL_LIMIT = 30
/** Of a limit that the user asks for whole: requests do not arrive as evenly as they leave. */
const NEARLY = 0.97
/** The pause of all requests after a 429 that does not say how long, in milliseconds. */
const PAUSE = 1000

/** Milliseconds; less than this is the rounding of fractions of tokens. */
const SHORTEST = 0.001

export interface LimiterOptions {
  /** Requests a second. Without it: the smaller of 20 and two thirds of what the service announces. */
  readonly rate?: number
  readonly timing: Timing
  /** Told of pauses, not of the pace. */
  readonly onWait?: OnWait
}

/**
 * One token bucket for all requests of a run, first come, first served. It holds half a second's worth, so that the first
 * second stays within three halves of the rate; of a rate near the limit it holds only what the limit leaves. A 429, or an answer that says nothing is left, pauses everyone.
 */
export function withLimiter(next: Transport, { rate: chosen, timing, onWait }: LimiterOptions): Transport {
  let limit = USUAL_LIMIT
  let rate = paced()
  let tokens = burst()
  let filled = timing.now()
  let pausedUntil = Number.NEGATIVE_INFINITY
  let queue: Promise<unknown> = Promise.resolve()

  function paced(): number {
    if (chosen === undefined) return Math.max(1, Math.min(DEFAULT_RATE, (limit * 2) / 3))
    return chosen <= limit ? Math.min(chosen, limit * NEARLY) : chosen
  }

  function burst(): number {
    if (rate <= DEFAULT_RATE) return Math.max(1, rate / 2)
    // Half a token more than there is room for is still no request, and makes up for timers that fire late.
    return Math.max(1.5, Math.min(rate / 2, limit - rate + 0.5))
  }

  function refill(): void {
    const now = timing.now()
    // What drips in during a pause is one token at the most, or everyone would leave at once after it.
    const most = filled < pausedUntil ? Math.max(1, tokens) : burst()
    tokens = Math.min(most, tokens + ((now - filled) * rate) / 1000)
    filled = now
  }

  async function take(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) return
      refill()
      const pause = pausedUntil - timing.now()
      const wait = pause > 0 ? pause : ((1 - tokens) * 1000) / rate
      if (wait < SHORTEST) break
      if (pause > 0) onWait?.({ for: 'limit', milliseconds: Math.ceil(wait) })
      await timing.sleep(Math.ceil(wait), signal)
    }
    tokens--
  }

  function heed(response: ApiResponse): void {
    const { headers } = response
    const announced = Number(headers['x-ratelimit-limit'])
    if (announced > 0) {
      limit = announced
      rate = paced()
    }
    const pause =
      response.status === 429
        ? (waitHint(response) ?? PAUSE)
        : headers['x-ratelimit-remaining'] === '0'
          ? (seconds(headers['x-ratelimit-reset']) ?? 0)
          : 0
    pausedUntil = Math.max(pausedUntil, timing.now() + Math.min(pause, 60_000))
  }

  return async (request, signal) => {
    const turn = queue.then(() => take(signal))
    queue = turn.catch(() => {})
    await turn.catch(error => {
      if (signal?.aborted !== true) throw error
    })
    if (signal?.aborted === true) throw abandoned(request)
    const response = await next(request, signal)
    heed(response)
    return response
  }
}

const abandoned = (request: ApiRequest): TransportError =>
  new TransportError(`${request.method} ${request.path}: the request was given up before it was sent`, {
    sent: 'no',
    code: ABORTED,
  })
