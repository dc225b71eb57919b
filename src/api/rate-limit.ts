import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { ABORTED, PAUSED_TOO_LONG } from './errors.ts'
import { createPatience, LONGEST_PAUSES, type OnWait, type Patience, seconds, waitHint } from './retry.ts'
import type { Timing } from './timing.ts'

/** Requests a second where nothing is said: two thirds of the known real service's limit (docs/service.md 9.3). */
const DEFAULT_RATE = 20
/** The known real service's limit, until an answer announces another. */
const USUAL_LIMIT = 30
/** The pause of all requests after a 429 that does not say how long, in milliseconds. */
const PAUSE = 1000

/** Milliseconds; less than this is the rounding of fractions of tokens. */
const SHORTEST = 0.001

interface LimiterOptions {
  /** Requests a second. Without it: the smaller of 20 and two thirds of what the service announces. */
  readonly rate?: number
  readonly timing: Timing
  /** How long the run waits in all because the service asks it to. Default 15 minutes. */
  readonly patience?: Patience
  /** Told of pauses, not of the pace. */
  readonly onWait?: OnWait
}

/**
 * One token bucket for all requests of a run, first come, first served. It holds half a second's worth: that makes up for
 * timers that fire late. Beside it no second may hold more than the limit, as the service counts, unless the user asks for
 * more. A 429, or an answer that says nothing is left, pauses everyone.
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
    // What drips in during a pause is one token at the most, or everyone would leave at once after it.
    const most = filled < pausedUntil ? Math.max(1, tokens) : burst()
    tokens = Math.min(most, tokens + ((now - filled) * rate) / 1000)
    filled = now
  }

  /** Returns what to call at the end of the request; why there is none where it was given up. */
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

  /** Where all that counts is under way, a look now and then is enough. */
  function untilRoom(): number {
    return passed.waitFor(Math.max(limit, rate)) ?? 1000 / rate
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
    if (pause > 0) pausedUntil = Math.max(pausedUntil, timing.now() + Math.min(pause, 60_000))
  }

  return async (request, signal) => {
    const turn = queue.then(() => take(signal))
    queue = turn.catch(() => {})
    const end = await turn.catch((error: unknown) => {
      if (signal?.aborted !== true) throw error
      return 'aborted' as const
    })
    if (end === 'too-long') throw unsent(request, TOO_LONG, PAUSED_TOO_LONG)
    if (end === 'aborted') throw unsent(request, GIVEN_UP, ABORTED)
    try {
      if (signal?.aborted === true) throw unsent(request, GIVEN_UP, ABORTED)
      const response = await next(request, signal)
      heed(response)
      return response
    } finally {
      end()
    }
  }
}

const GIVEN_UP = 'the request was given up before it was sent'
const TOO_LONG = `not sent, for the service had asked to wait for more than ${LONGEST_PAUSES / 60_000} minutes in all`

const unsent = ({ method, path }: ApiRequest, why: string, code: string): TransportError =>
  new TransportError(`${method} ${path}: ${why}`, { sent: 'no', code })

/** Milliseconds: a second, and what the clocks of two machines may differ in it. */
const SECOND = 1002

/** The requests that the service may still count in its present second. */
interface LastSecond {
  /**
   * Milliseconds, 0 or less where there are none, until one more leaves no second of the service with more than `most`.
   * `undefined` where that depends on answers that are still to come.
   */
  readonly waitFor: (most: number) => number | undefined
  /** A request leaves. Returns what to call when its answer is there, or there will be none. */
  readonly leave: () => () => void
}

/**
 * When a request arrived nobody tells us, but it was before its answer came. So one that leaves a second after the answer to
 * another arrives a second after that other, however long both were on the way. Counted like this no second of the service
 * holds more than allowed, whether its seconds are windows that begin anywhere or a bucket that fills. The way there takes
 * time as well, and half of the quickest answer so far is taken for that: it holds unless answers become twice as quick.
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
