import { compareText } from '../../model/diagnostic.ts'

/**
 * Place in the service's order of precedence, 1 the strongest (docs/service.md 13). What is missing is not in the service:
 * 6 and 7 come from the command line, 14 and 15 from files beside the code.
 */
export type Rank = 1 | 2 | 3 | 4 | 5 | 8 | 9 | 10 | 11 | 12 | 13

/** The rank of a variable that the workspace has by itself. */
export const OWN_RANK = 8 satisfies Rank

/** On which ways a set comes to a workspace; on none: it does not. */
export interface Ways {
  readonly global: boolean
  readonly project: boolean
  readonly workspace: boolean
}

/** What of a set decides its rank beside the way. */
export interface Standing {
  readonly priority: boolean
  /** Owned by a project instead of the organization. */
  readonly projectOwned: boolean
}

/**
 * With priority the broader scope wins and the organization's set beats the project's; without, the other way round. A set
 * that comes on several ways has the best of its ranks, which no document says.
 */
export function rankOf({ priority, projectOwned }: Standing, ways: Ways): Rank | undefined {
  if (priority) {
    if (ways.global) return 1
    if (ways.project) return projectOwned ? 4 : 2
    return ways.workspace ? (projectOwned ? 5 : 3) : undefined
  }
  if (ways.workspace) return projectOwned ? 9 : 11
  if (ways.project) return projectOwned ? 10 : 12
  return ways.global ? 13 : undefined
}

/** Something that gives a variable. `name` is the set's; of several sets of one name the id decides. */
export interface RankedSource {
  readonly rank: Rank
  readonly name: string
  readonly id: string
}

/** The stronger one first: by rank, then by name in the order of code points. */
export const byStrength = (a: RankedSource, b: RankedSource): number =>
  a.rank - b.rank || compareText(a.name, b.name) || compareText(a.id, b.id)

/** Why one source beats another. */
export type Reason = 'priority' | 'scope' | 'name'

/** Why `winner` stands before `loser`, in the word that tells a reader most. */
export function reasonFor(winner: RankedSource, loser: RankedSource): Reason {
  if (winner.rank === loser.rank) return 'name'
  return winner.rank < OWN_RANK && loser.rank >= OWN_RANK ? 'priority' : 'scope'
}
