import type { SetSettings } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedVariable } from '../model/variable-set.ts'
import type { OperationId } from '../plan/operation.ts'
import type { Plan, Remaining, Step } from '../plan/plan.ts'
import type { EndsDiffer } from '../plan/stored-text.ts'

/** How a step ended. `unknown`: the response was lost, and reading the service back did not settle it. */
export type StepOutcome =
  | { readonly status: 'succeeded'; readonly note?: string }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'skipped'; readonly because: OperationId | 'stopped' | 'already-done' }
  | { readonly status: 'unknown'; readonly message: string }

export interface StepResult {
  readonly step: Step
  readonly outcome: StepOutcome
  /** The service refused the request: it arrived, and only a read can tell that it was not carried out. */
  readonly refused?: true
  readonly cause?: FailureCause
}

/** What has to change before a step that did not succeed is sent again: what the files say, the token, or the way to the service. */
export type FailureCause = 'files' | 'token' | 'network'

/** What the closing read showed. Success is reported from it alone. */
export type Closing =
  /** `unread`: the number of sets that were not read again, because no step touched them. */
  | ({ readonly state: 'equal'; readonly unread?: number } & SeenStored)
  | ({ readonly state: 'differs'; readonly remaining: Remaining } & SeenStored)
  | { readonly state: 'unread'; readonly message: string }
  | { readonly state: 'not-needed' }

/** Values that the service stored in another but equivalent form. */
interface SeenStored {
  readonly stored?: readonly EndsDiffer[]
}

/** What became of the inventory: nothing to write, written, or not written completely. */
export type InventoryOutcome =
  | { readonly state: 'none' | 'written'; readonly requests: number }
  | ({ readonly state: 'failed'; readonly requests: number } & InventoryFailure)

export interface InventoryFailure {
  readonly message: string
  /** What has to change before it can be written. `permission`: the token is valid, but may not write the inventory. */
  readonly cause?: FailureCause | 'permission'
  /** No inventory lists these sets yet and nothing is pruned, so the files can do without `owner`. */
  readonly isOptional?: boolean
}

/** Everything that an apply did. */
export interface ApplyResult {
  readonly plan: Plan
  readonly results: readonly StepResult[]
  readonly requests: { readonly reads: number; readonly writes: number }
  readonly closing: Closing
  /** The number of secrets that were sent, and for how many of them the service shows a new version. */
  readonly secrets?: { readonly sent: number; readonly versioned: number }
  /** Missing if no step was reached. */
  readonly inventory?: InventoryOutcome
  /** Why the run stopped early, in words. */
  readonly stopped?: string
  readonly exitCode: number
}

/** What the response to one of our own writes proved. */
export interface WriteProof {
  /** The id of a created set. */
  readonly setId?: VariableSetId
  /** The settings of a created or updated set. */
  readonly settings?: SetSettings
  /** Sent variables as the response shows them. They exist, whatever a later read shows. */
  readonly variables: readonly ObservedVariable[]
}

/** By operation. Operations without a response, or with a status alone, are missing. */
export type WriteProofs = Map<OperationId, WriteProof>
