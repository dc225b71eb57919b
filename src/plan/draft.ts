import type { SourceRange } from '../model/diagnostic.ts'
import { fieldsOf, ownerOf, settingsOf } from '../model/fields.ts'
import {
  type Assignments,
  assignmentsOf,
  isVariableKey,
  listIn,
  listsOf,
  TARGET_KINDS,
  type TargetId,
  type TargetLists,
  type VariableKey,
  type VariableSetId,
} from '../model/ids.ts'
import type { AssignedAt, ObservedSet, ResolvedSet, Variable } from '../model/variable-set.ts'
import { Graph } from './graph.ts'
import type { CreateSet, Operation, OperationId } from './operation.ts'
import type { SlotReason } from './step-wait.ts'

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
  readonly assignedAt?: readonly AssignedAt[]
  readonly file?: string
}

/** Something that only one object may hold at a time. Whoever acquires a slot waits for whoever releases it. */
export type Slot = string

/** A service may store names and keys in another form, so whatever it may store alike has one slot. */
const folded = (text: string): string => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase()

/** At no moment may two global sets hold one key (docs/service.md 1.2). The second line has the key as it is written. */
export const globalSlot = (key: VariableKey): Slot => `global/${folded(key)}\n${key}`
/** A replaced variable is deleted before it is created. The second line has the key as it is written. */
export const keySlot = (set: VariableSetId, key: VariableKey): Slot => `key/${set}/${folded(key)}\n${key}`
/** A set stops being global before all its other changes, and becomes global after them. */
export const scopeSlot = (set: VariableSetId): Slot => `scope/${set}`
/** A set is deleted after the new one that has its name as a previous name (docs/files.md#move-a-set-to-another-project). */
const successorSlot = (name: string): Slot => `successor/${name}`
/**
 * Names are compared without case, because the interface does not say how a service compares them and waiting is
 * harmless.
 */
export const nameSlot = (name: string): Slot => `name/${folded(name)}`

/** Why a step waits for the one that releases a slot, which has the spelling of the step that waits. */
export function slotReason(slot: Slot, earlier: Operation, later: Operation): SlotReason {
  const [kind = '', ...rest] = slot.split('/')
  const key = slot.slice(slot.indexOf('\n') + 1)
  if (kind === 'global' && isVariableKey(key)) return { kind: 'global-key', key }
  if (kind === 'key' && isVariableKey(key)) return { kind: 'replaced', key }
  if (kind === 'successor') return { kind: 'taken-over', set: earlier.subject.name }
  if (kind === 'scope') return { kind: 'global-set', set: later.subject.name }
  const taken = later.type === 'create-set' || later.type === 'update-set' ? later.after.name : rest.join('/')
  return { kind: 'name', name: taken }
}

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
    ...linesOf(
      set,
      TARGET_KINDS.flatMap((kind): readonly TargetId[] => listIn(after, kind) ?? []),
    ),
    releases: takesOver.map(successorSlot),
    acquires: [
      nameSlot(after.name),
      ...(set.global ? after.variables.map(variable => globalSlot(variable.key)) : []),
    ],
  }
}

/** Where the files assign a set to these targets, if it is not in the list of the set. */
export function linesOf(
  { assignedAt }: Pick<ResolvedSet, 'assignedAt'>,
  ids: readonly TargetId[],
): Pick<Draft, 'assignedAt'> {
  const wanted = new Set<string>(assignedAt && ids)
  const lines = (assignedAt ?? []).filter(({ id }) => wanted.has(id))
  return lines.length === 0 ? {} : { assignedAt: lines }
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

/** Whoever acquires a slot waits for whoever releases it. Each edge has one of its slots. */
export function slotGraph(drafts: readonly Slots[]): Graph<Slot> {
  const graph = new Graph<Slot>(drafts.length)
  const releasedBy = new Map<string, number[]>()
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.releases) {
      const held = heldIn(slot)
      const others = releasedBy.get(held)
      if (others === undefined) releasedBy.set(held, [node])
      else others.push(node)
    }
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.acquires)
      for (const releaser of releasedBy.get(heldIn(slot)) ?? []) graph.add(releaser, node, slot)
  return graph
}

/** What is compared: a slot without the spelling of its key. */
const heldIn = (slot: Slot): string => slot.split('\n', 1)[0] ?? slot
