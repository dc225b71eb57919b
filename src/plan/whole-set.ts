import type { SourceRange } from '../model/diagnostic.ts'
import { fieldsOf, ownerOf, settingsOf } from '../model/fields.ts'
import { type Assignments, assignmentsOf, idsOf, listsOf, type TargetLists } from '../model/ids.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedValue,
  ResolvedSet,
  SetContents,
  Variable,
} from '../model/variable-set.ts'
import { type Draft, EVERYWHERE, type Reach } from './draft.ts'
import type { CreateSet, DeleteSet } from './operation.ts'
import { globalSlot, nameSlot } from './slots.ts'

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
    provides: reachOf(after),
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
    withdraws: reachOf(before),
  }
}

export const contentsOf = (set: ObservedSet): SetContents<ObservedValue> => ({
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

export const reachOf = (set: SetContents<unknown>): Reach => ({
  keys: set.variables.map(variable => variable.key),
  targets: targetsOf(set),
})
