import type { Targets } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { SetChange } from './set-change.ts'

/** At most four requests: assign and unassign, workspaces and projects, each with any number of ids. */
export function assignmentDrafts(change: SetChange): Draft[] {
  const { desired, observed } = change
  return [
    ...(desired.workspaces === undefined
      ? []
      : both(change, desired.workspaces, observed.workspaces, ids => ({ kind: 'workspaces', ids }))),
    ...(desired.projects === undefined
      ? []
      : both(change, desired.projects, observed.projects, ids => ({ kind: 'projects', ids }))),
  ]
}

function both<Id extends string>(
  change: SetChange,
  desired: readonly Id[],
  observed: readonly Id[],
  targets: (ids: readonly Id[]) => Targets,
): Draft[] {
  return [
    ...assignment(change, 'assign', targets(without(desired, observed))),
    ...assignment(change, 'unassign', targets(without(observed, desired))),
  ]
}

function assignment(change: SetChange, type: 'assign' | 'unassign', targets: Targets): Draft[] {
  if (targets.ids.length === 0) return []
  const { desired, observed } = change
  const set = type === 'assign' ? desired : observed
  const reach = { keys: set.variables.map(variable => variable.key), targets: targets.ids }
  return [
    {
      id: `${type} ${desired.name} ${targets.kind}`,
      operation: { type, subject: { kind: 'variable-set', name: desired.name, id: observed.id }, targets },
      source: desired.source,
      ...change.inside(),
      ...(type === 'assign' ? { provides: reach } : { withdraws: reach }),
    },
  ]
}

function without<Id extends string>(ids: readonly Id[], others: readonly Id[]): Id[] {
  const gone = new Set(others)
  return ids.filter(id => !gone.has(id))
}
