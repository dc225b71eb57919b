import { nameOf, type VariableId } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type { ObservedSet, ObservedVariable, SecretRef } from '../model/variable-set.ts'

/**
 * A reference for each of the variables that `isSecret` picks, named like its key: `DB_PASSWORD`. Several share a name only if all are
 * known to be equal. Otherwise the name of the set comes before the key, and a number after it if that is not enough. `identities` are
 * equal exactly if the values are, absent if a value is unknown, and never shown or stored.
 */
export function secretRefs(
  sets: readonly ObservedSet[],
  isSecret: (variable: ObservedVariable) => boolean,
  identities: ReadonlyMap<VariableId, string> = new Map(),
): ReadonlyMap<VariableId, SecretRef> {
  const secrets = sets.flatMap(({ name: set, variables }) =>
    variables.filter(isSecret).map(({ id, key }) => ({ id, set, key: nameOf(key) })),
  )
  const byKey = grouped(secrets, ({ key }) => nameFrom(key))
  const taken = new Set(byKey.keys())
  const refs = new Map<VariableId, SecretRef>()
  for (const [name, group] of byKey) {
    const values = new Set(group.map(({ id }) => identities.get(id)))
    const isOne = group.length === 1 || (values.size === 1 && !values.has(undefined))
    for (const { id, set, key } of group)
      refs.set(id, { name: isOne ? name : free(nameFrom(`${set}_${key}`), taken) })
  }
  return refs
}

function free(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`
  taken.add(name)
  return name
}

/** In the usual form of an environment variable. */
function nameFrom(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100)
  return /^[A-Z]/.test(plain) ? plain : `SECRET${plain === '' ? '' : `_${plain}`}`
}
