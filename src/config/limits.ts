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
}

export const DEFAULT_LIMITS: Limits = {
  fileBytes: 8 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  files: 50_000,
  keysPerMap: 100_000,
  depth: 32,
}
