import { describe, expect, test } from 'vitest'
import { openClient } from '../../src/api/client.ts'
import { createPatience, type RetryOptions, withRetry } from '../../src/api/retry.ts'
import type { Timing } from '../../src/api/timing.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type Transport,
  TransportError,
} from '../../src/wire/transport.ts'
import { virtualTime } from './live.ts'

const GET: ApiRequest = { method: 'GET', path: '/x', headers: {} }
const POST: ApiRequest = { method: 'POST', path: '/x', headers: {}, repeatable: false }
const PATCH: ApiRequest = { method: 'PATCH', path: '/x', headers: {}, repeatable: true }

type Step = number | ApiResponse | 'no' | 'maybe' | 'certificate' | 'done'
const DATE = 'Wed, 21 Oct 2026 07:28:00 GMT'

const answer = (status: number, headers: Record<string, string> = {}): ApiResponse => ({
  status,
  headers,
  body: '',
})

/** Answers each attempt with the next step, and then with 200. */
function scripted(steps: readonly Step[]): { transport: Transport; attempts: () => number } {
  let attempts = 0
  return {
    attempts: () => attempts,
    transport: async () => {
      const step = steps[attempts++] ?? 'done'
      if (step === 'done') return answer(200)
      if (step === 'certificate') throw new TransportError('c', { sent: 'no', code: 'CERT_HAS_EXPIRED' })
      if (step === 'no' || step === 'maybe')
        throw new TransportError(step, { sent: step, code: 'ECONNRESET' })
      return typeof step === 'number' ? answer(step) : step
    },
  }
}

async function outcomeOf(
  request: ApiRequest,
  steps: readonly Step[],
  options: Partial<RetryOptions> & { signal?: AbortSignal } = {},
) {
  const timing = virtualTime()
  const { transport, attempts } = scripted(steps)
  const { signal, ...rest } = options
  const result = await withRetry(transport, { patience: createPatience(), timing, ...rest })(
    request,
    signal,
  ).then(
    ({ status, earlierAttempt }) => (earlierAttempt === undefined ? status : `${status} after maybe`),
    (error: TransportError) => `sent ${error.sent}`,
  )
  return { result, attempts: attempts(), waits: timing.waits }
}

/** A server that gives its reasons with 500 (docs/service.md#servers-that-others-wrote). */
const refused = (detail: string): ApiResponse => ({
  ...answer(500),
  body: JSON.stringify({ errors: [{ title: 'Internal Server Error', detail }] }),
})

describe('a failure with a reason', () => {
  test.each([
    ['changing the key of a sensitive variable is not allowed', 500, 1],
    ['updating variable: resource already exists', 500, 1],
    ['ERROR: deadlock detected (SQLSTATE 40P01)', '200 after maybe', 2],
    ['never: resource already exists', '200 after maybe', 2],
  ])('is repeated only if the reason may pass: %s', async (detail, result, attempts) => {
    expect(await outcomeOf(PATCH, [refused(detail)])).toMatchObject({ result, attempts })
  })
})

