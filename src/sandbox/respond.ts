import type { ApiRequest, ApiResponse } from '../wire/transport.ts'
import { authenticate, authorize } from './access.ts'
import { hyphenatedIdFrom, idFrom, versionFrom } from './clock-and-chance.ts'
import type { Server } from './profile.ts'
import type { Batch } from './records.ts'
import { isObject, readCall } from './request.ts'
import {
  answered,
  encodeReply,
  type JsonMap,
  noRoute,
  type ParsedRequest,
  Refusal,
  type Reply,
  type RequestContext,
  type Route,
  replyOfRefusal,
} from './route.ts'
import { organizationRoutes } from './routes/organization-routes.ts'
import { reachingRoutes } from './routes/reaching-routes.ts'
import { setRoutes } from './routes/set-routes.ts'
import { variableRoutes } from './routes/variable-routes.ts'
import { workspaceRoutes } from './routes/workspace-routes.ts'
import { seedOf } from './seed.ts'
import { MEDIA_TYPE } from './service-limits.ts'
import type { Store } from './store.ts'

/** Headers that clients read from the ping (docs/service.md 9.5), sent with every response. */
const HEADERS: Readonly<Record<Server['application'], Readonly<Record<string, string>>>> = {
  'HCP Terraform': { 'tfp-api-version': '2.6', 'tfp-appname': 'HCP Terraform' },
  'Terraform Enterprise': {
    'tfp-api-version': '2.6',
    'tfp-appname': 'Terraform Enterprise',
    'x-tfe-version': '1.0.0',
  },
  none: { 'tfp-api-version': '2.6' },
}

/** The provider uses only scheme and host of the first one (docs/service.md 14.2). */
const DISCOVERY = {
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
  'state.v2': '/api/v2/',
  'modules.v1': '/api/registry/v1/modules/',
} as const

/** Everything but the request that a response depends on. */
export interface ServiceState {
  readonly store: Store
  /** The state that lists show now. Each call counts as one read of it. */
  readonly readLists: () => Store
  readonly server: Server
  readonly now: () => Date
  /** For extra members. */
  readonly random: () => number
  /** Saves the batch and applies it. Throws, and changes nothing, if it cannot be saved. */
  readonly commit: (batch: Batch) => void
}

/** State × request × server → state × response. Every request gets a response; only a broken disk throws. */
export function respond(service: ServiceState, request: ApiRequest): ApiResponse {
  const { application, extras } = service.server
  const response = encodeReply(answer(service, request))
  const names = HEADERS[application]
  const isTyped = response.body === '' && service.server.emptyBodies === 'typed'
  const inside = request.path.startsWith('/api/')
  const body = inside ? withExtras(response.body, extras, service.random) : response.body
  const type: ApiResponse['headers'] = isTyped ? { 'content-type': MEDIA_TYPE } : {}
  return { ...response, body, headers: { ...response.headers, ...type, ...(inside ? names : {}) } }
}

function answer(service: ServiceState, request: ApiRequest): Reply {
  try {
    return carryOut(service, readCall(request))
  } catch (error) {
    if (error instanceof Refusal) return replyOfRefusal(error, service.server)
    throw error
  }
}

function carryOut(service: ServiceState, call: ParsedRequest): Reply {
  const { store, server } = service
  const match = matchRoute(call, server)
  const token = match?.route.access === 'open' ? undefined : authenticate(call.token, service)
  if (match === undefined) throw noRoute()
  let { sequence } = store
  // A seeded state may contain ids that this count, begun at 1, would give again.
  const unused = (nameOf: (number: number) => string): string => {
    for (;;) {
      sequence += 1
      const name = nameOf(sequence)
      if (!store.isTaken(name)) return name
    }
  }
  let listed: Store | undefined
  const at = service.now().toISOString()
  const context: RequestContext = {
    store,
    get listed() {
      listed ??= service.readLists()
      return listed
    },
    server,
    call,
    params: match.params,
    token,
    at,
    newId(prefix) {
      const id = server.ids === 'hyphens' ? hyphenatedIdFrom : idFrom
      return unused(number => id(prefix, `id ${number}`))
    },
    newVersion: () => unused(number => versionFrom(`version ${number}`)),
  }
  authorize(match.route, context)
  const outcome = match.route.answer(context)
  if (!('changes' in outcome)) return outcome
  if (outcome.changes.length > 0) service.commit({ at, sequence, changes: outcome.changes })
  return outcome.reply()
}

