import { compareText } from './diagnostic.ts'
import type { Secret } from './secret.ts'

/** Characters that a reader does not see: controls, formats, separators, lone surrogates, ignorables and odd blanks. */
export const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu

/** The first character of `##[name`, `##vso[name`, `##teamcity[name`: CI runners obey these anywhere in a line. */
export const RUNNER_COMMAND = /#(?=#[\w-]*\[)/g

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
  const members = value as Readonly<Record<string, unknown>>
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

/**
 * The value of a JSON text; `undefined` if it is malformed. So is a long text that is too deep or has too many values: parsing some
 * megabytes of brackets takes gigabytes of memory (docs/fault-model.md F-06).
 */
export function parseJson(text: string): unknown {
  if (text.length > HARMLESS_LENGTH && isMonstrous(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The items of a list in a document, none if it is something else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Shorter texts take some hundred megabytes at most, even if they are only brackets. Most responses are shorter. */
const HARMLESS_LENGTH = 2_097_152
/** JSON:API needs about ten levels. */
const DEEPEST = 64
/** The largest sensible page, 100 sets of 1,000 variables, has about two million values. */
const MOST_VALUES = 4_000_000

function isMonstrous(text: string): boolean {
  let depth = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth++
        values++
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case 0x2c: // ,
        values++
        break
    }
    if (depth > DEEPEST || values > MOST_VALUES) return true
  }
  return false
}

/** The index of the closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
