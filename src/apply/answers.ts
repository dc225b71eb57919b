import type { VariableKey, VariableSetId } from '../model/ids.ts'
import type { ObservedVariable } from '../model/variable-set.ts'
import type { OperationId } from '../plan/operation.ts'

/** What the answer of one of our own writes proved. */
export interface Answer {
  /** Of a set that was made. */
  readonly setId?: VariableSetId
  /** The `version-id` of each variable that was written, on services that have it. */
  readonly versions: ReadonlyMap<VariableKey, string>
}

/** By operation; one that was not answered, or answered with a status alone, is not here. */
export type Answers = Map<OperationId, Answer>

export const versionsOf = (variables: readonly ObservedVariable[]): ReadonlyMap<VariableKey, string> =>
  new Map(variables.flatMap(({ key, versionId }) => (versionId === undefined ? [] : [[key, versionId]])))
