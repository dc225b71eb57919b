import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type Match, matchSets } from './match.ts'
import { sortedDesired, sortedObserved } from './normal-form.ts'
import { Ownership } from './ownership.ts'
import { withPruned } from './prune.ts'

/** Which observed set each sentence of the files is about, and what is pruned: the same for planning and for the inventory. */
export const matchOf = (desired: ResolvedState, observed: ObservedState, only: readonly string[]): Match =>
  withPruned(
    matchSets(sortedDesired(desired), sortedObserved(observed), only),
    desired,
    new Ownership(desired, observed),
    only,
  )