describe('which requests are retried', () => {
  test.each<[string, ApiRequest, Step, number | string, number]>([
    ['a read that was not sent', GET, 'no', 200, 2],
    ['a create that was not sent', POST, 'no', 200, 2],
    ['an update that was not sent', PATCH, 'no', 200, 2],
    ['a read whose response was lost', GET, 'maybe', 200, 2],
    ['an update whose response was lost', PATCH, 'maybe', '200 after maybe', 2],
    ['a create whose response was lost: never', POST, 'maybe', 'sent maybe', 1],
    [
      'a request that is not marked as repeatable: never',
      { ...POST, repeatable: false },
      'maybe',
      'sent maybe',
      1,
    ],
    ['a read after 500', GET, 500, 200, 2],
    ['a read after 502', GET, 502, 200, 2],
    ['a read after 503', GET, 503, 200, 2],
    ['a read after 504', GET, 504, 200, 2],
    ['a read after 501: never', GET, 501, 501, 1],
    ['a read after 505: never', GET, 505, 505, 1],
    ['an update after 504', PATCH, 504, '200 after maybe', 2],
    ['a create after 500: never', POST, 500, 500, 1],
    ['a create after 429', POST, 429, 200, 2],
    ['an update after 429', PATCH, 429, 200, 2],
    ['anything after 401: never', GET, 401, 401, 1],
    ['anything after 404: never', GET, 404, 404, 1],
    ['anything after 422: never', PATCH, 422, 422, 1],
    ['anything after 302: never', GET, 302, 302, 1],
    ['anything after a certificate error: never', GET, 'certificate', 'sent no', 1],
  ])('%s', async (_, request, step, result, attempts) => {
    const outcome = await outcomeOf(request, [step])
    expect({ result: outcome.result, attempts: outcome.attempts }).toEqual({ result, attempts })
  })

  test('at most four attempts are made, and the last response is the result', { tags: ['8.2'] }, async () => {
    expect(await outcomeOf(GET, [500, 502, 503, 504])).toMatchObject({ result: 504, attempts: 4 })
    expect(await outcomeOf(POST, ['no', 'no', 'no', 'no'])).toMatchObject({ result: 'sent no', attempts: 4 })
  })

  test('a 429 is no attempt, for a create as well', { tags: ['F-10'] }, async () => {
    expect(await outcomeOf(POST, Array(30).fill(429))).toMatchObject({ result: 200, attempts: 31 })
    expect(await outcomeOf(GET, [429, 500, 429, 502, 429, 503, 429, 504])).toMatchObject({
      result: 504,
      attempts: 8,
    })
  })

  test('the result says whether an earlier attempt may have had an effect', async () => {
    expect((await outcomeOf(PATCH, ['maybe', 'no', 'no', 'no'])).result).toBe('sent maybe')
    expect((await outcomeOf(PATCH, ['maybe', 404])).result).toBe('404 after maybe')
    expect((await outcomeOf(PATCH, ['maybe', 401])).result).toBe('401 after maybe')
    expect((await outcomeOf(PATCH, [503, 422])).result).toBe('422 after maybe')
    expect((await outcomeOf(PATCH, ['no', 429, 422])).result).toBe(422)
  })

  test('an error that is not a network error is passed on unchanged', async () => {
    const bug = new TypeError('bug')
    const retrying = withRetry(() => Promise.reject(bug), {
      patience: createPatience(),
      timing: virtualTime(),
    })
    await expect(retrying(GET)).rejects.toBe(bug)
  })
})

