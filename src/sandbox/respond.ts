import type { ApiRequest, ApiResponse } from '../wire/transport.ts'
import { authenticate, authorize } from './access.ts'
import { type Call, readCall } from './call.ts'
import { withExtras } from './extras.ts'
import { idFrom, randomId, versionFrom } from './ids.ts'
import { ENTERPRISE_HEADERS, SERVICE_HEADERS } from './limits.ts'
import type { Profile } from './profile.ts'
import type { Batch } from './records.ts'
import { notFound, Refusal } from './refusal.ts'
import { encodeReply, type Reply, replyOfRefusal } from './reply.ts'
import { matchRoute } from './router.ts'
import type { Context } from './service.ts'
import type { Store } from './store.ts'

/** What an answer depends on besides the request. */
export interface Service {
  readonly store: Store
  /** The state that lists show now; counts one read of it. */
  readonly readLists: () => Store
  readonly profile: Profile
  readonly now: () => Date
  /** For shuffled lists and extra members. */
  readonly random: () => number
  /** Where ids come from; undefined: they count up, the same in each run. */
  readonly randomIds: (() => number) | undefined
  /** Keeps the batch and applies it. Throws, and changes nothing, where it cannot be kept. */
  readonly commit: (batch: Batch) => void
}

/** State × request × profile → state × answer. Any request has an answer; only a broken disk throws. */
export function respond(service: Service, request: ApiRequest): ApiResponse {
  const { profile } = service
  const response = encodeReply(answer(service, request))
  const names = profile.stacks === 'enterprise' ? ENTERPRISE_HEADERS : SERVICE_HEADERS
  const inside = request.path.startsWith('/api/')
  const body = inside ? withExtras(response.body, profile.extras, service.random) : response.body
  return { ...response, body, headers: { ...response.headers, ...(inside ? names : {}) } }
}

function answer(service: Service, request: ApiRequest): Reply {
  try {
    return carryOut(service, readCall(request))
  } catch (error) {
    if (error instanceof Refusal) return replyOfRefusal(error, service.profile)
    throw error
  }
}

function carryOut(service: Service, call: Call): Reply {
  const { store, profile } = service
  const match = matchRoute(call)
  const token = match?.route.access === 'open' ? undefined : authenticate(call.token, store, profile)
  if (match === undefined) throw notFound()
  let { sequence } = store
  // A state that was seeded has ids that another count, begun at 1, has given.
  const unused = (nameOf: (number: number) => string): string => {
    for (;;) {
      sequence += 1
      const name = nameOf(sequence)
      if (!store.isTaken(name)) return name
    }
  }
  let listed: Store | undefined
  const at = service.now().toISOString()
  const context: Context = {
    store,
    get listed() {
      listed ??= service.readLists()
      return listed
    },
    profile,
    call,
    params: match.params,
    token,
    at,
    newId: prefix => {
      const random = service.randomIds === undefined ? undefined : randomId(prefix, service.randomIds)
      return random === undefined || store.isTaken(random)
        ? unused(number => idFrom(prefix, `id ${number}`))
        : random
    },
    newVersion: () => unused(number => versionFrom(`version ${number}`)),
    random: service.random,
  }
  authorize(match.route, context)
  const outcome = match.route.answer(context)
  if (!('changes' in outcome)) return outcome
  if (outcome.changes.length > 0) service.commit({ at, sequence, changes: outcome.changes })
  return outcome.reply()
}
