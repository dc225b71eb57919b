import { organizationOf, setOf } from '../access.ts'
import { type SetShape, setDocument } from '../documents.ts'
import { includedOf, readInclude, shownSet } from '../include.ts'
import { hasMore, hasPriority } from '../profile.ts'
import type { AssignmentKind, SetRecord, StoreChange, VariableRecord, WrittenSettings } from '../records.ts'
import {
  answered,
  emptyAnswer,
  invalid,
  malformed,
  notFound,
  type RefusedField,
  type Reply,
  refuseIfAny,
} from '../reply.ts'
import { type Body, isObject, readBody, readFlag, readMany, readReferences, readText } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import {
  conflictProblems,
  hasKind,
  insideTargets,
  knownTargets,
  nameProblems,
  readTargets,
  scopeProblems,
  storedName,
  withScope,
} from '../set-rules.ts'
import { addVariables, readVariables } from '../variable-rules.ts'

const SET = 'api/v2/varsets/:set'

export const setRoutes: readonly Route[] = [
  route('POST', 'api/v2/organizations/:organization/varsets', createSet),
  route('GET', SET, showSet),
  ...['POST', 'PUT', 'PATCH'].map(method => route(method, SET, updateSet)),
  route('DELETE', SET, context => ({
    changes: [{ type: 'remove-set', id: setOf(context).id }],
    reply: () => emptyAnswer(context.profile.deleteStatus),
  })),
]

function createSet(context: RequestContext): RouteEffect {
  const organization = organizationOf(context).name
  const { profile } = context
  const body = readBody(context.call.document(), 'varsets')
  const problems: RefusedField[] = []
  const name = readText(body.attributes, 'name', problems)
  const priority = readFlag(body.attributes, 'priority', problems) ?? false
  const owner = { organization, ...ownerOf(body, organization, context, problems) }
  const set: SetRecord = withScope(
    {
      id: context.newId('varset'),
      name: storedName(name ?? '', profile),
      description: readText(body.attributes, 'description', problems) ?? '',
      global: readFlag(body.attributes, 'global', problems) ?? false,
      priority: priority && hasPriority(profile),
      ...owner,
      workspaces: readTargets(body, 'workspaces', owner, context, problems) ?? [],
      projects: readTargets(body, 'projects', owner, context, problems) ?? [],
      stacks: readTargets(body, 'stacks', owner, context, problems) ?? [],
      updatedAt: context.at,
    },
    profile,
  )
  const inputs = readVariables(readMany(body, 'vars', problems) ?? [], problems)
  refuseIfAny(problems)
  const variables = addVariables([], inputs, context)
  refuseIfAny([
    ...nameProblems(set, context),
    ...scopeProblems(set, profile),
    ...conflictProblems(set, variables, context),
  ])
  return {
    changes: [{ type: 'put-set', set }, ...puts(set, variables)],
    reply: () => writtenSet(set.id, context, profile.createStatus),
  }
}

function updateSet(context: RequestContext): RouteEffect {
  const before = setOf(context)
  const { profile, store } = context
  const include = readInclude(context)
  const body = readBody(context.call.document(), 'varsets')
  const problems: RefusedField[] = []
  if (body.id !== undefined && body.id !== before.id) {
    problems.push(malformed('id must be the one of the path', '/data/id'))
  }
  const name = readText(body.attributes, 'name', problems) ?? before.name
  const priority = readFlag(body.attributes, 'priority', problems)
  const unsaid = profile.setUpdateOmitted === 'unchanged' && before.priority
  const settings: WrittenSettings = {
    name: storedName(name, profile),
    description: readText(body.attributes, 'description', problems) ?? before.description,
    global: readFlag(body.attributes, 'global', problems) ?? before.global,
    priority: (priority ?? unsaid) && hasPriority(profile),
  }
  const after: SetRecord = withScope(
    {
      ...before,
      ...settings,
      workspaces: readTargets(body, 'workspaces', before, context, problems) ?? before.workspaces,
      projects: readTargets(body, 'projects', before, context, problems) ?? before.projects,
      stacks: readTargets(body, 'stacks', before, context, problems) ?? before.stacks,
      updatedAt: context.at,
    },
    profile,
  )
  const inputs = readVariables(readMany(body, 'vars', problems) ?? [], problems)
  refuseIfAny(problems)
  const existing = [...store.variablesOf(before.id).values()]
  const added = addVariables(existing, inputs, context)
  const judged = before.global ? added : [...existing, ...added]
  refuseIfAny([
    ...nameProblems(after, context),
    ...scopeProblems(after, profile),
    ...conflictProblems(after, judged, context),
  ])
  return {
    changes: [{ type: 'put-set', set: after }, ...puts(after, added)],
    reply: () => writtenSet(after.id, context, 200, include),
  }
}

