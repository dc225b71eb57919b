import { ownersDiffer, settingsDiffer } from '../model/fields.ts'
import { idsOf, type VariableKey } from '../model/ids.ts'
import type { DesiredValue, ObservedSet, ObservedVariable, Variable } from '../model/variable-set.ts'
import { changeOf, variablesByKey } from './equality.ts'
import { type Item, itemsIn, itemsOf, takesAway } from './items.ts'
import type { Operation } from './operation.ts'
import { storesAs } from './stored-text.ts'

/**
 * Whether the service already shows the result of an operation. `set` is the set that `setFinder` finds, `undefined`
 * if the service does not show it. Values of secrets cannot be compared. `isThere` decides when a variable counts as
 * present.
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
 * Whether the service can show that an operation was carried out. A secret sent to a variable that was already
 * sensitive looks the same before and after.
 */
export const showsInService = (operation: Operation): boolean =>
  operation.type !== 'update-variable' ||
  !('secret' in operation.after.value) ||
  !('hidden' in operation.before.value)

export type IsThere = (observed: ObservedVariable, wanted: Variable<DesiredValue>) => boolean

const isEqual: IsThere = (observed, wanted) => changeOf(observed, wanted) === 'none'

/**
 * Whether a value that was just sent has arrived, possibly with other line endings or without its final newline. The
 * previous value proves nothing.
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
  /** Several for a key that the service took twice. */
  readonly variables: ReadonlyMap<VariableKey, readonly ObservedVariable[]>
  readonly targets: ReadonlySet<string>
}

/** Indexes by set: a plan may ask about each of a thousand variables. */
const INDEXES = new WeakMap<ObservedSet, SetIndex>()

function indexOf(set: ObservedSet): SetIndex {
  const known = INDEXES.get(set)
  if (known !== undefined) return known
  const index = { variables: variablesByKey(set), targets: new Set<string>(idsOf(set)) }
  INDEXES.set(set, index)
  return index
}
