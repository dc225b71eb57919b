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

/**
 * Whether what an operation is for is there already. `set` is the observed set it is about: by id, or by name for one
 * that is created; `undefined` where the service does not show it. Texts of secrets cannot be compared.
 */
export function isDone(operation: Operation, set: ObservedSet | undefined): boolean {
  switch (operation.type) {
    case 'create-set':
      return (
        set !== undefined &&
        !settingsDiffer(set, operation.after) &&
        hasAll(set, operation.after.variables) &&
        [...operation.after.workspaces, ...operation.after.projects].every(id => reaches(set, id))
      )
    case 'delete-set':
      return set === undefined
    case 'update-set':
      return set !== undefined && !settingsDiffer(set, operation.after) && hasAll(set, operation.variables)
    case 'create-variable':
    case 'update-variable':
      return set !== undefined && hasAll(set, [operation.after])
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

const hasAll = (set: ObservedSet, variables: readonly Variable<DesiredValue>[]): boolean =>
  variables.every(wanted =>
    indexOf(set)
      .variables.get(wanted.key)
      ?.some(variable => changeOf(variable, wanted) === 'none'),
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
