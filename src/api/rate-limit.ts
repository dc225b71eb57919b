import type { ApiResponse, Transport } from '../wire/transport.ts'
import { ABORTED, notSent, PAUSED_TOO_LONG } from './errors.ts'
import type { OnWait, Timing } from './timing.ts'

/** Requests per second by default: two thirds of the known real service's limit (docs/service.md 9.3). */
const DEFAULT_RATE = 20
/** Requests per second that the known real service accepts. A response may announce another limit. */
const USUAL_LIMIT = 30
/** Milliseconds that all requests wait after a 429 without a hint. The backoff of the refused one begins with it too. */
export const UNHINTED_PAUSE = 1000
/** Milliseconds. A hint never makes a request wait longer than this (docs/fault-model.md F-10). */
const LONGEST_HINT = 60_000
/** Milliseconds that a run waits in total because the service asks it to. Without a bound a service could hold it for ever. */
export const LONGEST_PAUSES = 15 * 60_000
/** Milliseconds. Anything shorter is a rounding error of the token bucket. */
const SHORTEST = 0.001

interface LimiterOptions {
  /** Requests per second. Default: the smaller of 20 and two thirds of the announced limit. */
  readonly rate?: number
  readonly timing: Timing
  readonly patience?: Patience
  /** Called for pauses, not for the normal pace. */
  readonly onWait?: OnWait
}

/**
 * One token bucket for all requests of a run, in order of arrival. It holds half a second's worth of tokens, to make up for timers
 * that fire late. In addition no second of the service gets more requests than its limit, unless the user sets a higher rate. A 429, or a
 * response with nothing remaining, pauses all requests.
 */
export function withLimiter(next: Transport, options: LimiterOptions): Transport {
  const { rate: chosen, timing, onWait, patience = createPatience(timing.now) } = options
  let limit = USUAL_LIMIT
  let rate = paced()
  const passed = lastSecond(timing.now)
  let tokens = burst()
  let filled = timing.now()
  let pausedUntil = Number.NEGATIVE_INFINITY
  let queue: Promise<unknown> = Promise.resolve()

  function paced(): number {
    return chosen ?? Math.max(1, Math.min(DEFAULT_RATE, (limit * 2) / 3))
  }

  function burst(): number {
    return Math.max(1, rate / 2)
  }

  function refill(): void {
    const now = timing.now()
    // A pause adds at most one token. With more, all waiting requests would leave at once after it.
    const most = filled < pausedUntil ? Math.max(1, tokens) : burst()
    tokens = Math.min(most, tokens + ((now - filled) * rate) / 1000)
    filled = now
  }

  /** Waits for a turn. Returns what to call when the request has ended, or why it must not be sent. */
  async function take(signal: AbortSignal | undefined): Promise<(() => void) | 'aborted' | 'too-long'> {
    for (;;) {
      if (signal?.aborted === true) return 'aborted'
      refill()
      const pause = pausedUntil - timing.now()
      const wait = pause > 0 ? pause : Math.max(((1 - tokens) * 1000) / rate, untilRoom())
      if (wait < SHORTEST) break
      if (pause > 0) {
        if (!patience.spend(wait)) return 'too-long'
        onWait?.({ for: 'limit', milliseconds: Math.ceil(wait), total: patience.spent() })
      }
      await timing.sleep(Math.ceil(wait), signal)
    }
    tokens--
    return passed.leave()
  }

  /** If the wait depends on responses that are still to come, polling at the pace of the requests is enough. */
  function untilRoom(): number {
    return passed.waitFor(Math.max(limit, rate)) ?? 1000 / rate
  }

  function adjust(response: ApiResponse): void {
    const { headers } = response
    const announced = Number(headers['x-ratelimit-limit'])
    if (announced > 0) {
      limit = announced
      rate = paced()
    }
    const pause =
      response.status === 429
        ? (waitHint(response) ?? UNHINTED_PAUSE)
        : headers['x-ratelimit-remaining'] === '0'
          ? (seconds(headers['x-ratelimit-reset']) ?? 0)
          : 0
    if (pause > 0) pausedUntil = Math.max(pausedUntil, timing.now() + Math.min(pause, LONGEST_HINT))
  }

  return async (request, signal) => {
    const turn = queue.then(() => take(signal))
    queue = turn.catch(() => {})
    const end = await turn.catch((error: unknown) => {
      if (signal?.aborted !== true) throw error
      return 'aborted' as const
    })
    if (end === 'too-long') throw notSent(request, PAUSED_TOO_LONG, TOO_LONG)
    if (end === 'aborted') throw notSent(request, ABORTED, CANCELLED)
    try {
      if (signal?.aborted === true) throw notSent(request, ABORTED, CANCELLED)
      const response = await next(request, signal)
      adjust(response)
      return response
    } finally {
      end()
    }
  }
}

const CANCELLED = 'it was cancelled'
const TOO_LONG = `the service asked to wait for more than ${LONGEST_PAUSES / 60_000} minutes in total`

/** Milliseconds: a second, plus what the clocks of two machines may differ in it. */
const SECOND = 1002

/** The requests that the service may still count in its current second. */
interface LastSecond {
  /**
   * Milliseconds to wait so that one more request leaves no second of the service with more than `most`; 0 or less for none.
   * `undefined` if that depends on responses that are still to come.
   */
  readonly waitFor: (most: number) => number | undefined
  /** A request leaves. Returns what to call when its response has come, or none will come. */
  readonly leave: () => () => void
}

/**
 * The service does not say when a request arrived, but it was before its response came. So a request that leaves a second after the
 * response to another arrives at least a second after it. Counted like this, no second of the service gets too many requests, whether it
 * uses fixed windows, sliding windows or a bucket. Half of the quickest round trip so far is credited for the way to the service. That
 * holds unless responses become twice as quick.
 */
function lastSecond(now: () => number): LastSecond {
  const answered: number[] = []
  let underWay = 0
  let quickest = Number.POSITIVE_INFINITY
  return {
    waitFor: most => {
      const time = now()
      while (answered[0] !== undefined && answered[0] + SECOND <= time) answered.shift()
      const over = underWay + answered.length - Math.max(1, Math.floor(most))
      if (over < 0) return 0
      const last = answered[over]
      return last === undefined ? undefined : last + SECOND - quickest / 2 - time
    },
    leave: () => {
      const left = now()
      underWay++
      return () => {
        const time = now()
        underWay--
        answered.push(time)
        quickest = Math.min(quickest, time - left)
      }
    },
  }
}

/** How long a run keeps waiting because the service asks it to. Waits at the same time count once. */
export interface Patience {
  /** False if the total would become too long. From then on it stays false. */
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
