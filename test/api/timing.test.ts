import { describe, expect, test } from 'vitest'
import { until } from '../../src/api/timing.ts'

/** What was asked and waited for, until the answer is at least `enough`; the answers are 1, 2, 3 and so on. */
async function asked(enough: number, waits: readonly number[], stopAt = Infinity): Promise<unknown> {
  const stop = new AbortController()
  const log: string[] = []
  let answer = 0
  const last = await until(
    async () => {
      answer += 1
      log.push(`ask ${answer}`)
      if (answer === stopAt) stop.abort()
      return answer
    },
    one => one >= enough,
    waits,
    { sleep: async milliseconds => void log.push(`wait ${milliseconds}`), stop: stop.signal },
  )
  return [last, log.join(', ')]
}

describe('what waits and asks again', () => {
  test('asks at once, and waits for nothing if the first answer is enough', async () => {
    expect(await asked(1, [10, 20])).toEqual([1, 'ask 1'])
  })
  test('asks after each wait until the answer is enough; otherwise the last one counts', async () => {
    expect(await asked(2, [10, 20])).toEqual([2, 'ask 1, wait 10, ask 2'])
    expect(await asked(9, [10, 20])).toEqual([3, 'ask 1, wait 10, ask 2, wait 20, ask 3'])
  })
  test('asks nothing more after a signal', async () => {
    expect(await asked(9, [10, 20], 2)).toEqual([2, 'ask 1, wait 10, ask 2'])
  })
})
