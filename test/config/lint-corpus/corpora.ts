import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A line of a corpus: a JSON list that ends with the parts of the value. */
function read<T extends readonly string[]>(name: string): readonly T[] {
  const lines = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map(line => JSON.parse(line))
}

/**
 * Secrets with known formats: what it is, a variable key that reveals nothing more, and the parts of the value. None was ever
 * real. They are split, so that no secret scanner finds one in this repository.
 */
export const KNOWN = read<[what: string, key: string, ...parts: string[]]>('known.jsonl')

/** Random values as password generators and services make them, under suspicious names. */
export const TELLING = read<[key: string, ...parts: string[]]>('telling.jsonl')

/** Keys and values of all kinds that are no secrets. */
export const HARMLESS = read<[key: string, ...parts: string[]]>('harmless.jsonl')
