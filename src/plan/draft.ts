import type { SourceRange } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import type { Operation, OperationId } from './operation.ts'
import type { Slot } from './slots.ts'

/** What workspaces gain or lose: these variables, at these workspaces and projects, or everywhere (`*`). */
export interface Reach {
  readonly keys: readonly VariableKey[]
  readonly targets: readonly string[]
}

/** An operation with what it needs of the others; lives inside planning only. */
export interface Draft {
  readonly id: OperationId
  readonly operation: Operation
  readonly source?: SourceRange
  readonly file?: string
  readonly releases: readonly Slot[]
  readonly acquires: readonly Slot[]
  readonly provides?: Reach
  readonly withdraws?: Reach
  /** The same change as several narrower requests, for when this one would close a cycle. Unordered. */
  readonly split?: Split
}

/** The name by itself, and everything else; either may go first, which decides the settings each one sends. */
export interface Split {
  readonly name: Pick<Draft, 'releases' | 'acquires'>
  readonly rest: Pick<Draft, 'releases' | 'acquires' | 'provides' | 'withdraws'>
}

export const EVERYWHERE = '*'
