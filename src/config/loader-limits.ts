import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'

/** The most that the loader accepts. Limits protect the machine, so they never come from the repository. */
export interface Limits {
  /** Of one file. */
  readonly fileBytes: number
  /** Set files. */
  readonly files: number
  /**
   * Characters of all files as they are written, and of what is written once and used many times: variables of bases, workspaces of
   * groups, and the texts of `file:`. Two short files can ask for millions.
   */
  readonly expanded: number
}

/** The hint for a limit that was passed. */
export const raise = (limit: string): string => `To raise the limit, pass \`--limit ${limit}=NUMBER\`.`

export const DEFAULT_LIMITS: Limits = {
  fileBytes: 8 * 1024 * 1024,
  files: 50_000,
  expanded: 128 * 1024 * 1024,
}

/** What a variable or a workspace counts, besides its text. */
export const CHARACTERS_EACH = 128

/** What is left of `expanded`. */
export class Budget {
  readonly #most: number
  readonly #findings: Findings
  #left: number

  constructor({ expanded }: Limits, findings: Findings) {
    this.#most = expanded
    this.#left = expanded
    this.#findings = findings
  }

  /** Nothing more may be read or made. */
  get isSpent(): boolean {
    return this.#left < 0
  }

  /** Whether this much more may be read or made. The first that may not is reported at `source`, and nothing is allowed after it. */
  take(characters: number, source: SourceRange): boolean {
    if (this.isSpent) return false
    this.#left -= characters
    if (this.isSpent)
      this.#findings.error(
        'file-limit',
        `All files together have more than ${this.#most} characters here, with what bases, groups and \`file:\` repeat.`,
        raise('expanded'),
        source,
      )
    return !this.isSpent
  }
}
