import { setOf } from '../access.ts'
import type { AssignmentKind, SetRecord } from '../records.ts'
import { emptyAnswer, invalid, malformed, notFound, type RefusedField, refuseIfAny } from '../reply.ts'
import { readReferences } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import { hasKind, insideTargets, knownTargets, scopeProblems } from '../set-rules.ts'

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
