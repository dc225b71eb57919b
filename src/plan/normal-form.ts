import { compareText } from '../model/diagnostic.ts'
import { listsOf, type TargetLists } from '../model/ids.ts'
import type { ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'

/** The same state with every list in its order, so that a plan cannot depend on how files or pages were read. */
export const sortedDesired = (state: ResolvedState): ResolvedState => ({
  ...state,
  sets: sorted(state.sets.map(sortedSet), (a, b) => compareText(a.name, b.name)),
})

export const sortedObserved = (state: ObservedState): ObservedState => ({
  ...state,
  sets: sorted(
    state.sets.map(sortedObservedSet),
    (a, b) => compareText(a.name, b.name) || compareText(a.id, b.id),
  ),
})

function sortedSet(set: ResolvedSet): ResolvedSet {
  return {
    ...set,
    variables: sorted(set.variables, byKey),
    ...distinctTargets(set),
  }
}

const sortedObservedSet = (set: ObservedSet): ObservedSet => ({
  ...set,
  variables: sorted(set.variables, (a, b) => byKey(a, b) || compareText(a.id, b.id)),
  ...distinctTargets(set),
})

const distinctTargets = (lists: TargetLists): TargetLists =>
  listsOf(kind => (lists[kind] === undefined ? undefined : distinct(lists[kind])))

const byKey = (a: { key: string }, b: { key: string }): number => compareText(a.key, b.key)

const distinct = <Id extends string>(ids: readonly Id[]): readonly Id[] => {
  const list = sorted(ids, compareText)
  return list.some((id, i) => i > 0 && id === list[i - 1]) ? [...new Set(list)] : list
}

/** The list itself where it is in order already, which it mostly is. */
function sorted<T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  let previous: T | undefined
  for (const member of list) {
    if (previous !== undefined && compare(previous, member) > 0) return list.toSorted(compare)
    previous = member
  }
  return list
}
