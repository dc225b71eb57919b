import { compareCodePoints } from './order.ts'
import type { SetRecord, VariableRecord, WorkspaceRecord } from './records.ts'
import { type Store, slotOf } from './store.ts'

/** One variable that reaches a workspace; `set` undefined: the workspace's own. */
export interface Reaching {
  readonly variable: VariableRecord
  readonly set: SetRecord | undefined
}

const OWN = 8

/** Everything that reaches the workspace, for each key and category strongest first (docs/service.md 13). */
export function reachingVariables(workspace: WorkspaceRecord, store: Store): Map<string, Reaching[]> {
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
  // Which of two sets of one name wins no document says: here not the order in which they came, which nobody sees.
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

/** The table of docs/effective.md; a set that arrives on several ways has its best rank (docs/service.md 15.4). */
function rankOf(set: SetRecord, workspace: WorkspaceRecord): number {
  const byWorkspace = set.workspaces.includes(workspace.id)
  const byProject = workspace.project !== undefined && set.projects.includes(workspace.project)
  const projectOwned = set.ownerProject !== undefined
  const ranks = set.priority
    ? [set.global && 1, byProject && (projectOwned ? 4 : 2), byWorkspace && (projectOwned ? 5 : 3)]
    : [byWorkspace && (projectOwned ? 9 : 11), byProject && (projectOwned ? 10 : 12), set.global && 13]
  return Math.min(...ranks.filter(rank => rank !== false))
}
