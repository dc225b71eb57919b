import type { ApiResponse, Transport } from '../wire/transport.ts'
import { ABORTED, notSent, PAUSED_TOO_LONG } from './errors.ts'
import type { OnWait, Timing } from './timing.ts'

/** Requests per second by default: two thirds of the known real service's limit (docs/service.md 9.3). */
const DEFAULT_RATE = 20
/** Requests per second that the known real service accepts. A response may announce another limit. */
const USUAL_LIMIT = 30
/** Milliseconds that all requests wait after a 429 without a hint. The backoff begins with it, too. */
const UNHINTED_PAUSE = 1000
/** Milliseconds. */
const LONGEST_BACKOFF = 20_000
/** Milliseconds. A hint never makes a request wait longer than this (docs/fault-model.md F-10). */
const LONGEST_HINT = 60_000
/** Milliseconds that a run waits in total because the service refuses. Without a bound a service could hold it for ever. */
export const LONGEST_PAUSES = 15 * 60_000
/** Milliseconds. Anything shorter is a rounding error of the token bucket. */
const SHORTEST = 0.001

interface LimiterOptions {
  /** Requests per second. Default: the smaller of 20 and two thirds of the announced limit. */
  readonly rate?: number
  readonly timing: Timing
  /** After it is aborted no write waits any longer. */
  readonly stop?: AbortSignal
  /** Called for pauses, not for the normal pace. */
  readonly onWait?: OnWait
}

/**
 * One token bucket for all requests of a run, in order of arrival. It holds half a second's worth of tokens, to make up for timers
 * that fire late, or less, so that no second has more requests than the service's limit, unless the user sets a higher rate. A 429, or a
 * response with nothing remaining, pauses all requests, for `LONGEST_PAUSES` in total. This is the only bound of repeating a request after a
 * 429, so each 429 in a row makes a longer pause, with full jitter, whatever the service asks for.
 */
export function withLimiter(next: Transport, options: LimiterOptions): Transport {
  const { rate: chosen, timing, stop, onWait } = options
  let limit = USUAL_LIMIT
  let rate = paced()
  let tokens = burst()
  let filled = timing.now()
  let pausedUntil = Number.NEGATIVE_INFINITY
  let waited = 0
  /** 429s in a row. Those of requests that were under way together count once. */
  let refusals = 0
  let queue: Promise<unknown> = Promise.resolve()

  function paced(): number {
    return chosen ?? Math.max(1, Math.min(DEFAULT_RATE, (limit * 2) / 3))
  }

  function burst(): number {
    const most = rate > limit ? rate / 2 : Math.min(rate / 2, limit - rate)
    return Math.max(1, most)
  }

  function refill(): void {
    const now = timing.now()
    // A pause adds at most one token. With more, all waiting requests would leave at once after it.
    const most = filled < pausedUntil ? Math.max(1, tokens) : burst()
    tokens = Math.min(most, tokens + ((now - filled) * rate) / 1000)
    filled = now
  }

  /** Waits for a turn. Returns why the request must not be sent, if it must not. */
  async function take(ends: AbortSignal[]): Promise<'aborted' | 'too-long' | undefined> {
    for (;;) {
      if (ends.some(({ aborted }) => aborted)) return 'aborted'
      refill()
      const pause = pausedUntil - timing.now()
      const wait = pause > 0 ? pause : ((1 - tokens) * 1000) / rate
      if (wait < SHORTEST) break
      if (pause > 0) {
        if (waited + wait > LONGEST_PAUSES) return 'too-long'
        waited += wait
        onWait?.({ for: 'limit', milliseconds: Math.ceil(wait), total: waited })
      }
      await timing.sleep(Math.ceil(wait), AbortSignal.any(ends))
    }
    tokens--
    return undefined
  }

  /** Milliseconds after a 429 to a request that left at `sent`. */
  function pauseAfter(response: ApiResponse, sent: number): number {
    if (sent >= pausedUntil) refusals++
    const backoff = Math.min(LONGEST_BACKOFF, UNHINTED_PAUSE * 2 ** Math.max(0, refusals - 1))
    return Math.max(waitHint(response) ?? UNHINTED_PAUSE, timing.random() * backoff)
  }

  function adjust(response: ApiResponse, sent: number): void {
    const { headers } = response
    const announced = Number(headers['x-ratelimit-limit'])
    if (announced > 0) {
      limit = announced
      rate = paced()
    }
    if (response.status !== 429) refusals = 0
    const pause =
      response.status === 429
        ? pauseAfter(response, sent)
        : headers['x-ratelimit-remaining'] === '0'
          ? (seconds(headers['x-ratelimit-reset']) ?? 0)
          : 0
    if (pause > 0) pausedUntil = Math.max(pausedUntil, timing.now() + Math.min(pause, LONGEST_HINT))
  }

  return async (request, signal) => {
    const ends = [signal, request.method === 'GET' ? undefined : stop].filter(one => one !== undefined)
    const turn = queue.then(() => take(ends))
    queue = turn
    const refused = await turn
    if (refused === 'too-long') throw notSent(request, PAUSED_TOO_LONG, TOO_LONG)
    if (refused === 'aborted') throw notSent(request, ABORTED, CANCELLED)
    const sent = timing.now()
    const response = await next(request, signal)
    adjust(response, sent)
    return response
  }
}

const CANCELLED = 'it was cancelled'
const TOO_LONG = `the service asked to wait for more than ${LONGEST_PAUSES / 60_000} minutes in total`

/**
 * Milliseconds that the service asks us to wait, at most `LONGEST_HINT`. Reads `Retry-After` as seconds or as a date. A date is relative
 * to the response's own `Date`, because our clock may be wrong (docs/fault-model.md F-50). After a 429 it also reads
 * `x-ratelimit-reset`, which is a number of seconds, not a time (docs/service.md 9.3). A malformed hint is ignored.
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

/** Milliseconds for a decimal number of seconds. */
function seconds(written: string | undefined): number | undefined {
  return written !== undefined && /^\d{1,12}(?:\.\d{1,12})?$/.test(written.trim())
    ? Number(written) * 1000
    : undefined
}

/** Accepts HTTP dates only: `Date.parse` alone takes "soon 1" for a date. */
const httpDate = (written: string | undefined): number =>
  written !== undefined && /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(written)
    ? Date.parse(written)
    : Number.NaN
