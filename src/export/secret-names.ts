import { nameOf, type VariableId } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type { ObservedSet, ObservedVariable, SecretRef } from '../model/variable-set.ts'

/** A reference for each of the variables that `isSecret` picks. `identities` is explained at `NamelessSecret`. */
export function secretRefs(
  sets: readonly ObservedSet[],
  isSecret: (variable: ObservedVariable) => boolean,
  identities: ReadonlyMap<VariableId, string> = new Map(),
): ReadonlyMap<VariableId, SecretRef> {
  const secrets = sets.flatMap(({ name: set, variables }) =>
    variables
      .filter(isSecret)
      .map(({ id, key }) => ({ set, key: nameOf(key), identity: identities.get(id), id })),
  )
  return new Map([...secretNames(secrets)].map(([{ id }, ref]) => [id, ref]))
}

/** A sensitive variable that needs a name for its secret. */
export interface NamelessSecret {
  readonly set: string
  /** Name of the variable. */
  readonly key: string
  /** Equal exactly if the values are; `undefined` if the value is unknown. Never shown or stored. */
  readonly identity: string | undefined
}

/**
 * A name for each secret, from its key: `DB_PASSWORD`. Several share a name only if all are known to be equal. Otherwise the name
 * of the set comes before the key, and a number after it if that is not enough.
 */
export function secretNames<T extends NamelessSecret>(secrets: readonly T[]): ReadonlyMap<T, SecretRef> {
  const byKey = grouped(secrets, ({ key }) => nameFrom(key))
  const names = new Map<T, SecretRef>()
  const taken = new Set(byKey.keys())
  for (const [name, group] of byKey) {
    const identities = new Set(group.map(({ identity }) => identity))
    const isOne = group.length === 1 || (identities.size === 1 && !identities.has(undefined))
    for (const secret of group)
      names.set(secret, { name: isOne ? name : free(nameFrom(`${secret.set}_${secret.key}`), taken) })
  }
  return names
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
