import { compareText } from './diagnostic.ts'
import { INVISIBLE_CHARACTERS, RUNNER_COMMAND } from './invisible.ts'
import type { Secret } from './secret.ts'

/** `T` itself if JSON preserves it; `never` if JSON would lose or leak something. */
export type Serialisable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends
        | Secret
        | Date
        | bigint
        | symbol
        | ReadonlyMap<unknown, unknown>
        | ReadonlySet<unknown>
        | ((...args: never[]) => unknown)
    ? never
    : { [K in keyof T]: Serialisable<T[K]> }

/**
 * Canonical JSON: keys in code point order, two spaces, a final newline, without members that are `undefined`. Equal values give
 * equal bytes, which are safe to print. A `Secret` inside does not compile, and throws at run time.
 */
export function toJson<T>(value: T & Serialisable<T>): string {
  return inertJson(`${JSON.stringify(sorted(value), undefined, 2)}\n`)
}

/** JSON that parses to the same value, without invisible characters and runner commands. */
export const inertJson = (json: string): string =>
  json.replace(ESCAPED, escapedUnits).replace(RUNNER_COMMAND, '\\u0023')

/** A raw line end is layout and stays: JSON strings have none. The look-ahead makes the search fast. */
const ESCAPED = new RegExp(`(?![\\n -~])(?:${INVISIBLE_CHARACTERS.source})`, 'gu')

const escapedUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map(unit => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

/** As `toJson`, on one line without a final newline: for comparing and hashing. */
export function toCompactJson<T>(value: T & Serialisable<T>): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  const members: Readonly<Record<string, unknown>> = { ...value }
  const names = Object.keys(members).sort(compareText)
  const copy: Record<string, unknown> = {}
  for (const name of names) {
    if (name === '__proto__') Object.defineProperty(copy, name, { ...OWN, value: sorted(members[name]) })
    else copy[name] = sorted(members[name])
  }
  return copy
}

/** An assignment to `__proto__` would change the prototype of the copy. */
const OWN = { enumerable: true, configurable: true, writable: true }