describe('the wait before a retry', () => {
  test('after a fault: a random part of 50 ms, doubled each time', async () => {
    expect((await outcomeOf(GET, [500, 'maybe', 502])).waits).toEqual([25, 50, 100])
  })

  test.each<[string, number, Record<string, string>, number]>([
    ['Retry-After in seconds', 429, { 'retry-after': '7' }, 7000],
    ['Retry-After with a fraction', 429, { 'retry-after': '1.5' }, 1500],
    ['Retry-After below the backoff', 429, { 'retry-after': '0' }, 500],
    ['an excessive Retry-After', 429, { 'retry-after': '1000000000' }, 60_000],
    ['a negative Retry-After', 429, { 'retry-after': '-1' }, 1000],
    ['Retry-After that is a word', 429, { 'retry-after': 'soon' }, 1000],
    ['an empty Retry-After', 429, { 'retry-after': '' }, 1000],
    [
      'Retry-After as a date, relative to the Date header',
      429,
      { 'retry-after': 'Wed, 21 Oct 2026 07:28:09 GMT', date: DATE },
      9000,
    ],
    [
      'Retry-After as a date in the past',
      429,
      { 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT', date: DATE },
      500,
    ],
    [
      'Retry-After as a date without a Date header',
      429,
      { 'retry-after': 'Wed, 21 Oct 2026 07:28:09 GMT' },
      1000,
    ],
    ['X-RateLimit-Reset in seconds', 429, { 'x-ratelimit-reset': '0.75' }, 750],
    ['an excessive X-RateLimit-Reset', 429, { 'x-ratelimit-reset': '1790000000' }, 60_000],
    [
      'Retry-After rather than X-RateLimit-Reset',
      429,
      { 'retry-after': '2', 'x-ratelimit-reset': '9' },
      2000,
    ],
    ['Retry-After of a 503', 503, { 'retry-after': '3' }, 3000],
    ['X-RateLimit-Reset of a 503, which is ignored', 503, { 'x-ratelimit-reset': '9' }, 25],
  ])('with the pause of the limiter: %s', async (_, status, headers, wait) => {
    const timing = { ...virtualTime(), random: () => 0.5 }
    const { transport } = openClient(scripted([answer(status, headers)]).transport, { timing })
    await transport(GET)
    expect(timing.now()).toBe(wait)
  })
})

describe('the end of retries', () => {
  test('a wait that would end after the deadline of the run is not started', async () => {
    expect(await outcomeOf(GET, [503, 503], { deadline: 26 })).toMatchObject({ result: 503, waits: [25] })
    expect(await outcomeOf(GET, [429], { deadline: 0 })).toMatchObject({ result: 429, attempts: 1 })
  })

  test('the stop signal of a run ends all retries', { tags: ['8.2'] }, async () => {
    const stop = new AbortController()
    stop.abort()
    expect(await outcomeOf(GET, [500], { stop: stop.signal })).toMatchObject({ result: 500, attempts: 1 })
    expect(await outcomeOf(GET, [429], { stop: stop.signal })).toMatchObject({ result: 429, attempts: 1 })
  })

  test.each(['caller', 'run'])('a wait ends as soon as the %s aborts', async who => {
    const controller = new AbortController()
    const timing: Timing = {
      ...virtualTime(),
      sleep: (_, signal) =>
        new Promise(resolve => {
          signal?.addEventListener('abort', () => resolve())
          controller.abort()
        }),
    }
    const outcome = await outcomeOf(
      PATCH,
      ['maybe', 'done'],
      who === 'run' ? { timing, stop: controller.signal } : { timing, signal: controller.signal },
    )
    expect(outcome).toMatchObject({ result: 'sent maybe', attempts: 1 })
  })

  /** A run that sends one request after the other: how often each was sent. */
  async function run(requests: number, statusOf: (attempt: number) => number) {
    const patience = createPatience()
    const sent: number[] = []
    let attempts = 0
    const transport: Transport = async () => {
      sent.push((sent.pop() ?? 0) + 1)
      return answer(statusOf(attempts++))
    }
    const retrying = withRetry(transport, { patience, timing: virtualTime() })
    for (let at = 0; at < requests; at++) {
      sent.push(0)
      await retrying(GET)
    }
    return { sent, isExhausted: patience.isExhausted() }
  }

  test('after 20 repeats without a success in between, every request fails at once', {
    tags: ['I-13'],
  }, async () => {
    expect(await run(9, () => 503)).toEqual({ sent: [4, 4, 4, 4, 4, 4, 3, 1, 1], isExhausted: true })
    // A success later does not bring back what stopped the run.
    const late = await run(10, attempt => (attempt > 28 ? 200 : 503))
    expect(late).toEqual({ sent: [4, 4, 4, 4, 4, 4, 3, 1, 1, 1], isExhausted: true })
  })

  test('a success in between begins anew, and a 429 counts neither as a failure nor as a success', async () => {
    const rare = await run(30, attempt => (attempt % 4 === 3 ? 200 : 503))
    expect(rare).toEqual({ sent: Array(30).fill(4), isExhausted: false })
    const throttled = await run(3, attempt => (attempt % 50 === 49 ? 200 : 429))
    expect(throttled).toEqual({ sent: [50, 50, 50], isExhausted: false })
    const both = await run(8, attempt => (attempt % 2 === 0 ? 503 : 429))
    expect(both).toEqual({ sent: [7, 8, 8, 8, 8, 8, 6, 2], isExhausted: true })
  })
})
