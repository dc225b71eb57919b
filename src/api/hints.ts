import type { ApiResponse } from '../wire/transport.ts'

/** Nothing waits longer than this for a hint, in milliseconds (docs/fault-model.md F-10). */
export const LONGEST_HINT = 60_000

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
