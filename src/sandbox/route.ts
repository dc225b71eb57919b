import type { ApiResponse } from '../wire/transport.ts'
import type { Server } from './profile.ts'
import type { Permission, StoreChange, TokenRecord } from './records.ts'
import { MEDIA_TYPE } from './service-limits.ts'
import type { Store } from './store.ts'

/** Everything that a route may use: the state (read-only), the rules, the request. */
export interface RequestContext {
  readonly store: Store
  /** The state that lists of sets show. Differs from `store` only where lists are late. */
  readonly listed: Store
  readonly server: Server
  readonly call: ParsedRequest
  /** Values of the `:name` parts of the route's path. */
  readonly params: Readonly<Record<string, string>>
  /** Whose request it is; `undefined` on open routes. */
  readonly token: TokenRecord | undefined
  /** The time of this request, the same everywhere. */
  readonly at: string
  readonly newId: (prefix: string) => string
  readonly newVersion: () => string
}

/** The changes of a write, and its response, which is made after they are saved. */
export interface RouteEffect {
  readonly changes: readonly StoreChange[]
  readonly reply: () => Reply
}

type RouteOutcome = Reply | RouteEffect

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
  reply: () => ({ status }),
})

/** A response before it is text. */
export interface Reply {
  readonly status: number
  /** Absent: no body. */
  readonly body?: unknown
  /** Default: that of the interface. */
  readonly mediaType?: string
}

export const answered = (body: unknown, status = 200): Reply => ({ status, body })

export function encodeReply(reply: Reply): ApiResponse {
  if (reply.body === undefined) return { status: reply.status, headers: {}, body: '' }
  return {
    status: reply.status,
    headers: { 'content-type': reply.mediaType ?? MEDIA_TYPE },
    body: typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body),
  }
}

/**
 * The interface shows no fields (docs/service.md 6). Servers have those of the known real service, and others that a client must
 * survive.
 */
export function replyOfRefusal(refused: Refusal, server: Server): Reply {
  const { status, problems, text } = server.refusals === 'database' ? asDatabase(refused) : refused
  switch (server.errorBodies) {
    case 'JSON:API':
      return errorReply(status, ...problems)
    case 'text':
      return text === undefined
        ? errorReply(status, ...problems)
        : { status, body: text, mediaType: 'text/plain; charset=utf-8' }
    case 'other JSON':
      return { status, body: { error: refused.message }, mediaType: 'application/json' }
    case 'none':
      return { status }
  }
}

/** The first problem that the database finds, or the refusal as it is. */
function asDatabase(refused: Refusal): Refusal {
  const other = refused.problems.find(problem => problem.database !== undefined)?.database
  if (other === undefined) return refused
  return other.status === 500 ? failed(other.detail) : conflict(other.detail)
}

export const conflict = (detail: string) => new Refusal(409, [{ title: 'Conflict', detail }])

export const errorReply = (status: number, ...problems: readonly RefusedField[]): Reply => ({
  status,
  body: { errors: problems.map(problem => errorObject(problem, status)) },
})

/** `JSON.stringify` leaves out members that are `undefined`; every document here relies on that. */
const errorObject = ({ title, detail, pointer, parameter }: RefusedField, status: number) => ({
  status: `${status}`,
  title,
  detail,
  source: (pointer ?? parameter) === undefined ? undefined : { pointer, parameter },
})

/** One error object, before the server decides its form. */
export interface RefusedField {
  readonly title: string
  readonly detail?: string
  /** JSON pointer into the body of the request. */
  readonly pointer?: string
  readonly parameter?: string
  /** How a database refuses it (docs/service.md#how-otf-deviates). */
  readonly database?: { readonly status: 409 | 500; readonly detail: string }
}

/** Why a request is refused. Thrown by rules and readers, and turned into a response in one place. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly problems: readonly RefusedField[]
  /** The body where `errorBodies` is `text`; `undefined`: an error object there too. */
  readonly text: string | undefined

  constructor(status: number, problems: readonly RefusedField[], text?: string) {
    super(problems.map(problem => problem.detail ?? problem.title).join('; '))
    this.status = status
    this.problems = problems
    this.text = text
  }
}

/** It does not exist, or this token may not see it: the interface does not distinguish the two (5, rule 3). */
export const notFound = () => new Refusal(404, [{ title: 'not found' }])

/** The service has no such path. */
export const noRoute = () => new Refusal(404, [{ title: 'not found' }], '404 page not found\n')

export const unauthorized = () => new Refusal(401, [{ title: 'unauthorized' }], 'invalid JWT\n')

/** Refused with 500 and its reason, as some services do (docs/service.md#servers-that-others-wrote). */
export const failed = (detail: string) => new Refusal(500, [{ title: 'Internal Server Error', detail }])

/** A problem with the payload or the request (docs/service.md 6). Titles are those of the known real service. */
export const invalid = (...problems: readonly RefusedField[]) => new Refusal(422, problems)

/** One wrong attribute of the resource `at`, such as `Name has already been taken`. */
export const wrongAttribute = (name: string, detail: string, at = '/data'): RefusedField => ({
  title: 'invalid attribute',
  detail: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${detail}`,
  pointer: `${at}/attributes/${name}`,
})

/** A key of the same set or of another global set. */
export const CLASH = {
  status: 500,
  detail:
    'creating variable: checking for conflicts: variable conflicts with another variable with the same name and type',
} as const

export const taken = (name: 'name' | 'key', at?: string): RefusedField => ({
  ...wrongAttribute(name, 'has already been taken', at),
  database: name === 'key' ? CLASH : { status: 409, detail: 'resource already exists' },
})

export const malformed = (detail: string, pointer: string): RefusedField => ({
  title: 'malformed request',
  detail,
  pointer,
})

/** Throws all of them at once, as the real service responds with several errors. */
export function refuseIfAny(problems: readonly RefusedField[]): void {
  if (problems.length > 0) throw invalid(...problems)
}

/** A parsed request. */
export interface ParsedRequest {
  readonly method: string
  /** Decoded segments of the path. */
  readonly segments: readonly string[]
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Scheme and host for links. */
  readonly base: string
  /** The bearer token; `undefined` without one. */
  readonly token: string | undefined
  /**
   * Parses the body on the first call. Throws for another media type, for anything but JSON, and for anything but an object.
   */
  readonly document: () => JsonMap
}

export type JsonMap = Readonly<Record<string, unknown>>
