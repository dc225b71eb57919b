import type { VariableKey } from '../model/ids.ts'
import type { DesiredValue, ObservedSet, ObservedVariable, Variable } from '../model/variable-set.ts'
import { changeOf } from './equality.ts'

/** A service that does not refuse a key twice may hold several variables of one. */
export function variablesByKey(set: ObservedSet): Map<VariableKey, ObservedVariable[]> {
  const byKey = new Map<VariableKey, ObservedVariable[]>()
  for (const variable of set.variables) {
    const same = byKey.get(variable.key)
    if (same === undefined) byKey.set(variable.key, [variable])
    else same.push(variable)
  }
  return byKey
}

/** The one that stays comes first: the equal one, else the first by id. */
export const preferred = (
  found: readonly ObservedVariable[],
  desired: Variable<DesiredValue>,
): readonly ObservedVariable[] =>
  found.length < 2
    ? found
    : found.toSorted((a, b) => rank(a, desired) - rank(b, desired) || (a.id < b.id ? -1 : 1))

const rank = (observed: ObservedVariable, desired: Variable<DesiredValue>): number =>
  ['none', 'update', 'replace'].indexOf(changeOf(observed, desired))
