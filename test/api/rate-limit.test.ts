import { describe, expect, test } from 'vitest'
import { withLimiter } from '../../src/api/rate-limit.ts'
import type { ApiRequest, ApiResponse } from '../../src/wire/transport.ts'
import { virtualTime } from './live.ts'

const GET: ApiRequest = { method: 'GET', path: '/x', headers: {} }
const answer = (status = 200, headers: Record<string, string> = {}): ApiResponse => ({
  status,
  headers,
  body: '',
})

/** Sends `count` requests at once. Returns the times at which they were sent. */
async function departures(
  count: number,
  options: { rate?: number; answers?: readonly ApiResponse[]; first?: number } = {},
) {
  const timing = virtualTime()
  const times: number[] = []
  const transport = withLimiter(
    async () => {
      times.push(Math.round(timing.now()))
      return options.answers?.[times.length - 1] ?? answer()
    },
    { timing, ...(options.rate === undefined ? {} : { rate: options.rate }) },
  )
  for (let i = 0; i < (options.first ?? 0); i++) await transport(GET)
  await Promise.all(Array.from({ length: count - (options.first ?? 0) }, () => transport(GET)))
  return times
}

describe('the rate of a run', () => {
  test('is 20 a second, after a burst of half a second', async () => {
    expect(await departures(14)).toEqual([...Array(10).fill(0), 50, 100, 150, 200])
  })

  test('is what the user asks for', async () => {
    expect(await departures(6, { rate: 4 })).toEqual([0, 0, 250, 500, 750, 1000])
    expect(await departures(3, { rate: 1 })).toEqual([0, 1000, 2000])
    expect(await departures(3, { rate: 0.5 })).toEqual([0, 2000, 4000])
  })

  test('is two thirds of what the service announces, if that is less than 20', async () => {
    const announced = answer(200, { 'x-ratelimit-limit': '6' })
    expect(await departures(5, { answers: [announced], first: 1 })).toEqual([0, 0, 0, 250, 500])
  })

  test.each(['30', '600', 'none', '', '-3', '0'])('stays 20 if the service announces "%s"', async limit => {
    const announced = answer(200, { 'x-ratelimit-limit': limit })
    expect(await departures(12, { answers: [announced], first: 1 })).toEqual([...Array(10).fill(0), 50, 100])
  })

  test('is what the user asks for even if the service announces less', async () => {
    const announced = answer(200, { 'x-ratelimit-limit': '6' })
    expect(await departures(12, { rate: 20, answers: [announced], first: 1 })).toEqual([
      ...Array(10).fill(0),
      50,
      100,
    ])
  })

  test('never exceeds 30 in any second by default', async () => {
    const times = await departures(200)
    for (const start of times)
      expect(times.filter(time => time >= start && time < start + 1000).length).toBeLessThanOrEqual(30)
  })

  test.each([6, 9, 20, 25, 30])('at %i a second never exceeds a limit of 30 in any second', async rate => {
    const times = await departures(200, { rate })
    for (const start of times)
      expect(times.filter(time => time >= start && time < start + 1000).length).toBeLessThanOrEqual(30)
  })

  test('exceeds the limit of the service only if the user asks for more', async () => {
    const times = await departures(60, { rate: 40 })
    expect(times.filter(time => time < 1000).length).toBeGreaterThan(40)
  })

  test('drops to zero for all requests after a 429, for as long as Retry-After says', {
    tags: ['F-10', 'F-50'],
  }, async () => {
    const refused = answer(429, { 'retry-after': '5' })
    expect(await departures(4, { answers: [refused], first: 1 })).toEqual([0, 5000, 5000, 5000])
  })

  test('drops to zero for a second after a 429 without Retry-After', async () => {
    expect(await departures(2, { answers: [answer(429)], first: 1 })).toEqual([0, 1000])
  })

  test('drops to zero for twice as long after each 429 in a row, by chance, for 20 seconds at most', {
    tags: ['F-10'],
  }, async () => {
    const hinted = answer(429, { 'retry-after': '0' })
    const one = (answers: readonly ApiResponse[]) =>
      departures(answers.length + 1, { answers, first: answers.length })
    // A half of 1, 2, 4, 8, 16, 20 and 20 seconds.
    expect(await one(Array(7).fill(hinted))).toEqual([0, 500, 1500, 3500, 7500, 15_500, 25_500, 35_500])
    expect(await one([hinted, hinted, answer(), hinted])).toEqual([0, 500, 1500, 1500, 2000])
    // The hint of the service, if that is longer.
    expect(await one(Array(3).fill(answer(429, { 'retry-after': '1.5' })))).toEqual([0, 1500, 3000, 5000])
  })

  test('counts the 429s of requests that were under way together once', async () => {
    const hinted = answer(429, { 'retry-after': '0' })
    const timing = virtualTime()
    const times: number[] = []
    const transport = withLimiter(
      async () => {
        times.push(timing.now())
        await timing.sleep(10)
        return times.length > 8 ? answer() : hinted
      },
      { timing },
    )
    await Promise.all(Array.from({ length: 8 }, () => transport(GET)))
    await transport(GET)
    expect(times.at(-1)).toBe(510)
  })

  test('drops to zero for a minute at most', async () => {
    const refused = answer(429, { 'retry-after': '86400' })
    expect(await departures(2, { answers: [refused], first: 1 })).toEqual([0, 60_000])
  })

  test('drops to zero until the reset if no requests remain', async () => {
    const last = answer(200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0.4' })
    expect(await departures(3, { answers: [last], first: 1 })).toEqual([0, 400, 400])
    const more = answer(200, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '0.4' })
    expect(await departures(3, { answers: [more], first: 1 })).toEqual([0, 0, 0])
  })

  test('does not accumulate during a pause', async () => {
    const refused = answer(429, { 'retry-after': '5' })
    const answers = [...Array(9).fill(answer()), refused]
    expect(await departures(13, { answers, first: 10 })).toEqual([...Array(10).fill(0), 5000, 5050, 5100])
  })
})

