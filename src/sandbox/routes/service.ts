import { DISCOVERY } from '../limits.ts'
import { answered, emptyAnswer } from '../reply.ts'
import { seedOf } from '../seed-snapshot.ts'
import type { RequestContext, Route } from '../service.ts'

/** What clients ask before they have a token (docs/service.md 9.5, 14.2). */
export const openRoutes: readonly Route[] = [
  { method: 'GET', path: 'api/v2/ping', access: 'open', answer: () => emptyAnswer() },
  {
    method: 'GET',
    path: '.well-known/terraform.json',
    access: 'open',
    answer: () => ({ ...answered(DISCOVERY), mediaType: 'application/json' }),
  },
]

/** The sandbox's own endpoint, outside the interface: the whole state as a seed. */
export const snapshotRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: 'sandbox/snapshot',
    access: 'admin',
    answer: (context: RequestContext) => ({
      status: 200,
      body: seedOf(context.store, { sensitive: context.call.query.sensitive === 'true' }),
      mediaType: 'application/json',
    }),
  },
]
