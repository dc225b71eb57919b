import type { VariableSetId } from '../model/ids.ts'
import type { ResolvedSet } from '../model/variable-set.ts'
import type { Pair } from './match.ts'
import type { Matched } from './match-states.ts'
import type { NamedDrift, OverwrittenSet } from './plan-data.ts'

/** What `--only-this-change` leaves as it is. Made once for a plan, and used again by its closing read. */
export interface ThisChange {
  /** Existing sets of which this change keeps something, by name: what it makes of them. */
  readonly targets: ReadonlyMap<string, Pick<Pair, 'desired' | 'left'>>
  /** Names of sets that the service does not have. */
  readonly missing: ReadonlySet<string>
  /** Of these, the sets that this change edits: there is no plan. */
  readonly edited: readonly ResolvedSet[]
  /** Sets that the files deleted before this change, and that are still there. */
  readonly remaining: ReadonlySet<VariableSetId>
  /** Sorted by name. */
  readonly drift: readonly NamedDrift[]
  /** Sorted by name. */
  readonly overwritten: readonly OverwrittenSet[]
}

/** The match in which every part that is left is as in the service. Sets that stay as they are count as not selected. */
export function ofThisChange({ match, ownership }: Matched, thisChange: ThisChange | undefined): Matched {
  if (thisChange === undefined) return { match, ownership }
  const { targets, missing, remaining } = thisChange
  const staying = match.removals.filter(({ observed }) => remaining.has(observed.id))
  return {
    ownership,
    match: {
      ...match,
      pairs: match.pairs
        .filter(({ desired, observed }) => observed !== undefined || !missing.has(desired.name))
        .map(pair => (pair.observed === undefined ? pair : { ...pair, ...targets.get(pair.desired.name) })),
      removals: match.removals.filter(({ observed }) => !remaining.has(observed.id)),
      untouched: [...match.untouched, ...staying.map(({ observed }) => observed)],
      unselected: new Set([...match.unselected, ...remaining]),
    },
  }
}
