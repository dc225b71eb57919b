import { hasKind } from './profile.ts'
import {
  type AssignmentKind,
  type OrganizationRecord,
  oneOf,
  type Permission,
  type PlaceRecord,
  type ProjectPermission,
  type SetRecord,
  type TokenRecord,
  type VariableRecord,
} from './records.ts'
import { Body, isObject } from './request.ts'
import { noRoute, notFound, Refusal, type RequestContext, type Route, unauthorized } from './route.ts'

const RANK = {
  none: 0,
  'read-variables': 1,
  'manage-workspaces': 2,
  admin: 3,
} as const satisfies Record<Permission, number>

/** What a permission on a project allows for the sets of that project. */
const PROJECT_RANK = { none: 0, read: 1, manage: 2 } as const satisfies Record<ProjectPermission, number>

/** The token of the request. Refuses a missing or unknown token (401 in the real service: docs/service.md 9.1). */
export function authenticate(
  token: string | undefined,
  { store, server }: Pick<RequestContext, 'store' | 'server'>,
): TokenRecord {
  const record = token === undefined ? undefined : store.tokens.get(token)
  if (record !== undefined) return record
  throw server.wrongToken === 401 ? unauthorized() : notFound()
}

export const mayManage = (token: TokenRecord | undefined) =>
  token !== undefined && RANK[token.permission] >= RANK['manage-workspaces']

/** A request without permission gets 404, like one for a missing object (docs/service.md 5). */
export function authorize(route: Route, context: RequestContext): void {
  const { token, server } = context
  if (route.access === 'open' || token === undefined) return
  const wanted = RANK[route.access]
  if (RANK[token.permission] >= wanted || rankByProject(route, context) >= wanted) return
  if (server.denied === 404) throw notFound()
  throw new Refusal(403, [{ title: 'Forbidden', detail: 'access to the resource is not permitted' }])
}

export const mayChange = (set: SetRecord, context: RequestContext) =>
  mayManage(context.token) || rankIn(set.ownerProject, context) >= PROJECT_RANK.manage

/** A token with access to projects only sees the sets of these projects. */
export function seenSets(sets: readonly SetRecord[], context: RequestContext): readonly SetRecord[] {
  if (context.token === undefined || RANK[context.token.permission] >= RANK['read-variables']) return sets
  return sets.filter(set => rankIn(set.ownerProject, context) >= PROJECT_RANK.read)
}

/** What access to projects allows this request to do. Only requests about sets ask. */
function rankByProject(route: Route, context: RequestContext): number {
  const { projects } = context.token ?? {}
  if (projects === undefined || !route.path.split('/').includes('varsets')) return 0
  const { set, project, organization } = context.params
  if (route.path.startsWith('api/v2/varsets/')) {
    return rankIn(context.store.sets.get(set ?? '')?.ownerProject, context)
  }
  if (project !== undefined) return rankIn(project, context)
  if (organization === undefined) return 0
  if (route.method === 'POST') return rankIn(namedParent(context), context)
  return Math.max(0, ...Object.values(projects).map(permission => PROJECT_RANK[permission]))
}

function rankIn(project: string | undefined, { token, store }: RequestContext): number {
  if (project === undefined || token?.projects === undefined) return 0
  const name = store.directory.get('projects', project)?.name ?? ''
  const ranks = Object.entries(token.projects).map(([nameOrId, permission]) =>
    nameOrId === project || nameOrId === name ? PROJECT_RANK[permission] : 0,
  )
  return Math.max(0, ...ranks)
}

/** The project that a create request names as owner; `undefined` for a malformed body. */
function namedParent({ call }: RequestContext): string | undefined {
  try {
    const parent = new Body(call.document().data, 'varsets').related('parent')
    return isObject(parent) && parent.type === 'projects' && typeof parent.id === 'string'
      ? parent.id
      : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Each function finds what the path names. It throws a 404 if that does not exist, or if this token may not see it. */

export function organizationOf(context: RequestContext): OrganizationRecord {
  const organization = context.store.directory.organizations.get(param(context, 'organization'))
  if (organization === undefined || !maySee(context, organization.name)) throw notFound()
  return organization
}

export const setOf = (context: RequestContext): SetRecord =>
  seen(context, context.store.sets.get(param(context, 'set')))

/** A place by the id in the path, such as `:workspace`, or otherwise by this id. */
export function placeOf(
  kind: AssignmentKind,
  context: RequestContext,
  id = param(context, oneOf(kind)),
): PlaceRecord {
  if (kind !== 'workspaces') requireKind(kind, context)
  return seen(context, context.store.directory.get(kind, id))
}

/** By `:name`, in the organization of the path. */
export function namedWorkspaceOf(context: RequestContext): PlaceRecord {
  const { name } = organizationOf(context)
  return seen(context, context.store.directory.named('workspaces', name, param(context, 'name')))
}

/** A variable of exactly this owner: a valid id under another set is not found (docs/service.md 11.5). */
export function variableOf(context: RequestContext, owner: string): VariableRecord {
  const variable = context.store.variablesOf(owner).get(param(context, 'variable'))
  if (variable === undefined) throw notFound()
  return variable
}

/** The name of an organization whose list is read. One that does not exist may have empty lists. */
export function listedOrganizationOf(context: RequestContext): string {
  const name = param(context, 'organization')
  const { server, store } = context
  const isEmpty = server.missingOrganization === 'empty lists' && !store.directory.organizations.has(name)
  return isEmpty ? name : organizationOf(context).name
}

/** Throws a 404 on a service without such places. */
export function requireKind(kind: AssignmentKind, { server }: RequestContext): void {
  if (!hasKind(kind, server)) throw noRoute()
}

/** Throws a 404 on a service that does not tell what reaches a workspace or a project. */
export function requireEffective({ server }: RequestContext): void {
  if (server.effective === 'no') throw noRoute()
}

/** Throws a 404 on a service without lists and look-ups of workspaces and projects. */
export function requireLookUps({ server }: RequestContext): void {
  if (server.lookUps === 'no') throw notFound()
}

const param = (context: RequestContext, name: string) => context.params[name] ?? ''

export const maySee = ({ token }: RequestContext, organization: string) =>
  token?.organizations === undefined || token.organizations.includes(organization)

function seen<T extends { readonly organization: string }>(context: RequestContext, record?: T): T {
  if (record === undefined || !maySee(context, record.organization)) throw notFound()
  return record
}