const ROUTES: readonly Route[] = [
  // What clients ask before they have a token (docs/service.md 9.5, 14.2).
  { method: 'GET', path: 'api/v2/ping', access: 'open', answer: () => ({ status: 204 }) },
  {
    method: 'GET',
    path: '.well-known/terraform.json',
    access: 'open',
    answer: () => ({ ...answered(DISCOVERY), mediaType: 'application/json' }),
  },
  ...setRoutes,
  ...reachingRoutes,
  ...variableRoutes,
  ...organizationRoutes,
  ...workspaceRoutes,
  // The sandbox's own endpoint, outside the interface: the whole state as a seed.
  {
    method: 'GET',
    path: 'sandbox/snapshot',
    access: 'admin',
    answer: ({ store, call }) => ({
      ...answered(seedOf(store, { sensitive: call.query.sensitive === 'true' })),
      mediaType: 'application/json',
    }),
  },
]

const patterns = new Map<string, { readonly route: Route; readonly parts: readonly string[] }[]>()
for (const route of ROUTES) {
  const parts = route.path.split('/')
  const key = `${route.method} ${parts.length}`
  patterns.set(key, [...(patterns.get(key) ?? []), { route, parts }])
}

/** The route of the call. Literal segments must match exactly; `:name` matches any segment that is not empty. */
function matchRoute({ method, segments: all }: ParsedRequest, server: Server) {
  const segments = server.trailingSlash === 'yes' && all.at(-1) === '' ? all.slice(0, -1) : all
  const candidates = patterns.get(`${method} ${segments.length}`) ?? []
  const match = candidates.find(({ parts }) =>
    parts.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : segments[index] === part)),
  )
  if (match === undefined) return undefined
  const params = match.parts.map((part, index) => [part.slice(1), segments[index] ?? ''])
  return { route: match.route, params: Object.fromEntries(params) as Record<string, string> }
}

/** Members that no document mentions (docs/fault-model.md F-36): a client must neither fail on them nor send them back. */
function withExtras(body: string, extras: Server['extras'], random: () => number): string {
  if (extras === 'none' || !body.startsWith('{')) return body
  const document: JsonMap = JSON.parse(body)
  const sometimes = (extra: JsonMap) => (random() < 0.5 ? extra : {})
  const decorate = (resource: JsonMap): JsonMap => ({
    ...resource,
    ...(isObject(resource.attributes) &&
      sometimes({
        attributes: { ...resource.attributes, 'x-colour': 'blue', permissions: { 'can-update': true } },
      })),
    ...(isObject(resource.relationships) &&
      sometimes({
        relationships: { ...resource.relationships, 'x-friend': { data: { id: 'x', type: 'friends' } } },
      })),
    ...sometimes({ meta: { 'x-note': 'extra' } }),
  })
  const { included } = document
  return JSON.stringify({
    ...document,
    data: eachResource(document.data, decorate),
    included: eachResource(included, decorate),
    ...sometimes({ jsonapi: { version: '1.1' } }),
    ...(Array.isArray(included) &&
      sometimes({
        included: [...included, { id: 'plan-x', type: 'plans', attributes: { status: 'none' } }],
      })),
  })
}

const eachResource = (value: unknown, change: (resource: JsonMap) => JsonMap): unknown => {
  if (Array.isArray(value)) return value.map(one => eachResource(one, change))
  return isObject(value) ? change(value) : value
}
