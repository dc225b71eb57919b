import type { ApiResponse, Transport } from '../wire/transport.ts'
import { systemClock } from './clock-and-chance.ts'
import { encodeReply, errorReply } from './route.ts'
import { LIMITS } from './service-limits.ts'

/** How a 429 tells when to retry: `Retry-After` in seconds or as a date, `X-RateLimit-Reset` in seconds, or not at all. */
export type WaitHint = 'seconds' | 'date' | 'reset' | 'silent'

export interface RateLimitOptions {
  readonly hint: WaitHint
  /** Default: 30, as the real service. */
  readonly requestsPerSecond?: number
  readonly now?: () => Date
}

const WINDOW = 1000

/**
 * Allows each token a number of requests in a window of one second. A window begins with the first request after the previous
 * one ended. Every response has the headers; `x-ratelimit-reset` is a number of seconds to wait, 0.0 while requests are left
 * (docs/service.md 9.3). A refused request never reaches the service.
 */
export function withRateLimit(next: Transport, options: RateLimitOptions): Transport {
  const limit = options.requestsPerSecond ?? LIMITS.requestsPerSecond
  const now = options.now ?? systemClock
  const windows = new Map<string, { readonly from: number; used: number }>()
  return async (request, signal) => {
    const time = now().getTime()
    const user = request.headers.authorization ?? ''
    let window = windows.get(user)
    if (window === undefined || time - window.from >= WINDOW || time < window.from) {
      if (windows.size > 1000) windows.clear()
      window = { from: time, used: 0 }
      windows.set(user, window)
    }
    const wait = (window.from + WINDOW - time) / 1000
    const isRefused = window.used >= limit
    if (!isRefused) window.used += 1
    const response = isRefused ? tooMany(options.hint, wait, now()) : await next(request, signal)
    if (options.hint === 'silent') return response
    const announced = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(limit - window.used),
      ...(isRefused ? {} : { 'x-ratelimit-reset': secondsText(0) }),
    }
    return { ...response, headers: { ...announced, ...response.headers } }
  }
}

/** The real service's 429 (docs/service.md 9.3). `wait` is in seconds. */
export function tooMany(hint: WaitHint, wait: number, now: Date): ApiResponse {
  const detail = "You have exceeded the API's rate limit."
  const response = encodeReply(errorReply(429, { title: 'Too many requests', detail }))
  return { ...response, headers: { ...response.headers, ...hintHeaders(hint, wait, now) } }
}

function hintHeaders(hint: WaitHint, wait: number, now: Date): Readonly<Record<string, string>> {
  switch (hint) {
    case 'seconds':
      return { 'retry-after': String(Math.max(1, Math.ceil(wait))) }
    case 'date':
      return { 'retry-after': secondAfter(now.getTime() + wait * 1000).toUTCString() }
    case 'reset':
      return { 'x-ratelimit-reset': secondsText(wait) }
    case 'silent':
      return {}
  }
}

/** HTTP dates have whole seconds; rounding down would invite a client too early. */
const secondAfter = (time: number) => new Date(Math.ceil(time / 1000) * 1000)

/** A float with a decimal point, as the service writes it: `0.0`, `0.427`. */
const secondsText = (seconds: number) => (Number.isInteger(seconds) ? `${seconds}.0` : String(seconds))
