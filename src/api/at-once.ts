import pLimit from 'p-limit'
import type { Transport } from '../wire/transport.ts'
import { isServerFailure } from './statuses.ts'

/**
 * Sends fewer writes at once after the service failed on one of several: the database of a server may refuse writes that meet
 * (docs/service.md#servers-that-others-wrote). Each failure halves their number, down to one, for the rest of the run. Failures of writes that were under way
 * together count once.
 */
export function withFewerAtOnce(next: Transport): Transport {
  const limit = pLimit(Number.POSITIVE_INFINITY)
  let lowered = 0
  return async (request, signal) => {
    if (request.method === 'GET') return await next(request, signal)
    return await limit(async () => {
      const [before, beside] = [lowered, limit.activeCount]
      const response = await next(request, signal)
      const together = Math.max(beside, limit.activeCount)
      if (isServerFailure(response.status) && together > 1 && lowered === before) {
        lowered++
        limit.concurrency = Math.max(1, Math.floor(Math.min(limit.concurrency, together) / 2))
      }
      return response
    })
  }
}
