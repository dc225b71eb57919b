import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest, Transport } from '../wire/transport.ts'
import type { Server } from './profile.ts'
import { encodeReply, failed, replyOfRefusal } from './route.ts'
import { LIMITS } from './service-limits.ts'

/**
 * A database in which two kinds of writes lock the same tables in another order: an update of a set while a set is assigned, or the
 * reverse, gets 500 and changes nothing (docs/service.md#servers-that-others-wrote). The first one that waited loses. Each of them takes some time, so
 * that requests of one client can meet.
 */
export function withDeadlocks(next: Transport, server: Server): Transport {
  const open = { update: 0, assignment: 0 }
  return async (request, signal) => {
    const lock = lockOf(request)
    if (lock === undefined) return await next(request, signal)
    open[lock] += 1
    try {
      await sleep(LIMITS.lockMilliseconds)
      if (open[lock === 'update' ? 'assignment' : 'update'] === 0) return await next(request, signal)
      return encodeReply(replyOfRefusal(failed('ERROR: deadlock detected (SQLSTATE 40P01)'), server))
    } finally {
      open[lock] -= 1
    }
  }
}

function lockOf({ method, path }: ApiRequest): 'update' | 'assignment' | undefined {
  if (/^\/api\/v2\/varsets\/[^/]+$/.test(path)) return method === 'PATCH' ? 'update' : undefined
  return method === 'POST' && /^\/api\/v2\/varsets\/[^/]+\/relationships\/workspaces$/.test(path)
    ? 'assignment'
    : undefined
}
