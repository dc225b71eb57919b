import type { Transport } from '../wire/transport.ts'

export interface RequestCounts {
  readonly reads: number
  readonly writes: number
}

/** Counts attempts, repetitions included: what the service is asked to do. */
export function countRequests(next: Transport): {
  readonly transport: Transport
  readonly counts: () => RequestCounts
} {
  let reads = 0
  let writes = 0
  return {
    transport: (request, signal) => {
      if (request.method === 'GET') reads++
      else writes++
      return next(request, signal)
    },
    counts: () => ({ reads, writes }),
  }
}
