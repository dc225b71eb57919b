import type { ObservedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import type { Operation } from '../operation.ts'
import { cellsOf } from './cells.ts'
import { countsOf } from './counts.ts'
import type { EffectiveFacts, Received } from './effect.ts'
import { exposureOf } from './exposed.ts'
import { isWorkspace } from './members.ts'
import { newReachOf } from './new-reach.ts'
import { noticedAs, receivedAt } from './received.ts'
import { receivedBy } from './received-fact.ts'
import { Receivers } from './receivers.ts'
import { hasStacks, type Reception } from './reception.ts'
import { type OwnVariables, ownSets } from './set-state.ts'

/** What a plan does to workspaces and Stacks, apart from its transition. */
export const effectiveFacts = (
  reception: Reception,
  match: Match,
  operations: readonly Operation[],
  { partial }: Pick<ObservedState, 'partial'>,
): Omit<EffectiveFacts, 'transition'> => {
  const receivers = new Receivers(reception.members)
  return {
    received: receivedBy({
      reception,
      rows: receivedAt(reception.cells),
      hasStacks: hasStacks(match),
      partial,
    }),
    counts: countsOf(operations, reception, receivers),
    exposure: exposureOf(reception, receivers),
    newReach: newReachOf(reception.changing, reception.members),
  }
}

/**
 * What workspaces receive, without keys that a workspace's own variable hides both before and after. A workspace that is not in `own`
 * keeps all of its changes. A secret counts as changed, because nobody can compare it.
 */
export function receivedBeside(own: OwnVariables, reception: Reception, match: Match): Received {
  const { sets, members, keys } = reception
  const rows = receivedAt(cellsOf([...sets, ...ownSets(own)], members, keys)).flatMap(row => {
    if (noticedAs(row.kind, row.before?.set, row.after?.set) !== 'precedence') return row
    // Whoever has no variable of its own sees the same value.
    const unread = row.members.filter(member => !isWorkspace(member) || !own.has(member))
    return unread.length === 0 ? [] : { ...row, members: unread }
  })
  return receivedBy({ reception, rows, hasStacks: hasStacks(match) })
}
