import { compareText } from '../model/diagnostic.ts'
import type { VariableSetId } from '../model/ids.ts'
import { matchesAny } from '../model/names.ts'
import type { ObservedSet, ResolvedState } from '../model/variable-set.ts'
import type { Matched } from './match-of.ts'

/** Why a plan does not touch a set that the service has. */
export type WhyLeftAlone =
  /** `--only` leaves it out, and the files speak of it. */
  | 'outside-selection'
  /** As `unmanaged`, and a project owns it. */
  | 'project-owned'
  /** Another owner's inventory lists it. */
  | 'another-owner'
  /** Our inventory lists it, no file declares it, and `prune` is off. */
  | 'prune-off'
  /** As before, and `--only` suspends `prune`. */
  | 'prune-suspended'
  /** As before, and `owns` does not match its name. */
  | 'outside-owns'
  /** No file and no inventory speaks of it. */
  | 'unmanaged'

export interface LeftAlone {
  readonly set: string
  readonly id: VariableSetId
  readonly why: WhyLeftAlone
  /** Whose it is, where an inventory says so. */
  readonly owner?: string
}

/** Every observed set that a plan leaves alone, with its reason; by name, then id. */
export function leftAlone(
  { match, ownership }: Matched,
  desired: ResolvedState,
  only: readonly string[],
): LeftAlone[] {
  const why = (set: ObservedSet): WhyLeftAlone => {
    if (match.unselected.has(set.id)) return 'outside-selection'
    if (ownership.isForeign(set) || match.moved.some(({ observed }) => observed?.id === set.id))
      return 'another-owner'
    if (!ownership.isListed(set)) return set.parent === undefined ? 'unmanaged' : 'project-owned'
    if (!desired.prune) return 'prune-off'
    if (only.length > 0) return 'prune-suspended'
    return desired.owns.length > 0 && !matchesAny(desired.owns, set.name) ? 'outside-owns' : 'unmanaged'
  }
  return match.untouched
    .map(set => {
      const owner = ownership.of(set)
      const one = { set: set.name, id: set.id, why: why(set) }
      return owner === undefined ? one : { ...one, owner }
    })
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.id, b.id))
}
