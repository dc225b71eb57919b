import { listedOrganizationOf, requireKind, setOf } from '../access.ts'
import { hasMore, hasPriority } from '../profile.ts'
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
import {
  insideTargets,
  knownTargets,
  readAssignments,
  scopeProblems,
  setProblems,
  takesMembers,
  withScope,
} from '../set-rules.ts'
import { addVariables, readVariables } from '../variable-rules.ts'

const SET = 'api/v2/varsets/:set'

export const setRoutes: readonly Route[] = [
  route('POST', 'api/v2/organizations/:organization/varsets', createSet),
  route('GET', SET, showSet),
  ...['POST', 'PUT', 'PATCH'].map(method =>
    route(method, SET, context => {
      if (context.profile.setUpdateMethods === 'patch' && method !== 'PATCH') throw noRoute()
      return updateSet(context)
    }),
  ),
  route('DELETE', SET, context =>
    done([{ type: 'remove-set', id: setOf(context).id }], context.profile.deleteStatus),
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
  return written(blank, body, context, { status: context.profile.createStatus, include: new Set() })
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
  const { profile, store } = context
  const unsaid = profile.setUpdateOmitted === 'unchanged' && before.priority
  const isLost = profile.priority === 'lost'
  const name = body.text('name') ?? before.name
  const priority = (body.flag('priority') ?? unsaid) && hasPriority(profile)
  const settings: WrittenSettings = {
    name,
    priority: priority && !isLost,
    description: body.text('description') ?? before.description,
    global: body.flag('global') ?? before.global,
  }
  const isNew = !store.sets.has(before.id)
  const takes = takesMembers(profile, isNew)
  const assignments = takes ? readAssignments(body, before, context) : {}
  const set = withScope({ ...before, ...settings, ...assignments, updatedAt: context.at }, profile)
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
      const variables = profile.setMembers === 'ignored' ? 'references' : 'embedded'
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
  { profile, store }: RequestContext,
): Pick<SetRecord, 'ownerProject'> {
  if (body.relationships.parent === undefined || !hasMore(profile)) return {}
  const parent = body.related('parent')
  const { type, id } = isObject(parent) ? parent : {}
  if (type === 'organizations' && id === organization) return {}
  if (type === 'projects' && typeof id === 'string') {
    if (store.directory.projects.get(id)?.organization === organization) return { ownerProject: id }
  }
  body.misplaced('parent', 'parent must be this organization or one of its projects')
  return {}
}

/** Workspaces, projects and Stacks (docs/service.md 4.10, 10.4). */
export const assignmentRoutes: readonly Route[] = KINDS.flatMap(kind => {
  const path = `api/v2/varsets/:set/relationships/${kind}`
  return [
    route('POST', path, context => assignment('assign', kind, context)),
    route('DELETE', path, context => assignment('unassign', kind, context)),
  ]
})

function assignment(type: 'assign' | 'unassign', kind: AssignmentKind, context: RequestContext): RouteEffect {
  const { profile } = context
  requireKind(kind, context)
  const set = setOf(context)
  const { data } = context.call.document()
  if (!Array.isArray(data)) throw invalid(malformed('data must be an array of references', '/data'))
  const problems: RefusedField[] = []
  const references = readReferences(data, kind, '/data', problems)
  refuseIfAny(problems)
  const known = knownTargets(references, kind, set, context, '/data')
  const adds = type === 'assign'
  const ids = adds ? insideTargets(known, kind, set, context, '/data') : known
  const assigned = new Set(set[kind])
  refuseRepeated(
    ids.filter(id => assigned.has(id) === adds),
    adds,
    context,
  )
  if (adds) refuseIfAny(scopeProblems({ ...set, [kind]: [...set[kind], ...ids] }, profile))
  const cleared = adds && set.global && profile.globalAssignments === 'cleared'
  return done(cleared || ids.length === 0 ? [] : [{ type, set: set.id, kind, ids }])
}

/** Assigning twice and removing what is absent: no error is known (docs/service.md 10.5), two are imaginable. */
function refuseRepeated(ids: readonly string[], adds: boolean, { profile }: RequestContext): void {
  if (ids.length === 0 || profile.repeatedAssignment === 'accept') return
  if (profile.repeatedAssignment === 'not-found') throw notFound()
  if (profile.repeatedAssignment === 'conflict') throw adds ? conflict('resource already exists') : notFound()
  throw invalid(
    ...ids.map(id => malformed(`"${id}" is not in the state that the request describes`, '/data')),
  )
}
