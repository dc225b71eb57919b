import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mapBounded } from '../../src/api/pages.ts'
import { withLimiter } from '../../src/api/rate-limit.ts'
import { withRateLimit } from '../../src/sandbox/rate-limit.ts'
import type { ApiRequest, ApiResponse, Transport } from '../../src/wire/transport.ts'
import { virtualTime } from './live.ts'

const GET: ApiRequest = { method: 'GET', path: '/x', headers: {} }
const DONE: ApiResponse = { status: 200, headers: {}, body: '' }
const LIMIT = 30

/** Milliseconds. The values of each list are used in turn, and then from the start again. */
interface Journey {
  readonly rate?: number
  /** How much later than requested timers fire. */
  readonly late: readonly number[]
  /** How long each request takes to the service, and each response back. */
  readonly there: readonly number[]
  readonly back: readonly number[]
  readonly count: number
  readonly atOnce?: number
  /** Milliseconds of the service's clock in one of ours. */
  readonly clock?: number
}

/** Sends requests in virtual time to a service that accepts 30 per second. Returns their arrival times by its clock. */
async function travel({ rate, late, there, back, count, atOnce = 8, clock = 1 }: Journey) {
  const time = virtualTime()
  const arrivals: number[] = []
  const statuses: number[] = []
  const serviceTime = (): number => time.now() * clock
  const service = withRateLimit(
    async () => {
      arrivals.push(serviceTime())
      return DONE
    },
    { hint: 'reset', requestsPerSecond: LIMIT, now: () => new Date(serviceTime()) },
  )
  let sent = 0
  let slept = 0
  const network: Transport = async request => {
    const n = sent++
    await time.sleep(nth(there, n))
    const response = await service(request)
    statuses.push(response.status)
    await time.sleep(nth(back, n))
    return response
  }
  const transport = withLimiter(network, {
    timing: {
      ...time,
      sleep: (milliseconds, signal) => time.sleep(milliseconds + nth(late, slept++), signal),
    },
    ...(rate === undefined ? {} : { rate }),
  })
  await mapBounded(Array.from({ length: count }), atOnce, () => transport(GET))
  return { arrivals, statuses, seconds: time.now() / 1000 }
}

const nth = (values: readonly number[], n: number): number => values[n % values.length] ?? 0

/** The maximum in any window of one second. */
const mostInASecond = (arrivals: readonly number[]): number =>
  Math.max(
    ...arrivals.map((from, index) => arrivals.filter((at, i) => i >= index && at < from + 1000).length),
  )

const milliseconds = (min: number, max: number): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min, max, noNaN: true }), { minLength: 1, maxLength: 40 })

describe('a run at the limit of the service', () => {
  test('never gets a 429, however late timers fire and however much network delays vary', async () => {
    const journey = fc
      .record({ rate: fc.constantFrom(undefined, 25, 29, 30), way: fc.constantFrom(0, 0.5, 5, 60) })
      .chain(({ rate, way }) =>
        fc.record({
          rate: fc.constant(rate),
          late: fc.oneof(milliseconds(0, 3), milliseconds(0, 400)),
          there: milliseconds(way, 2 * way),
          // The client takes half of the quickest round trip as the way to the service. Some responses are delayed more.
          back: fc.oneof(milliseconds(way, 2 * way), milliseconds(way, 2 * way).map(held)),
          count: fc.constant(150),
          atOnce: fc.constantFrom(1, 8, 40),
          clock: fc.constantFrom(0.9985, 1, 1.0015),
        }),
      )
    await fc.assert(
      fc.asyncProperty(journey, async ({ rate, ...rest }) => {
        const { arrivals, statuses } = await travel({ ...rest, ...(rate === undefined ? {} : { rate }) })
        expect(new Set(statuses)).toEqual(new Set([200]))
        expect(mostInASecond(arrivals)).toBeLessThanOrEqual(LIMIT)
      }),
      { seed: 30, numRuns: 150 },
    )
  })

  test('never gets a 429 if the requests that arrive first are answered last', async () => {
    const there = [80, 80, 40, 40]
    const back = [40, 40, 80, 80]
    const { arrivals } = await travel({ rate: LIMIT, late: [0], there, back, count: 150 })
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(LIMIT)
  })

  test.each([
    { what: 'timers on time', late: [0], there: [1], back: [1] },
    { what: 'timers a few milliseconds late', late: [0, 1, 9, 3, 1, 15, 2], there: [1], back: [1] },
    { what: 'a distant service', late: [1], there: [25], back: [25] },
  ])('uses 95 % of the limit: $what', async ({ late, there, back }) => {
    const { seconds } = await travel({ rate: LIMIT, late, there, back, count: 500 })
    // No client can be quicker: the last twenty are in the seventeenth second.
    expect(16 / seconds).toBeGreaterThan(0.95)
  })

  test.each([20, 25])('at %i requests a second is not slowed by late timers', async rate => {
    const { seconds } = await travel({ rate, late: [0, 9, 3, 15], there: [1], back: [1], count: 500 })
    expect((500 - rate / 2) / seconds).toBeGreaterThan(0.99 * rate)
  })

  test('waits for responses if the maximum number of requests is in progress', async () => {
    const { arrivals } = await travel({
      rate: 30,
      late: [0],
      there: [5000],
      back: [0],
      count: 60,
      atOnce: 60,
    })
    expect(arrivals.filter(at => at <= 6000)).toHaveLength(30)
    expect(arrivals).toHaveLength(60)
  })
})

/** Delays every third one. */
const held = (ways: readonly number[]): number[] =>
  ways.map((way, index) => way + (index % 3 === 2 ? 700 : 0))
