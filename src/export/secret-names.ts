import type { SecretRef } from '../model/variable-set.ts'

/** A sensitive variable that needs a name for its secret. */
export interface NamelessSecret {
  readonly set: string
  /** Name of the variable. */
  readonly key: string
  /** Equal exactly where the values are; `undefined` where the value is not known. Never shown or stored. */
  readonly identity: string | undefined
}

/**
 * A name for each secret, from its key: `DB_PASSWORD`. One name for several only where all of them are known to be equal;
 * otherwise the set's name stands before the key, and a number behind it where that is not enough.
 */
export function secretNames<T extends NamelessSecret>(secrets: readonly T[]): ReadonlyMap<T, SecretRef> {
  const byKey = new Map<string, T[]>()
  for (const secret of secrets) {
    const name = nameFrom(secret.key)
    byKey.set(name, [...(byKey.get(name) ?? []), secret])
  }
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

/** As names of environment variables usually are. */
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
