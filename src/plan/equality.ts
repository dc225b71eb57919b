import { FIELDS, type FieldName, fieldsDiffer, hasEffect, NO_FIELDS } from '../model/fields.ts'
import type { VariableKey } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type {
  DesiredValue,
  DesiredVariable,
  ObservedSet,
  ObservedValue,
  ObservedVariable,
  Variable,
} from '../model/variable-set.ts'

/**
 * The change that an existing variable needs. A sensitive value cannot be read and counts as equal unless another
 * field differs. Readable values are compared exactly, including line ends.
 */
export function changeOf(
  observed: Variable<ObservedValue>,
  desired: Variable<DesiredValue>,
): 'none' | 'update' | 'replace' {
  if ('external' in desired.value)
    return fieldsDiffer(observed, desired, name => !isKept(name, observed, desired)) ? 'update' : 'none'
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
export function isKept(
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
