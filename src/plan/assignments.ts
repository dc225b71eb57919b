import { TARGET_KINDS, type TargetKind, type TargetLists, type Targets, targetsOfKind } from '../model/ids.ts'
import type { Draft } from './draft.ts'
import type { SetChange } from './set-change.ts'

/** At most two requests a kind that the files manage: assign and unassign, each with any number of ids. */
export const assignmentDrafts = (change: SetChange): Draft[] =>
  TARGET_KINDS.flatMap(kind => ofKind(change, kind))

function ofKind(change: SetChange, kind: TargetKind): Draft[] {
  const { [kind]: desired }: TargetLists = change.desired
  const { [kind]: observed = [] }: TargetLists = change.observed
  if (desired === undefined) return []
  return [
    ...assignment(change, 'assign', targetsOfKind(kind, without(desired, observed))),
    ...assignment(change, 'unassign', targetsOfKind(kind, without(observed, desired))),
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
