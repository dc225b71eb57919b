import type { SourceRange } from '../model/diagnostic.ts'
import { fieldsOf, ownerOf, settingsOf } from '../model/fields.ts'
import {
  type Assignments,
  assignmentsOf,
  idsOf,
  listsOf,
  type TargetLists,
  type VariableKey,
  type VariableSetId,
} from '../model/ids.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedValue,
  ResolvedSet,
  SetContents,
  Variable,
} from '../model/variable-set.ts'
import type { CreateSet, DeleteSet, Operation, OperationId } from './operation.ts'

/** What workspaces gain or lose: these variables, at these workspaces and projects, or everywhere (`*`). */
export interface VariablesAt {
  readonly keys: readonly VariableKey[]
  readonly targets: readonly string[]
}

/** An operation with what it needs of the others; lives inside planning only. */
export interface Draft {
  readonly id: OperationId
  readonly operation: Operation
  readonly source?: SourceRange
  readonly file?: string
  readonly releases: readonly Slot[]
  readonly acquires: readonly Slot[]
  readonly provides?: VariablesAt
  readonly withdraws?: VariablesAt
  /** The same change as several narrower requests, for when this one would close a cycle. Unordered. */
  readonly split?: Split
}

/** The name by itself, and everything else; either may go first, which decides the settings each one sends. */
interface Split {
  readonly name: Pick<Draft, 'releases' | 'acquires'>
  readonly rest: Pick<Draft, 'releases' | 'acquires' | 'provides' | 'withdraws'>
}

export const EVERYWHERE = '*'

/** Something one object may hold at a time. Whoever acquires a slot waits for whoever releases it. */
export type Slot = string

/** No key and category in two global sets at any moment (docs/service.md 1.2). */
export const globalSlot = (key: VariableKey): Slot => `global/${key}`
/** A replaced variable goes before it comes. */
export const keySlot = (set: VariableSetId, key: VariableKey): Slot => `key/${set}/${key}`
/** A set leaves global before, and becomes global after, everything else that happens to it. */
export const scopeSlot = (set: VariableSetId): Slot => `scope/${set}`
/** A set of another owner goes after the one that takes its place has come. */
export const successorSlot = (set: VariableSetId): Slot => `successor/${set}`
/** Names are folded: the interface does not say how a service compares them, and waiting is harmless. */
export const nameSlot = (name: string): Slot => `name/${name.normalize('NFC').trim().toLowerCase()}`

/** How the scope of an observed set changes in a plan. */
export type ScopeChange = 'leaves-global' | 'becomes-global' | 'stays-global' | 'not-global'

export const scopeChange = (before: { global: boolean }, after: { global: boolean }): ScopeChange =>
  before.global
    ? after.global
      ? 'stays-global'
      : 'leaves-global'
    : after.global
      ? 'becomes-global'
      : 'not-global'

/** Without its place in a file, so that a plan compares what is done and not where it is written. */
export const definitionOf = <V>(variable: Variable<V>): Variable<V> => ({
  key: variable.key,
  value: variable.value,
  ...fieldsOf(variable),
})

/** One POST carries the whole set (docs/service.md 4.1); an `external` variable is never created. */
export function createDraft(set: ResolvedSet): Draft & { readonly operation: CreateSet } {
  const after: SetContents<DesiredValue> = {
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.filter(variable => !('external' in variable.value)).map(definitionOf),
    ...filled(set),
  }
  return {
    id: `create-set ${set.name}`,
    operation: { type: 'create-set', subject: { kind: 'variable-set', name: set.name }, after },
    source: set.source,
    releases: [],
    acquires: [
      nameSlot(after.name),
      ...(set.global ? after.variables.map(variable => globalSlot(variable.key)) : []),
    ],
    provides: variablesAt(after),
  }
}

/** Without `source`: pruned. */
export function deleteDraft(
  set: ObservedSet,
  source: SourceRange | undefined,
): Draft & { readonly operation: DeleteSet } {
  const before = contentsOf(set)
  return {
    id: `delete-set ${set.name}`,
    operation: { type: 'delete-set', subject: { kind: 'variable-set', name: set.name, id: set.id }, before },
    ...(source === undefined ? {} : { source }),
    releases: [
      nameSlot(set.name),
      ...(set.global ? before.variables.map(variable => globalSlot(variable.key)) : []),
    ],
    acquires: [],
    withdraws: variablesAt(before),
  }
}

const contentsOf = (set: ObservedSet): SetContents<ObservedValue> => ({
  ...settingsOf(set),
  ...ownerOf(set),
  variables: set.variables.map(definitionOf),
  ...filled(set),
  ...(set.others === undefined ? {} : { others: set.others }),
})

/** Without an empty list of Stacks: a set that has none reads, and is digested, as on a service without them. */
const filled = (lists: TargetLists): Assignments =>
  assignmentsOf(listsOf(kind => (lists[kind]?.length === 0 ? undefined : lists[kind])))

/** What a set is assigned to once the files are applied: what they do not manage stays as it is. */
export const assignmentsThen = (desired: TargetLists, observed: TargetLists | undefined): Assignments =>
  filled(listsOf(kind => desired[kind] ?? observed?.[kind]))

export const targetsOf = (set: TargetLists & Pick<SetContents<unknown>, 'global'>): readonly string[] =>
  set.global ? [EVERYWHERE] : idsOf(set)

export const variablesAt = (set: SetContents<unknown>): VariablesAt => ({
  keys: set.variables.map(variable => variable.key),
  targets: targetsOf(set),
})
