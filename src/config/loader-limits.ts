/** The most that the loader accepts. Limits protect the machine, so they never come from the repository. */
export interface Limits {
  readonly fileBytes: number
  readonly totalBytes: number
  readonly files: number
  /** Variables of all sets, including those of bases: two short files can ask for millions. */
  readonly variables: number
  /** Workspaces of groups, counted for each set that names the group. */
  readonly assignments: number
  /** Characters of all values, counted for each set: a base or a file is written once and can be used a thousand times. */
  readonly valueCharacters: number
}

/** The hint for a limit that was passed. */
export const raise = (limit: string): string => `To raise the limit, pass \`--limit ${limit}=NUMBER\`.`

export const DEFAULT_LIMITS: Limits = {
  fileBytes: 8 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  files: 50_000,
  variables: 1_000_000,
  assignments: 1_000_000,
  valueCharacters: 64 * 1024 * 1024,
}
