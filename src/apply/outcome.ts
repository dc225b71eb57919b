import type { OperationId } from '../plan/operation.ts'
import type { Plan, Step } from '../plan/plan.ts'

/** How a step ended. `unknown` is an honest end: the answer was lost and the closing read could not settle it. */
export type Outcome =
  | { readonly status: 'succeeded'; readonly note?: string }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'skipped'; readonly because: OperationId | 'stopped' | 'already-done' }
  | { readonly status: 'unknown'; readonly message: string }

export interface StepResult {
  readonly step: Step
  readonly outcome: Outcome
}

/** What the last read of the service showed. Success is reported from it alone. */
export type Closing =
  | { readonly state: 'equal' }
  | { readonly state: 'differs'; readonly remaining: Plan }
  | { readonly state: 'unread'; readonly message: string }
  | { readonly state: 'not-needed' }

/** What became of the inventory: nothing to write, written, or not (whole). */
export type InventoryOutcome =
  | { readonly state: 'none' | 'written'; readonly requests: number }
  | { readonly state: 'failed'; readonly requests: number; readonly message: string }

/** What an apply did, whole. */
export interface ApplyResult {
  readonly plan: Plan
  readonly results: readonly StepResult[]
  readonly requests: { readonly reads: number; readonly writes: number }
  readonly closing: Closing
  /** Left out where no step was reached. */
  readonly inventory?: InventoryOutcome
  /** What stopped the run before its end, in words. */
  readonly stopped?: string
  readonly exitCode: number
}
