import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { PrecedenceReason } from './effect.ts'
import type { HeldValue, SetState } from './set-state.ts'

/**
 * The service's order of precedence, 1 the strongest (docs/service.md 13). Missing ranks are not in the service:
 * 6 and 7 come from the command line, 14 and 15 from files beside the code.
 */
export type Rank = 1 | 2 | 3 | 4 | 5 | 8 | 9 | 10 | 11 | 12 | 13

/** How a workspace receives a variable; `own`: it is a variable of the workspace itself. */
export type Way = 'own' | 'global' | 'project' | 'workspace'

/** The rank of a variable of the workspace itself. */
const OWN_RANK = 8

interface RankedWay {
  readonly way: Way
  /** Of a set that the organization owns. */
  readonly organization: Rank
  /** Of a set that a project owns. */
  readonly project: Rank
}

/** The strongest way first. A set that a workspace receives in several ways has the best rank; no document says so. */
const WITH_PRIORITY: readonly RankedWay[] = [
  { way: 'global', organization: 1, project: 1 },
  { way: 'project', organization: 2, project: 4 },
  { way: 'workspace', organization: 3, project: 5 },
]
const WITHOUT_PRIORITY: readonly RankedWay[] = [
  { way: 'workspace', organization: 11, project: 9 },
  { way: 'project', organization: 12, project: 10 },
  { way: 'global', organization: 13, project: 13 },
]

/** A set that a workspace receives, or the workspace itself, with its rank there. */
export interface RankedSource {
  readonly rank: Rank
  readonly way: Way
  readonly held: ReadonlyMap<VariableKey, HeldValue>
  /** Absent: the workspace itself. */
  readonly set?: SetState
}

/** The strongest of the ways in which a workspace receives a set, with its rank; `undefined` if there is none. */
export function strongestWay(
  set: Pick<SetState, 'priority' | 'projectOwned'>,
  ways: readonly Way[],
): Pick<RankedSource, 'rank' | 'way'> | undefined {
  const ranked = (set.priority ? WITH_PRIORITY : WITHOUT_PRIORITY).find(({ way }) => ways.includes(way))
  return ranked && { rank: set.projectOwned ? ranked.project : ranked.organization, way: ranked.way }
}

/** A set that a workspace receives in these ways; `undefined` if there is none. */
export function sourceOf(set: SetState, ways: readonly Way[]): RankedSource | undefined {
  if (set.isOwn) return { rank: OWN_RANK, way: 'own', held: set.held }
  const strongest = strongestWay(set, ways)
  return strongest && { held: set.held, set, ...strongest }
}

/** The stronger one first: by rank, then by name in code point order, then by id. */
export const byStrength = (a: RankedSource, b: RankedSource): number =>
  a.rank - b.rank ||
  compareText(a.set?.serviceName ?? '', b.set?.serviceName ?? '') ||
  compareText(a.set?.id ?? '', b.set?.id ?? '')

/** The sources of each key, the strongest first. */
export function sourcesByKey(sources: readonly RankedSource[]): Map<VariableKey, RankedSource[]> {
  const byKey = new Map<VariableKey, RankedSource[]>()
  for (const source of sources.toSorted(byStrength))
    for (const key of source.held.keys()) append(byKey, key, source)
  return byKey
}

/** Why `winner` beats `loser`. */
export function reasonFor(winner: RankedSource, loser: RankedSource): PrecedenceReason {
  if (winner.rank === loser.rank) return 'name'
  return winner.rank < OWN_RANK && loser.rank >= OWN_RANK ? 'priority' : 'scope'
}
