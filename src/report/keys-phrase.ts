import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import { listed, name, type Phrase } from './phrase.ts'

/** `env REGION`; of several, their names: `A, B and 3 more`. */
export function keysPhrase(keys: readonly VariableKey[]): Phrase {
  const [first] = keys
  if (first !== undefined && keys.length === 1) return [`${categoryOf(first)} `, name(nameOf(first))]
  return listed(keys.map(nameOf))
}
