import type { Profile } from './profile.ts'
import type { Permission, StoreChange, TokenRecord } from './records.ts'
import { emptyAnswer, type Reply } from './reply.ts'
import type { Call } from './request.ts'
import type { Store } from './store.ts'

/** Everything that a route may use: the state (read-only), the rules, the request. */
export interface RequestContext {
  readonly store: Store
  /** The state that lists of sets show. Differs from `store` only under the lag profiles. */
  readonly listed: Store
  readonly profile: Profile
  readonly call: Call
  /** Values of the `:name` parts of the route's path. */
  readonly params: Readonly<Record<string, string>>
  /** Whose request it is; `undefined` on open routes. */
  readonly token: TokenRecord | undefined
  /** The time of this request, the same everywhere. */
  readonly at: string
  readonly newId: (prefix: string) => string
  readonly newVersion: () => string
  readonly random: () => number
}

/** The changes of a write, and its response, which is made after they are saved. */
export interface RouteEffect {
  readonly changes: readonly StoreChange[]
  readonly reply: () => Reply
}

export type RouteOutcome = Reply | RouteEffect

export interface Route {
  readonly method: string
  /** Relative to the root of the address; `:name` matches one segment. */
  readonly path: string
  /** The permission that it requires at least; `open` needs no token. */
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

/** A write that is answered without a body. */
export const done = (changes: readonly StoreChange[], status = 204): RouteEffect => ({
  changes,
  reply: () => emptyAnswer(status),
})
