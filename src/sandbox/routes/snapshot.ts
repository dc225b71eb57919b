import { seedOf } from '../seed-snapshot.ts'
import type { Context, Route } from '../service.ts'

/** The sandbox's own endpoint, outside the interface: the whole state as a seed. */
export const snapshotRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: 'sandbox/snapshot',
    access: 'admin',
    answer: (context: Context) => ({
      status: 200,
      body: seedOf(context.store, { sensitive: context.call.query.sensitive === 'true' }),
      mediaType: 'application/json',
    }),
  },
]
