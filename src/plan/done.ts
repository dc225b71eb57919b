import { ownersDiffer, settingsDiffer } from '../model/fields.ts'
import { idsOf, type VariableKey } from '../model/ids.ts'
import type { DesiredValue, ObservedSet, ObservedVariable, Variable } from '../model/variable-set.ts'
import { changeOf, variablesByKey } from './equality.ts'
import { type Item, itemsIn, itemsOf, takesAway } from './items.ts'
import type { Operation } from './operation.ts'
import { storesAs } from './stored-text.ts'

/**
 * Whether what an operation is for is there already. `set` is the observed set it is about, as `setFinder` finds it;
 * `undefined` where the service does not show it. Texts of secrets cannot be compared. `isThere`: when a variable is what
 * was wanted.
 */
export const isDone = (
  operation: Operation,
  set: ObservedSet | undefined,
  isThere: IsThere = isEqual,
): boolean => itemsOf(operation).every(item => shows(set, item, isThere))

function shows(set: ObservedSet | undefined, item: Item, isThere: IsThere): boolean {
  if (set === undefined) return takesAway(item)
  switch (item.kind) {
    case 'set':
      return (
        item.after !== undefined &&
        !settingsDiffer(set, item.after) &&
        !ownersDiffer(set, item.after) &&
        itemsIn(item).every(one => shows(set, one, isThere))
      )
    case 'settings':
      return !settingsDiffer(set, item.after)
    case 'variable': {
      const { key, id, after } = item
      if (after === undefined) return set.variables.every(variable => variable.id !== id)
      return (
        indexOf(set)
          .variables.get(key)
          ?.some(variable => isThere(variable, after)) === true
      )
    }
    case 'target':
      return indexOf(set).targets.has(item.id) === item.assigned
  }
}

/**
 * Whether the service shows that an operation was carried out. Not where a secret was sent to a variable that was
 * sensitive before: it looks the same either way.
 */
export const showsInService = (operation: Operation): boolean =>
  operation.type !== 'update-variable' ||
  !('secret' in operation.after.value) ||
  !('hidden' in operation.before.value)

export type IsThere = (observed: ObservedVariable, wanted: Variable<DesiredValue>) => boolean

const isEqual: IsThere = (observed, wanted) => changeOf(observed, wanted) === 'none'

/**
 * Whether what was just sent has arrived, be it with other line ends or without its final newline: what the variable held
 * before proves nothing.
 */
export const hasArrived =
  (operation: Operation): IsThere =>
  (observed, wanted) => {
    if (isEqual(observed, wanted)) return true
    if (!('text' in observed.value) || !('text' in wanted.value)) return false
    const { text } = observed.value
    const before = operation.type === 'update-variable' ? operation.before.value : undefined
    if (before !== undefined && 'text' in before && before.text === text) return false
    return storesAs(wanted.value.text, text) && isEqual({ ...observed, value: wanted.value }, wanted)
  }

interface SetIndex {
  /** Some services take a key twice. */
  readonly variables: ReadonlyMap<VariableKey, readonly ObservedVariable[]>
  readonly targets: ReadonlySet<string>
}

/** Of sets that do not change: a plan asks about each of the thousand variables of one. */
const INDEXES = new WeakMap<ObservedSet, SetIndex>()

function indexOf(set: ObservedSet): SetIndex {
  const known = INDEXES.get(set)
  if (known !== undefined) return known
  const index = { variables: variablesByKey(set), targets: new Set<string>(idsOf(set)) }
  INDEXES.set(set, index)
  return index
}
