import type { SetSettings } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedVariable } from '../model/variable-set.ts'
import type { OperationId } from '../plan/operation.ts'
import type { Plan, Remaining, Step } from '../plan/plan.ts'
import type { EndsDiffer } from '../plan/stored-text.ts'

/** How a step ended. `unknown` is an honest end: the answer was lost and the closing read could not settle it. */
export type StepOutcome =
  | { readonly status: 'succeeded'; readonly note?: string }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'skipped'; readonly because: OperationId | 'stopped' | 'already-done' }
  | { readonly status: 'unknown'; readonly message: string }

export interface StepResult {
  readonly step: Step
  readonly outcome: StepOutcome
  /** It failed because it was refused: the request arrived, and only a read can tell that it was not carried out. */
  readonly refused?: true
  readonly cause?: FailureCause
}

/** What has to change before a step that did not succeed is sent again: what the files say, the token, or the way to the service. */
export type FailureCause = 'files' | 'token' | 'network'

/** What the last read of the service showed. Success is reported from it alone. */
export type Closing =
  /** `unread`: so many sets were not looked at again, for no step touched them. */
  | ({ readonly state: 'equal'; readonly unread?: number } & SeenStored)
  | ({ readonly state: 'differs'; readonly remaining: Remaining } & SeenStored)
  | { readonly state: 'unread'; readonly message: string }
  | { readonly state: 'not-needed' }

/** Values that the service stored otherwise than they were sent, which is as good; left out: none. */
interface SeenStored {
  readonly stored?: readonly EndsDiffer[]
}

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
  /** Secrets that were sent and answered, and of how many of them the service shows a new version. It never shows one itself. */
  readonly secrets?: { readonly sent: number; readonly versioned: number }
  /** Left out where no step was reached. */
  readonly inventory?: InventoryOutcome
  /** What stopped the run before its end, in words. */
  readonly stopped?: string
  readonly exitCode: number
}

/** What the answer of one of our own writes proved. */
export interface WriteProof {
  /** Of a set that was made. */
  readonly setId?: VariableSetId
  /** Of a set that was made or updated. */
  readonly settings?: SetSettings
  /** Variables that were sent, as the answer shows them: they are there, whatever a read says. */
  readonly variables: readonly ObservedVariable[]
}

/** By operation; one that was not answered, or answered with a status alone, is not here. */
export type WriteProofs = Map<OperationId, WriteProof>
