import { expect, test } from 'vitest'
import { withFewerAtOnce } from '../../src/api/at-once.ts'
import type { ApiRequest, ApiResponse } from '../../src/wire/transport.ts'

const PATCH: ApiRequest = { method: 'PATCH', path: '/x', headers: {} }
const GET: ApiRequest = { method: 'GET', path: '/x', headers: {} }

/** A service that holds requests until all that were sent at once have arrived, and answers them with these statuses. */
function aService(statuses: readonly number[]) {
  const open: ((response: ApiResponse) => void)[] = []
  const left = [...statuses]
  const transport = withFewerAtOnce(() => new Promise(answer => open.push(answer)))
  return {
    transport,
    /** Responds to everything that is under way. Returns how much that was. */
    respond: async (): Promise<number> => {
      await new Promise(resolve => setImmediate(resolve))
      const all = open.splice(0)
      for (const answer of all) answer({ status: left.shift() ?? 200, headers: {}, body: '' })
      await new Promise(resolve => setImmediate(resolve))
      return all.length
    },
  }
}

async function turns(statuses: readonly number[], writes: number, request = PATCH): Promise<number[]> {
  const { transport, respond } = aService(statuses)
  const ended = Promise.all(Array.from({ length: writes }, () => transport(request)))
  const found: number[] = []
  for (let sent = 0; sent < writes; sent += found.at(-1) ?? 0) found.push(await respond())
  await ended
  return found
}

test('all writes are sent at once while the service does not fail', async () => {
  expect(await turns([], 8)).toEqual([8])
  expect(await turns([422, 404, 429], 8)).toEqual([8])
})

test('after a failure of the service among several writes, half as many are under way', async () => {
  const { transport, respond } = aService([500, 500])
  const first = Array.from({ length: 8 }, () => transport(PATCH))
  expect(await respond()).toBe(8)
  await Promise.all(first)
  const then = Array.from({ length: 20 }, () => transport(PATCH))
  // Both failures were of the same eight.
  expect(await respond()).toBe(4)
  expect(await respond()).toBe(4)
  for (let sent = 8; sent < 20; ) sent += await respond()
  await Promise.all(then)
})

test('further failures halve it down to one, and a failure of a single write changes nothing', async () => {
  const { transport, respond } = aService([500, 200, 200, 200, 503, 200, 500, 200, 200])
  await Promise.all([...Array.from({ length: 4 }, () => transport(PATCH)), respond()])
  const ended = Promise.all(Array.from({ length: 6 }, () => transport(PATCH)))
  expect([await respond(), await respond(), await respond(), await respond(), await respond()]).toEqual([
    2, 1, 1, 1, 1,
  ])
  await ended
})

test('reads are never held back', async () => {
  expect(await turns([500, 500, 500], 8, GET)).toEqual([8])
  const { transport, respond } = aService([500, 500])
  await Promise.all([transport(PATCH), transport(PATCH), respond()])
  const ended = Promise.all(Array.from({ length: 5 }, () => transport(GET)))
  expect(await respond()).toBe(5)
  await ended
})
