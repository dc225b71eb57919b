import { settingsDiffer } from '../model/fields.ts'
import type { VariableKey } from '../model/ids.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  Variable,
} from '../model/variable-set.ts'
import { changeOf } from './equality.ts'
import type { Operation } from './operation.ts'
import { storesAs } from './stored-text.ts'

/**
 * Whether what an operation is for is there already. `set` is the observed set it is about: by id, or by name for one
 * that is created; `undefined` where the service does not show it. Texts of secrets cannot be compared. `isThere`: when a
 * variable is what was wanted.
 */
export function isDone(
  operation: Operation,
  set: ObservedSet | undefined,
  isThere: IsThere = isEqual,
): boolean {
  switch (operation.type) {
    case 'create-set':
      return (
        set !== undefined &&
        !settingsDiffer(set, operation.after) &&
        hasAll(set, operation.after.variables, isThere) &&
        [...operation.after.workspaces, ...operation.after.projects].every(id => reaches(set, id))
      )
    case 'delete-set':
      return set === undefined
    case 'update-set':
      return (
        set !== undefined &&
        !settingsDiffer(set, operation.after) &&
        hasAll(set, operation.variables, isThere)
      )
    case 'create-variable':
    case 'update-variable':
      return set !== undefined && hasAll(set, [operation.after], isThere)
    case 'delete-variable':
      return set === undefined || !set.variables.some(variable => variable.id === operation.variableId)
    case 'assign':
      return set !== undefined && operation.targets.ids.every(id => reaches(set, id))
    case 'unassign':
      return set === undefined || !operation.targets.ids.some(id => reaches(set, id))
  }
}

/** The observed set that an operation is about. */
export const setOf = (operation: Operation, { sets }: ObservedState): ObservedSet | undefined =>
  operation.type === 'create-set'
    ? sets.find(({ name }) => name === operation.subject.name)
    : sets.find(({ id }) => id === operation.subject.id)

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

const hasAll = (set: ObservedSet, variables: readonly Variable<DesiredValue>[], isThere: IsThere): boolean =>
  variables.every(wanted =>
    indexOf(set)
      .variables.get(wanted.key)
      ?.some(variable => isThere(variable, wanted)),
  )

const reaches = (set: ObservedSet, id: string): boolean => indexOf(set).targets.has(id)

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
  const variables = new Map<VariableKey, ObservedVariable[]>()
  for (const variable of set.variables) {
    const others = variables.get(variable.key)
    if (others === undefined) variables.set(variable.key, [variable])
    else others.push(variable)
  }
  const index = { variables, targets: new Set([...set.workspaces, ...set.projects]) }
  INDEXES.set(set, index)
  return index
}
