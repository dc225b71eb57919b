import type { VariableSetId } from '../model/ids.ts'
import { matchesAny } from '../model/names.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type Match, matchSets, type Pair } from './match.ts'
import { sortedDesired, sortedObserved } from './normal-form.ts'
import { Ownership } from './ownership.ts'
import { withPruned } from './prune.ts'
import { asSent } from './stored-text.ts'

/** What files and service have to do with each other. A run works it out once. */
export interface Matched {
  readonly match: Match
  readonly ownership: Ownership
}

/**
 * Which observed set each sentence of the files is about, and what is pruned: the same for planning and for the inventory.
 * `adopt`: patterns of sets that are taken back from whoever took them over.
 * `made`: sets that this run made.
 */
export function matchStates(
  desired: ResolvedState,
  observed: ObservedState,
  only: readonly string[],
  adopt: readonly string[] = [],
  made?: ReadonlySet<VariableSetId>,
): Matched {
  const ownership = new Ownership(desired, observed)
  const isOurs = (id: VariableSetId): boolean => ownership.entries.has(id) || made?.has(id) === true
  const found = matchSets(sortedDesired(desired), sortedObserved(observed), only, isOurs)
  const pairs = found.pairs.map(
    (pair): Pair =>
      pair.observed === undefined
        ? pair
        : { ...pair, observed: asSent(pair.observed, pair.desired, ownership.entries.get(pair.observed.id)) },
  )
  const match = withoutMoved({ ...found, pairs }, ownership, adopt)
  return { match: withPruned(match, desired, ownership, only), ownership }
}

function withoutMoved(match: Match, ownership: Ownership, adopt: readonly string[]): Match {
  const isMoved = ({ desired, observed }: Pair): boolean =>
    observed !== undefined && ownership.isMoved(observed) && !matchesAny(adopt, desired.name)
  const moved = match.pairs.filter(isMoved)
  if (moved.length === 0) return match
  return {
    ...match,
    moved,
    pairs: match.pairs.filter(pair => !isMoved(pair)),
    untouched: [...match.untouched, ...moved.flatMap(({ observed }) => observed ?? [])],
  }
}
