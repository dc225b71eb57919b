import { compareText } from '../model/diagnostic.ts'
import { matchesAny } from '../model/names.ts'
import type { ResolvedState } from '../model/variable-set.ts'
import type { Match } from './match.ts'
import type { Ownership } from './ownership.ts'

/**
 * What `prune` deletes: observed, listed in our inventory as it is owned now, matched by `owns`, and declared by no file. A selection suspends
 * it; where the inventory is missing nothing is listed, and so nothing is pruned.
 */
export function withPruned(
  match: Match,
  desired: ResolvedState,
  ownership: Ownership,
  only: readonly string[],
): Match {
  if (!desired.prune || ownership.owner === undefined || only.length > 0) return match
  const mine = (name: string) => desired.owns.length === 0 || matchesAny(desired.owns, name)
  const pruned = match.untouched.filter(set => ownership.isListed(set) && mine(set.name))
  const gone = new Set(pruned)
  return {
    ...match,
    removals: [...match.removals, ...pruned.map(observed => ({ observed }))].toSorted((a, b) =>
      compareText(a.observed.name, b.observed.name),
    ),
    untouched: match.untouched.filter(set => !gone.has(set)),
  }
}
