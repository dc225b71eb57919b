import { expect, test } from 'vitest'
import { RunRecord } from '../../../src/run/commands/run-record.ts'

const record = (over?: RunRecord) =>
  new RunRecord(
    () => new Date(0),
    async () => 'c0ffee',
    over,
  )

test('waits of parallel requests for one limit count once, and retries each', async () => {
  const one = record()
  // Two requests wait for the same pause; the second tells what it adds to the first.
  one.wait({ for: 'limit', milliseconds: 100, total: 100 })
  one.wait({ for: 'limit', milliseconds: 100, total: 130 })
  one.wait({ for: 'retry', milliseconds: 7, reason: 503 })
  one.wait({ for: 'retry', milliseconds: 7, reason: 503 })
  expect(await one.info({ version: '1', shard: undefined })).toMatchObject({
    waitedMs: 144,
    waits: { limit: 130, retry: 14 },
  })
})

test('a run over several organizations has the waits of all', () => {
  const all = record()
  const [one, other] = [record(all), record(all)]
  one.wait({ for: 'limit', milliseconds: 100, total: 100 })
  other.wait({ for: 'limit', milliseconds: 50, total: 50 })
  expect([all.waits, one.waits, other.waits]).toEqual([
    { limit: 150, retry: 0 },
    { limit: 100, retry: 0 },
    { limit: 50, retry: 0 },
  ])
})
