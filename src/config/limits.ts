/**
 * What the loader takes at most. They protect the machine, so they never come from the repository itself.
 * Sizes are in bytes.
 */
export interface Limits {
  readonly fileBytes: number
  readonly totalBytes: number
  readonly files: number
  readonly keysPerMap: number
  /** Maps and lists inside one another. */
  readonly depth: number
  /** Of all sets, with those that bases give: two short files can ask for millions. */
  readonly variables: number
  /** Characters of all values, as often as they stand in a set: a base or a file is written once and can be used a thousand times. */
  readonly valueCharacters: number
}

/** Those of one document by itself. */
export type TreeLimits = Pick<Limits, 'keysPerMap' | 'depth'>

export const DEFAULT_LIMITS: Limits = {
  fileBytes: 8 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  files: 50_000,
  keysPerMap: 100_000,
  depth: 32,
  variables: 1_000_000,
  valueCharacters: 64 * 1024 * 1024,
}