describe('a request that waits for its turn', () => {
  test.each([
    ['DELETE', 'ABORTED'],
    ['GET', 'sent'],
  ] as const)('during a pause after a 429 when the run is told to stop: a %s is %s', async (method, end) => {
    const timing = virtualTime()
    const stop = new AbortController()
    const answers = [answer(429, { 'retry-after': '60' })]
    const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      stop.abort()
      await timing.sleep(milliseconds, signal)
    }
    const options = { timing: { ...timing, sleep }, stop: stop.signal }
    const transport = withLimiter(async () => answers.pop() ?? answer(), options)
    await transport(GET)
    const ended = await transport({ ...GET, method }).then(
      () => 'sent',
      ({ code }) => code,
    )
    expect([ended, timing.now()]).toEqual([end, end === 'sent' ? 60_000 : 0])
  })

  test('sleeps once, however many wait before it', async () => {
    const timing = virtualTime()
    const transport = withLimiter(async () => answer(), { timing, rate: 1 })
    await Promise.all(Array.from({ length: 5 }, () => transport(GET)))
    expect(timing.waits).toEqual([1000, 1000, 1000, 1000])
  })

  test('ends at once when its caller aborts it, is not sent, and does not delay others', async () => {
    const timing = virtualTime()
    const controller = new AbortController()
    let sent = 0
    const transport = withLimiter(
      async () => {
        sent++
        return answer()
      },
      {
        rate: 1,
        timing: {
          ...timing,
          sleep: async (milliseconds, signal) => {
            controller.abort()
            await timing.sleep(milliseconds, signal)
          },
        },
      },
    )
    await transport(GET)
    const [stopped, other] = await Promise.allSettled([transport(GET, controller.signal), transport(GET)])
    expect(stopped).toMatchObject({ status: 'rejected', reason: { sent: 'no', code: 'ABORTED' } })
    expect(other.status).toBe('fulfilled')
    expect(sent).toBe(2)
  })
})
