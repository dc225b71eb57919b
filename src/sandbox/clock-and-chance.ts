import { createHash } from 'node:crypto'

/** The only use of the machine's clock in the sandbox; everything else takes a clock as an argument. */
export const systemClock = (): Date => new Date()

/** Numbers from 0 up to 1, reproducible by seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

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

/** With hyphens, as a UUID has them. */
export function hyphenatedIdFrom(prefix: string, source: string): string {
  const digits = createHash('sha256').update(source).digest('hex')
  const parts = [8, 12, 16, 20, 32].map((end, index, ends) => digits.slice(ends[index - 1] ?? 0, end))
  return `${prefix}-${parts.join('-')}`
}

/** A variable's version: 36 hexadecimal digits (docs/service.md 11.4). */
export const versionFrom = (source: string) => createHash('sha256').update(source).digest('hex').slice(0, 36)

const letterOf = (byte: number) => ALPHABET.charAt(byte % ALPHABET.length)
