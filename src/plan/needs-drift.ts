import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import type { Matched } from './match-states.ts'
import { ofThisChange, type ThisChange } from './only-this-change.ts'
import type { Operation } from './operation.ts'
import { entryOf } from './ownership.ts'

/**
 * Why this change cannot be made alone: it edits a set that the service lacks, or one that no inventory lists, so that nobody can say
 * what was last applied to the rest of it. `fullPlan`: the command of the plan that reverts the drift as well. Pure.
 */
export function needsDrift(
  whole: Matched,
  thisChange: ThisChange,
  operations: readonly Operation[],
  fullPlan: string,
): Diagnostic[] {
  const { match, ownership } = ofThisChange(whole, thisChange)
  const written = new Set(operations.map(({ subject }) => subject.id))
  const unlisted = match.pairs.filter(
    pair =>
      ownership.owner !== undefined &&
      pair.left !== undefined &&
      pair.left.digest === undefined &&
      entryOf(pair, ownership) === undefined &&
      written.has(pair.observed?.id),
  )
  return [
    ...thisChange.edited.map(set => ({ set, why: 'is not in the service, and this change edits it' })),
    ...unlisted.map(({ desired }) => ({
      set: desired,
      why: 'is not in the inventory and differs from the files',
    })),
  ].map(({ set: { name, source }, why }) =>
    mistake(
      'needs-drift',
      `This change cannot be made alone. "${name}" ${why}.`,
      `The full plan reverts the drift as well: ${fullPlan}`,
      source,
    ),
  )
}
