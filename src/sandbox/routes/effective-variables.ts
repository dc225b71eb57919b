import type { ResourceDocument } from '../../wire/documents.ts'
import { setOf, variableOf, workspaceOf } from '../access.ts'
import { workspaceVariableDocument } from '../directory-documents.ts'
import { reference, variableDocument } from '../documents.ts'
import { compareCodePoints, wholeLinks } from '../lists.ts'
import type { SetRecord, VariableRecord, WorkspaceRecord } from '../records.ts'
import { answered, notFound, type Reply } from '../reply.ts'
import { type RequestContext, type Route, route } from '../service.ts'
import { type Store, slotOf } from '../store.ts'

const WORKSPACE = 'api/v2/workspaces/:workspace'
const VARIABLES = `${WORKSPACE}/varsets/:set/relationships/vars`

/** The variables that a workspace receives, after precedence (docs/service.md 12.2, 13). */
export const effectiveVariableRoutes: readonly Route[] = [
  route('GET', `${WORKSPACE}/all-vars`, listEffective),
  route('GET', VARIABLES, listInWorkspace),
  route('GET', `${VARIABLES}/:variable`, showInWorkspace),
]

/** The winners only. */
function listEffective(context: RequestContext): Reply {
  const workspace = workspaceOf(context)
  const winners = [...reachingVariables(workspace, context.store).values()].flatMap(
    ([winner]) => winner ?? [],
  )
  return answered({
    data: winners.map(winner => documentOf(winner, workspace, context)),
    links: wholeLinks(context.call, context.profile),
  })
}

function listInWorkspace(context: RequestContext): Reply {
  const { workspace, set, reaching } = locate(context)
  return answered({
    data: [...context.store.variablesOf(set.id).values()].map(variable =>
      withOverwriting(variable, reaching, documentOf({ variable, set }, workspace, context)),
    ),
    links: wholeLinks(context.call, context.profile),
  })
}

function showInWorkspace(context: RequestContext): Reply {
  const { workspace, set, reaching } = locate(context)
  const variable = variableOf(context, set.id)
  return answered({
    data: withOverwriting(variable, reaching, documentOf({ variable, set }, workspace, context)),
  })
}

/** A set that does not apply to the workspace is not found there. */
function locate(context: RequestContext) {
  const workspace = workspaceOf(context)
  const set = setOf(context)
  const { store } = context
  const reaches =
    (set.global && set.organization === workspace.organization) ||
    store.setsAssignedTo(workspace.id).has(set.id) ||
    (workspace.project !== undefined && store.setsAssignedTo(workspace.project).has(set.id))
  if (!reaches) throw notFound()
  return { workspace, set, reaching: reachingVariables(workspace, store) }
}

/** `overwriter`: the winner, if this one lost. `overwritten`: the losers, if it won. */
function withOverwriting(
  variable: VariableRecord,
  reaching: Map<string, Reaching[]>,
  document: ResourceDocument,
): ResourceDocument {
  const [winner, ...losers] = reaching.get(slotOf(variable)) ?? []
  const won = winner?.variable.id === variable.id
  return {
    ...document,
    relationships: {
      ...document.relationships,
      overwriter: { data: won || winner === undefined ? null : reference('vars', winner.variable.id) },
      overwritten: { data: won ? losers.map(loser => reference('vars', loser.variable.id)) : [] },
    },
  }
}

const documentOf = ({ variable, set }: Reaching, workspace: WorkspaceRecord, context: RequestContext) =>
  set === undefined
    ? workspaceVariableDocument(variable, workspace, context)
    : variableDocument(variable, set, context, { created: true })

/** A variable that applies to a workspace; without `set` it belongs to the workspace itself. */
interface Reaching {
  readonly variable: VariableRecord
  readonly set: SetRecord | undefined
}

const OWN = 8

/** Everything that applies to the workspace; for each key and category the strongest first (docs/service.md 13). */
function reachingVariables(workspace: WorkspaceRecord, store: Store): Map<string, Reaching[]> {
  const sources: {
    readonly rank: number
    readonly name: string
    readonly id: string
    readonly reaching: Reaching
  }[] = []
  for (const variable of store.variablesOf(workspace.id).values()) {
    sources.push({ rank: OWN, name: '', id: '', reaching: { variable, set: undefined } })
  }
  const assigned = new Set([
    ...store.setsAssignedTo(workspace.id),
    ...(workspace.project === undefined ? [] : store.setsAssignedTo(workspace.project)),
    ...store.globalSetsOf(workspace.organization),
  ])
  for (const id of assigned) {
    const set = store.sets.get(id)
    if (set === undefined) continue
    const rank = rankOf(set, workspace)
    for (const variable of store.variablesOf(id).values()) {
      sources.push({ rank, name: set.name, id, reaching: { variable, set } })
    }
  }
  // No document says which of two sets with one name wins. Their creation order, which no client sees, must not decide here.
  sources.sort(
    (one, other) =>
      one.rank - other.rank || compareCodePoints(one.name, other.name) || compareCodePoints(one.id, other.id),
  )
  const slots = new Map<string, Reaching[]>()
  for (const { reaching } of sources) {
    const slot = slotOf(reaching.variable)
    slots.set(slot, [...(slots.get(slot) ?? []), reaching])
  }
  return slots
}

/** The table of docs/effective.md. A set that applies in several ways has its best rank (docs/service.md 15.4). */
function rankOf(set: SetRecord, workspace: WorkspaceRecord): number {
  const byWorkspace = set.workspaces.includes(workspace.id)
  const byProject = workspace.project !== undefined && set.projects.includes(workspace.project)
  const projectOwned = set.ownerProject !== undefined
  const ranks = set.priority
    ? [set.global && 1, byProject && (projectOwned ? 4 : 2), byWorkspace && (projectOwned ? 5 : 3)]
    : [byWorkspace && (projectOwned ? 9 : 11), byProject && (projectOwned ? 10 : 12), set.global && 13]
  return Math.min(...ranks.filter(rank => rank !== false))
}
