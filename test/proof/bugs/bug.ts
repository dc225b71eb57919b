import type { ProbeName } from './probes.ts'

/** A deliberate defect: replaces exact texts in one file of `src`, each of which occurs there once. */
export interface Bug {
  /** The behaviour of the defective program. */
  readonly name: string
  /** Relative to `src`. */
  readonly file: string
  /** The original text, and its replacement. */
  readonly edits: readonly (readonly [found: string, instead: string])[]
  /** The check that must find it: schedules that each break a promise, or a probe. */
  readonly caughtBy: { readonly schedules: readonly string[] } | { readonly probe: ProbeName }
}
