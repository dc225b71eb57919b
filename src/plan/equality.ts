import {
  FIELDS,
  type FieldName,
  fieldsDiffer,
  hasEffect,
  NO_FIELDS,
  ownersDiffer,
  settingsDiffer,
} from '../model/fields.ts'
import { idsOf, type VariableKey } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { isStoredFormOf } from '../model/stored-form.ts'
import type {
  DesiredValue,
  DesiredVariable,
  ObservedSet,
  ObservedValue,
  ObservedVariable,
  Variable,
} from '../model/variable-set.ts'
import { itemsIn, takesAway } from './items.ts'
import type { Pair } from './match.ts'
import { type Item, itemsOf, type Operation } from './operation.ts'

/**
 * The change that an existing variable needs. A sensitive value cannot be read and counts as equal unless another
 * field differs. Readable values are compared exactly, including line endings.
 */
export function changeOf(
  observed: Variable<ObservedValue>,
  desired: Variable<DesiredValue>,
): 'none' | 'update' | 'replace' {
  if ('external' in desired.value)
    return fieldsDiffer(observed, desired, name => !isLeft(name, observed, desired)) ? 'update' : 'none'
  if ('secret' in desired.value) {
    if (!('hidden' in observed.value)) return 'update'
    if (fieldsDiffer(observed, desired, (_, rule) => rule.fixedOnSecrets === true)) return 'replace'
    return fieldsDiffer(observed, desired) ? 'update' : 'none'
  }
  // The service refuses to make a sensitive variable readable: "destroy this record and create a new one".
  if ('hidden' in observed.value) return 'replace'
  if ('withheld' in observed.value) return 'update'
  const isSame = observed.value.text === desired.value.text && !fieldsDiffer(observed, desired)
  return isSame ? 'none' : 'update'
}

/**
 * Fields that the plan leaves alone: those without effect and, for an external variable, those that belong to its
 * value and are not in the file. For a sensitive variable they cannot change without the value.
 */
export function isLeft(
  name: FieldName,
  observed: Variable<ObservedValue>,
  desired: Variable<DesiredValue>,
): boolean {
  if (!hasEffect(name, desired.key)) return true
  if (!('external' in desired.value) || FIELDS[name].belongsToValue !== true) return false
  return desired[name] === NO_FIELDS[name] || 'hidden' in observed.value
}

/** Observed variables by key; several if the service took a key twice. */
export const variablesByKey = ({ variables }: ObservedSet): Map<VariableKey, ObservedVariable[]> =>
  grouped(variables, ({ key }) => key)

/** The variable to keep comes first: the equal one, else the first by id. */
export const preferred = (
  found: readonly ObservedVariable[],
  desired: Variable<DesiredValue>,
): readonly ObservedVariable[] =>
  found.length < 2
    ? found
    : found.toSorted((a, b) => rank(a, desired) - rank(b, desired) || (a.id < b.id ? -1 : 1))

const rank = (observed: ObservedVariable, desired: Variable<DesiredValue>): number =>
  ['none', 'update', 'replace'].indexOf(changeOf(observed, desired))

/** A declared variable of an existing set, and the observed one that it changes. */
interface VariablePair {
  readonly desired: DesiredVariable
  /** Of duplicates, the one that stays. Absent: the set has no such variable. */
  readonly observed: ObservedVariable | undefined
  readonly duplicates: readonly ObservedVariable[]
  /** The change that `observed` needs. */
  readonly change: ReturnType<typeof changeOf>
}

/** Kept with each pair of sets, so that every part of a plan asks once. */
const PAIRS = new WeakMap<Pair, readonly VariablePair[]>()

/** The declared variables of a pair in their order, compared with the observed ones. */
export function variablePairs(pair: Pair): readonly VariablePair[] {
  const known = PAIRS.get(pair)
  if (known !== undefined) return known
  const byKey = pair.observed && indexOf(pair.observed).variables
  const pairs = pair.desired.variables.map((desired): VariablePair => {
    const [observed, ...duplicates] = preferred(byKey?.get(desired.key) ?? [], desired)
    const change = observed === undefined ? 'none' : changeOf(observed, desired)
    return { desired, observed, duplicates, change }
  })
  PAIRS.set(pair, pairs)
  return pairs
}

/**
 * Where an update of set files would have to write and does not: the file that holds the text of a variable (`file:`), or the
 * base that gives a variable which the service does not have.
 */
export function fileNotEdited(
  variables: readonly DesiredVariable[],
  { variables: held }: Pick<ObservedSet, 'variables'>,
): string | undefined {
  const files = variables.map(variable => {
    const observed = held.find(({ key }) => key === variable.key)
    if (observed === undefined) return 'external' in variable.value ? undefined : variable.base?.path
    // What a base gives is written into the set, above the base.
    return variable.base === undefined && changeOf(observed, variable) !== 'none' ? variable.file : undefined
  })
  return files.find(file => file !== undefined)
}

/**
 * Whether the service already shows the result of an operation. `set` is the set that `setFinder` finds, `undefined`
 * if the service does not show it. Values of secrets cannot be compared. By default a variable is
 * there if it equals the one that was sent; a weaker `isThere` accepts one of the same key.
 */
export const isDone = (
  operation: Operation,
  set: ObservedSet | undefined,
  isThere: IsThere = isEqual,
): boolean => itemsOf(operation).every(item => isVisible(set, item, isThere))

function isVisible(set: ObservedSet | undefined, item: Item, isThere: IsThere): boolean {
  if (set === undefined) return takesAway(item)
  switch (item.kind) {
    case 'set':
      return (
        item.after !== undefined &&
        !settingsDiffer(set, item.after) &&
        !ownersDiffer(set, item.after) &&
        itemsIn(item).every(one => isVisible(set, one, isThere))
      )
    case 'setting':
      return set[item.name] === item.after
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
export const canBeVerified = (operation: Operation): boolean =>
  operation.type !== 'update-variable' ||
  !('secret' in operation.after.value) ||
  !('hidden' in operation.before.value)

type IsThere = (observed: ObservedVariable, wanted: Variable<DesiredValue>) => boolean

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
    const { hcl } = wanted
    return (
      isStoredFormOf(wanted.value.text, text, { hcl }) &&
      isEqual({ ...observed, value: wanted.value }, wanted)
    )
  }

/** Whether a set shows a readable value that is neither what an operation sent nor what was there before. */
export function isOvertaken(operation: Operation, set: ObservedSet | undefined): boolean {
  if (operation.type !== 'create-variable' && operation.type !== 'update-variable') return false
  const { after } = operation
  const there = set?.variables.filter(({ key }) => key === after.key) ?? []
  return there.some(
    observed =>
      'text' in observed.value &&
      !hasArrived(operation)(observed, after) &&
      !(
        operation.type === 'update-variable' &&
        'text' in operation.before.value &&
        operation.before.value.text === observed.value.text
      ),
  )
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
