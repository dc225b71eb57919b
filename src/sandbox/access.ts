import type { Profile } from './profile.ts'
import type { Permission, TokenRecord } from './records.ts'
import { notFound, Refusal, unauthorized } from './refusal.ts'
import type { Route } from './service.ts'
import type { Store } from './store.ts'

const RANK = {
  none: 0,
  'read-variables': 1,
  'manage-workspaces': 2,
  admin: 3,
} as const satisfies Record<Permission, number>

/** Who asks. Refuses a token that is missing or unknown (401 in the real service: docs/service.md 9.1). */
export function authenticate(token: string | undefined, store: Store, profile: Profile): TokenRecord {
  const record = token === undefined ? undefined : store.tokens.get(token)
  if (record !== undefined) return record
  throw profile.badToken === 'unauthorized' ? unauthorized() : notFound()
}

export const mayManage = (token: TokenRecord | undefined) =>
  token !== undefined && RANK[token.permission] >= RANK['manage-workspaces']

/** Interface 5, rule 3: without the permission it is as if nothing were there. */
export function authorize(token: TokenRecord, route: Route, profile: Profile): void {
  if (route.access === 'open' || RANK[token.permission] >= RANK[route.access]) return
  switch (profile.missingPermission) {
    case 'not-found':
      throw notFound()
    case 'forbidden':
      throw new Refusal(403, [{ title: 'forbidden' }])
    case 'unauthorized':
      throw unauthorized()
  }
}
