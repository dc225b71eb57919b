import { listedOrganizationOf, requireKind, setOf } from '../access.ts'
import {
  type AssignmentKind,
  byKind,
  KINDS,
  type SetRecord,
  UNWRITTEN_SET,
  type WrittenSettings,
} from '../records.ts'
import { type Body, isObject, readBody, readReferences } from '../request.ts'
import {
  answered,
  conflict,
  done,
  failed,
  invalid,
  malformed,
  noRoute,
  notFound,
  type RefusedField,
  type Reply,
  type RequestContext,
  type Route,
  type RouteEffect,
  refuseIfAny,
  route,
} from '../route.ts'
import { ASSUMED } from '../service-limits.ts'
import { includedOf, readInclude, type SetShape, setDocument, shownSet } from '../set-documents.ts'
import { readAssignments, setProblems, targetsOf } from '../set-rules.ts'
import { addVariables, readVariables, storedText } from '../variable-rules.ts'

const SET = 'api/v2/varsets/:set'

const ownRoutes: readonly Route[] = [
  route('POST', 'api/v2/organizations/:organization/varsets', createSet),
  route('GET', SET, showSet),
  ...['POST', 'PUT', 'PATCH'].map(method =>
    route(method, SET, context => {
      if (context.server.updates === 'PATCH' && method !== 'PATCH') throw noRoute()
      return updateSet(context)
    }),
  ),
  route('DELETE', SET, context =>
    done([{ type: 'remove-set', id: setOf(context).id }], context.server.deleted[0]),
  ),
]

function createSet(context: RequestContext): RouteEffect {
  const organization = listedOrganizationOf(context)
  if (!context.store.directory.organizations.has(organization))
    throw failed(ASSUMED.unknownKey('organization', organization))
  const body = readBody(context.call, 'varsets')
  const blank: SetRecord = {
    ...UNWRITTEN_SET,
    id: context.newId('varset'),
    organization,
    ...ownerOf(body, organization, context),
    ...byKind(() => []),
    updatedAt: context.at,
  }
  return written(blank, body, context, { status: context.server.created[0], include: new Set() })
}

function updateSet(context: RequestContext): RouteEffect {
  const before = setOf(context)
  const include = readInclude(context)
  const body = readBody(context.call, 'varsets')
  body.checkId(before.id)
  return written(before, body, context, { status: 200, include })
}

/** The response shows variables with their attributes, and no counts (docs/service.md 2.1). */
function written(
  before: SetRecord,
  body: Body,
  context: RequestContext,
  { status, include }: { readonly status: number; readonly include: ReadonlySet<string> },
): RouteEffect {
  const { server, store } = context
  // Where it is not kept, the response to an update repeats it, and the next read says false.
  const isLost = server.priority === 'not kept'
  const name = storedText(body.text('name') ?? before.name, server.storedNames)
  const omitted = server.priority === 'kept' && before.priority
  const priority = (body.flag('priority') ?? omitted) && server.priority !== 'no'
  const settings: WrittenSettings = {
    name,
    priority: priority && !isLost,
    description: body.text('description') ?? before.description,
    global: body.flag('global') ?? before.global,
  }
  const isNew = !store.sets.has(before.id)
  const takes = server.setBody === 'written'
  const assignments = takes ? readAssignments(body, before, context) : {}
  const set = { ...before, ...settings, ...assignments, updatedAt: context.at }
  const definitions = takes ? readVariables(body) : []
  refuseIfAny(body.problems)
  const existing = [...store.variablesOf(before.id).values()]
  const added = addVariables(existing, definitions, context)
  refuseIfAny(setProblems(set, before.global ? added : [...existing, ...added], context))
  return {
    changes: [
      { type: 'put-set', set },
      ...added.map(variable => ({ type: 'put-variable', owner: set.id, variable }) as const),
    ],
    reply: () => {
      const variables = takes ? 'embedded' : 'references'
      const shape = { store, variables, counts: false, truncated: false } as const
      const after = store.sets.get(set.id) ?? set
      const shown = isLost && !isNew ? { ...after, priority } : after
      return setReply(shown, shape, include, context, status)
    },
  }
}

function showSet(context: RequestContext): Reply {
  const set = setOf(context)
  const include = readInclude(context)
  return setReply(set, shownSet(include, context, false), include, context)
}

const setReply = (
  set: SetRecord,
  shape: SetShape,
  include: ReadonlySet<string>,
  context: RequestContext,
  status = 200,
): Reply =>
  answered({ data: setDocument(set, shape, context), ...includedOf([set], include, shape, context) }, status)

/** `parent` is not in the interface. Only a create request may set it (docs/service.md 10.3). */
function ownerOf(
  body: Body,
  organization: string,
  { server, store }: RequestContext,
): Pick<SetRecord, 'ownerProject'> {
  if (body.relationships.parent === undefined || server.owners !== 'yes') return {}
  const parent = body.related('parent')
  const { type, id } = isObject(parent) ? parent : {}
  if (type === 'organizations' && id === organization) return {}
  if (type === 'projects' && typeof id === 'string') {
    if (store.directory.get('projects', id)?.organization === organization) return { ownerProject: id }
  }
  body.misplaced('parent', 'parent must be this organization or one of its projects')
  return {}
}

/** Workspaces, projects and Stacks (docs/service.md 4.10, 10.4). */
const assignmentRoutes: readonly Route[] = KINDS.flatMap(kind => {
  const path = `api/v2/varsets/:set/relationships/${kind}`
  return [
    route('POST', path, context => assignment('assign', kind, context)),
    route('DELETE', path, context => assignment('unassign', kind, context)),
  ]
})

function assignment(type: 'assign' | 'unassign', kind: AssignmentKind, context: RequestContext): RouteEffect {
  requireKind(kind, context)
  const set = setOf(context)
  const { data } = context.call.document()
  if (!Array.isArray(data)) throw invalid(malformed('data must be an array of references', '/data'))
  const problems: RefusedField[] = []
  const references = readReferences(data, kind, '/data', problems)
  refuseIfAny(problems)
  const adds = type === 'assign'
  const ids = targetsOf(references, kind, set, context, { pointer: '/data', adds })
  const assigned = new Set(set[kind])
  // No error of the known real service is known (docs/service.md 10.5).
  if (context.server.repeatedAssignments === 'refused' && ids.some(id => assigned.has(id) === adds))
    throw adds ? conflict('resource already exists') : notFound()
  return done(ids.length === 0 ? [] : [{ type, set: set.id, kind, ids }])
}

export const setRoutes: readonly Route[] = [...ownRoutes, ...assignmentRoutes]
