import type { SourceRange } from '../model/diagnostic.ts'
import { fieldsOf, ownerOf, settingsOf } from '../model/fields.ts'
import {
  type Assignments,
  assignmentsOf,
  listsOf,
  type TargetLists,
  type VariableKey,
  type VariableSetId,
} from '../model/ids.ts'
import type { ObservedSet, ResolvedSet, Variable } from '../model/variable-set.ts'
import { Graph } from './graph.ts'
import type { CreateSet, Operation, OperationId } from './operation.ts'

/** What an operation gives up, and what it needs. */
export interface Slots {
  readonly releases: readonly Slot[]
  readonly acquires: readonly Slot[]
}

/** An operation with its slots. Exists only while planning. */
export interface Draft extends Slots {
  readonly id: OperationId
  readonly operation: Operation
  readonly source?: SourceRange
  readonly file?: string
}

/** Something that only one object may hold at a time. Whoever acquires a slot waits for whoever releases it. */
export type Slot = string

/** At no moment may two global sets hold one key (docs/service.md 1.2). */
export const globalSlot = (key: VariableKey): Slot => `global/${key}`
/** A replaced variable is deleted before it is created. */
export const keySlot = (set: VariableSetId, key: VariableKey): Slot => `key/${set}/${key}`
/** A set stops being global before all its other changes, and becomes global after them. */
export const scopeSlot = (set: VariableSetId): Slot => `scope/${set}`
/** A set is deleted after the new one that has its name as a previous name (docs/files.md#change-the-owner). */
const successorSlot = (name: string): Slot => `successor/${name}`
/**
 * Names are compared without case, because the interface does not say how a service compares them and waiting is
 * harmless.
 */
export const nameSlot = (name: string): Slot => `name/${name.normalize('NFC').trim().toLowerCase()}`

/** How the scope of an observed set changes in a plan. */
export type ScopeChange = 'leaves-global' | 'becomes-global' | 'stays-global' | 'not-global'

export function scopeChange(before: { global: boolean }, after: { global: boolean }): ScopeChange {
  if (before.global) return after.global ? 'stays-global' : 'leaves-global'
  return after.global ? 'becomes-global' : 'not-global'
}

/** A variable without its place in a file: a plan compares what is done, not where it is written. */
export const definitionOf = <V>(variable: Variable<V>): Variable<V> => ({
  key: variable.key,
  value: variable.value,
  ...fieldsOf(variable),
})

/** One POST creates the whole set (docs/service.md 4.1). An `external` variable is never created. */
export const creationOf = (set: ResolvedSet): CreateSet => ({
  type: 'create-set',
  subject: { kind: 'variable-set', name: set.name },
  after: {
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.filter(variable => !('external' in variable.value)).map(definitionOf),
    ...filled(set),
  },
})

/** `takesOver`: the names of removed sets that it comes after. */
export function createDraft(set: ResolvedSet, takesOver: readonly string[]): Draft {
  const operation = creationOf(set)
  const { after } = operation
  return {
    id: `create-set ${set.name}`,
    operation,
    source: set.source,
    releases: takesOver.map(successorSlot),
    acquires: [
      nameSlot(after.name),
      ...(set.global ? after.variables.map(variable => globalSlot(variable.key)) : []),
    ],
  }
}

/** A set without `source` is pruned. `name`: what reports call it. */
export function deleteDraft(set: ObservedSet, source: SourceRange | undefined, name: string): Draft {
  const before = {
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.map(definitionOf),
    ...filled(set),
    others: set.others,
  }
  return {
    id: `delete-set ${name}`,
    operation: { type: 'delete-set', subject: { kind: 'variable-set', name, id: set.id }, before },
    source,
    releases: [
      nameSlot(set.name),
      ...(set.global ? before.variables.map(variable => globalSlot(variable.key)) : []),
    ],
    acquires: [successorSlot(set.name)],
  }
}

/** Leaves out an empty list of Stacks, so that the digest is the same on services without Stacks. */
const filled = (lists: TargetLists): Assignments =>
  assignmentsOf(listsOf(kind => (lists[kind]?.length === 0 ? undefined : lists[kind])))

/** The assignments after the apply. Those that the files do not manage stay. */
export const assignmentsThen = (desired: TargetLists, observed: TargetLists | undefined): Assignments =>
  filled(listsOf(kind => desired[kind] ?? observed?.[kind]))

/** Whoever acquires a slot waits for whoever releases it. */
export function slotGraph(drafts: readonly Slots[]): Graph {
  const graph = new Graph(drafts.length)
  const releasedBy = new Map<Slot, number[]>()
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.releases) {
      const others = releasedBy.get(slot)
      if (others === undefined) releasedBy.set(slot, [node])
      else others.push(node)
    }
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.acquires)
      for (const releaser of releasedBy.get(slot) ?? []) graph.add(releaser, node)
  return graph
}
