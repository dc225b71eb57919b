import { createHash } from 'node:crypto'

/** Without the four ambiguous letters and digits: the provider refuses an id with one of them in an import (docs/service.md 10.1). */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const LENGTH = 16

/**
 * `varset-`, `var-`, `ws-` or `prj-` and sixteen letters or digits (docs/service.md 10.1), the same ones for the same
 * `source` text: a sandbox that is asked the same things gives the same ids.
 */
export function idFrom(prefix: string, source: string): string {
  const bytes = createHash('sha256').update(source).digest()
  return `${prefix}-${[...bytes.subarray(0, LENGTH)].map(letterOf).join('')}`
}

/** The same format, from a source of random numbers. */
export function randomId(prefix: string, random: () => number): string {
  return `${prefix}-${Array.from({ length: LENGTH }, () => letterOf(Math.floor(random() * ALPHABET.length))).join('')}`
}

/** A variable's version: 36 hexadecimal digits (docs/service.md 11.4). */
export const versionFrom = (source: string) => createHash('sha256').update(source).digest('hex').slice(0, 36)

const letterOf = (byte: number) => ALPHABET.charAt(byte % ALPHABET.length)