function showSet(context: RequestContext): Reply {
  const set = setOf(context)
  const include = readInclude(context)
  return setReply(set, shownSet(include, context, false), include, context)
}

/** The response to create and update: variables with their attributes, no counts (docs/service.md 2.1). */
function writtenSet(
  id: string,
  context: RequestContext,
  status: number,
  include: ReadonlySet<string> = new Set(),
): Reply {
  const set = context.store.sets.get(id)
  if (set === undefined) throw new Error(`the set ${id} was written and is not there`)
  const shape = { store: context.store, variables: 'embedded', counts: false, truncated: false } as const
  return setReply(set, shape, include, context, status)
}

const setReply = (
  set: SetRecord,
  shape: SetShape,
  include: ReadonlySet<string>,
  context: RequestContext,
  status = 200,
): Reply =>
  answered({ data: setDocument(set, shape, context), ...includedOf([set], include, shape, context) }, status)

const puts = (set: SetRecord, variables: readonly VariableRecord[]): StoreChange[] =>
  variables.map(variable => ({ type: 'put-variable', owner: set.id, variable }))

/** `parent` is not in the interface. Only a create request may set it (docs/service.md 10.3). */
function ownerOf(
  body: Body,
  organization: string,
  context: RequestContext,
  problems: RefusedField[],
): { readonly ownerProject?: string } {
  const parent = body.relationships.parent
  if (parent === undefined || !hasMore(context.profile)) return {}
  const pointer = '/data/relationships/parent/data'
  const target = isObject(parent) ? parent.data : undefined
  if (isObject(target) && target.type === 'organizations' && target.id === organization) return {}
  if (isObject(target) && target.type === 'projects' && typeof target.id === 'string') {
    const project = context.store.directory.projects.get(target.id)
    if (project?.organization === organization) return { ownerProject: project.id }
  }
  problems.push(malformed('parent must be this organization or one of its projects', pointer))
  return {}
}

/** Interface 4.3 and 4.4, and Stacks (docs/service.md 10.4). A service of 2021-11 has no projects. */
export const assignmentRoutes: readonly Route[] = (['workspaces', 'projects', 'stacks'] as const).flatMap(
  kind => {
    const path = `api/v2/varsets/:set/relationships/${kind}`
    return [
      route('POST', path, context => assign(kind, context)),
      route('DELETE', path, context => unassign(kind, context)),
    ]
  },
)

function assign(kind: AssignmentKind, context: RequestContext): RouteEffect {
  const { set, ids: known } = readAssignment(kind, context)
  const ids = insideTargets(known, kind, set, context, '/data')
  const assigned = new Set(set[kind])
  refuseRepeated(
    ids.filter(id => assigned.has(id)),
    context,
  )
  const { profile } = context
  const after = { ...set, [kind]: [...set[kind], ...ids] }
  refuseIfAny(scopeProblems(after, profile))
  const cleared = set.global && profile.globalAssignments === 'cleared'
  return {
    changes: cleared || ids.length === 0 ? [] : [{ type: 'assign', set: set.id, kind, ids }],
    reply: () => emptyAnswer(),
  }
}

function unassign(kind: AssignmentKind, context: RequestContext): RouteEffect {
  const { set, ids } = readAssignment(kind, context)
  const assigned = new Set(set[kind])
  refuseRepeated(
    ids.filter(id => !assigned.has(id)),
    context,
  )
  return {
    changes: ids.length === 0 ? [] : [{ type: 'unassign', set: set.id, kind, ids }],
    reply: () => emptyAnswer(),
  }
}

function readAssignment(kind: AssignmentKind, context: RequestContext): { set: SetRecord; ids: string[] } {
  if (!hasKind(kind, context.profile)) throw notFound()
  const set = setOf(context)
  const { data } = context.call.document()
  if (!Array.isArray(data)) throw invalid(malformed('data must be an array of references', '/data'))
  const problems: RefusedField[] = []
  const ids = readReferences(data, kind, '/data', problems)
  refuseIfAny(problems)
  return { set, ids: knownTargets(ids, kind, set, context, '/data') }
}

/** Assigning twice and removing what is absent: no error is known (docs/service.md 10.5), two are imaginable. */
function refuseRepeated(ids: readonly string[], context: RequestContext): void {
  if (ids.length === 0 || context.profile.repeatedAssignment === 'accept') return
  if (context.profile.repeatedAssignment === 'not-found') throw notFound()
  throw invalid(...ids.map(id => malformed(`"${id}" is not in the state that the request asks for`, '/data')))
}
