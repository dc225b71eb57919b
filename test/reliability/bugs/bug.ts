import type { ProbeName } from './probes.ts'

/** A deliberate defect: exact texts of one file of `src`, each of which stands there once. */
export interface Bug {
  /** What the program does wrong. */
  readonly name: string
  /** Relative to `src`. */
  readonly file: string
  /** What stands there, and what stands there instead. */
  readonly edits: readonly (readonly [found: string, instead: string])[]
  /** What has to notice it: schedules of which each one breaks, or a probe. */
  readonly caughtBy: { readonly schedules: readonly string[] } | { readonly probe: ProbeName }
}
