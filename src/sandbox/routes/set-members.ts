import { setOf, variableOf } from '../access.ts'
import { variableDocument } from '../documents.ts'
import { variablePage } from '../lists.ts'
import type { AssignmentKind, SetRecord, VariableRecord } from '../records.ts'
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
import { readBody, readReferences } from '../request.ts'
import type { RequestContext, Route, RouteEffect } from '../service.ts'
import { conflictProblems, hasKind, insideTargets, knownTargets, scopeProblems } from '../set-rules.ts'
import { slotOf } from '../store.ts'
import {
  keyTaken,
  newVariable,
  readVariable,
  refuseWrongVariable,
  updatedVariable,
} from '../variable-rules.ts'

const VARIABLES = 'api/v2/varsets/:set/relationships/vars'
const VARIABLE = `${VARIABLES}/:variable`

export const setVariableRoutes: readonly Route[] = [
  { method: 'POST', path: VARIABLES, access: 'manage-workspaces', answer: addVariable },
  { method: 'GET', path: VARIABLES, access: 'read-variables', answer: listVariables },
  { method: 'GET', path: VARIABLE, access: 'read-variables', answer: showVariable },
  { method: 'PATCH', path: VARIABLE, access: 'manage-workspaces', answer: updateVariable },
  { method: 'DELETE', path: VARIABLE, access: 'manage-workspaces', answer: deleteVariable },
]

function addVariable(context: RequestContext): RouteEffect {
  const set = setOf(context)
  const { profile } = context
  const problems: RefusedField[] = []
  const input = readVariable(readBody(context.call.document(), 'vars'), problems)
  refuseIfAny(problems)
  const fresh = newVariable(input, context)
  refuseWrongVariable(fresh, profile)
  const same = sameSlot(set, fresh, context)
  if (same !== undefined && profile.duplicateVariable === 'refuse') refuseIfAny([keyTaken()])
  const variable =
    same !== undefined && profile.duplicateVariable === 'replace'
      ? { ...fresh, id: same.id, createdAt: same.createdAt }
      : fresh
  refuseIfAny(conflictProblems(set, [variable], context, 'key'))
  return {
    changes: [{ type: 'put-variable', owner: set.id, variable }],
    reply: () =>
      answered({ data: variableDocument(variable, set, context, { created: false }) }, profile.createStatus),
  }
}

function updateVariable(context: RequestContext): RouteEffect {
  const set = setOf(context)
  const before = variableOf(context, set.id)
  const body = readBody(context.call.document(), 'vars')
  const problems: RefusedField[] = []
  if (body.id !== undefined && body.id !== before.id) {
    problems.push(malformed('id must be the one of the path', '/data/id'))
  }
  const input = readVariable(body, problems)
  refuseIfAny(problems)
  const variable = updatedVariable(before, input, context)
  refuseWrongVariable(variable, context.profile)
  if (slotOf(variable) !== slotOf(before)) {
    if (sameSlot(set, variable, context) !== undefined && context.profile.duplicateVariable !== 'second') {
      refuseIfAny([keyTaken()])
    }
    refuseIfAny(conflictProblems(set, [variable], context, 'key'))
  }
  return {
    changes: [{ type: 'put-variable', owner: set.id, variable }],
    reply: () => answered({ data: variableDocument(variable, set, context, { created: false }) }),
  }
}

function deleteVariable(context: RequestContext): RouteEffect {
  const set = setOf(context)
  const { id } = variableOf(context, set.id)
  return {
    changes: [{ type: 'remove-variable', owner: set.id, id }],
    reply: () => emptyAnswer(context.profile.deleteStatus),
  }
}

function showVariable(context: RequestContext): Reply {
  const set = setOf(context)
  return answered({ data: variableDocument(variableOf(context, set.id), set, context, { created: true }) })
}

function listVariables(context: RequestContext): Reply {
  const set = setOf(context)
  const all = [...context.store.variablesOf(set.id).values()]
  const { items, rest } = variablePage(all, context.call, context.profile)
  return answered({
    data: items.map(variable => variableDocument(variable, set, context, { created: true })),
    ...rest,
  })
}

function sameSlot(
  set: SetRecord,
  variable: VariableRecord,
  context: RequestContext,
): VariableRecord | undefined {
  const slot = slotOf(variable)
  for (const other of context.store.variablesOf(set.id).values()) {
    if (other.id !== variable.id && slotOf(other) === slot) return other
  }
  return undefined
}

/** Interface 4.3 and 4.4, and Stacks (docs/service.md 10.4). A service of 2021-11 has no projects. */
export const assignmentRoutes: readonly Route[] = (['workspaces', 'projects', 'stacks'] as const).flatMap(
  kind => {
    const path = `api/v2/varsets/:set/relationships/${kind}`
    return [
      { method: 'POST', path, access: 'manage-workspaces', answer: context => assign(kind, context) },
      { method: 'DELETE', path, access: 'manage-workspaces', answer: context => unassign(kind, context) },
    ] satisfies Route[]
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
