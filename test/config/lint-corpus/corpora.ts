import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A line of a corpus: a JSON list whose last texts are the parts of the value. */
function read<T extends readonly string[]>(name: string): readonly T[] {
  const lines = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map(line => JSON.parse(line))
}

/**
 * Secrets of known shapes: what it is, the key of a variable that says nothing more than a shape needs, and the parts of
 * the value. None was ever real. In parts, so that nothing that looks for secrets finds one in this repository.
 */
export const KNOWN = read<[what: string, key: string, ...parts: string[]]>('known.jsonl')

/** Values made by chance, as password generators and services make them, under names that tell. */
export const TELLING = read<[key: string, ...parts: string[]]>('telling.jsonl')

/** Keys and values that are no secrets, of all the kinds that stand in variables. */
export const HARMLESS = read<[key: string, ...parts: string[]]>('harmless.jsonl')
