import type { Profile } from './profile.ts'
import type { Permission, StoreChange, TokenRecord } from './records.ts'
import type { Reply } from './reply.ts'
import type { Call } from './request.ts'
import type { Store } from './store.ts'

/** What a route may see: the state (to read, not to change), the rules of the day, the call. */
export interface RequestContext {
  readonly store: Store
  /** What lists of sets show; the same as `store` but under the lag profiles. */
  readonly listed: Store
  readonly profile: Profile
  readonly call: Call
  /** Values of the `:name` parts of the route's path. */
  readonly params: Readonly<Record<string, string>>
  /** Who asks; undefined on open routes. */
  readonly token: TokenRecord | undefined
  /** The one time of this request. */
  readonly at: string
  readonly newId: (prefix: string) => string
  readonly newVersion: () => string
  readonly random: () => number
}

/** What a write causes, and the answer to it, which is made when the changes have been kept. */
export interface RouteEffect {
  readonly changes: readonly StoreChange[]
  readonly reply: () => Reply
}

export type RouteOutcome = Reply | RouteEffect

export interface Route {
  readonly method: string
  /** Relative to the root of the address; `:name` stands for one segment. */
  readonly path: string
  /** The least permission; `open` needs no token. */
  readonly access: 'open' | Permission
  readonly answer: (context: RequestContext) => RouteOutcome
}

/** A route of the interface: whoever reads variables may read, whoever manages workspaces may write. */
export const route = (method: string, path: string, answer: Route['answer']): Route => ({
  method,
  path,
  access: method === 'GET' ? 'read-variables' : 'manage-workspaces',
  answer,
})
