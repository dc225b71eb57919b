import type { SetSettings } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedVariable } from '../model/variable-set.ts'
import type { OperationId } from '../plan/operation.ts'

/** What the answer of one of our own writes proved. */
export interface Answer {
  /** Of a set that was made. */
  readonly setId?: VariableSetId
  /** Of a set that was made or updated. */
  readonly settings?: SetSettings
  /** Variables that were sent, as the answer shows them: they are there, whatever a read says. */
  readonly variables: readonly ObservedVariable[]
}

/** By operation; one that was not answered, or answered with a status alone, is not here. */
export type Answers = Map<OperationId, Answer>
