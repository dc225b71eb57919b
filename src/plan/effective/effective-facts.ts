import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { affectedBy } from './affected-list.ts'
import { isWorkspace } from './audience.ts'
import { cellsOf } from './cells.ts'
import type { Affected, EffectiveFacts } from './effect.ts'
import { differenceOf } from './effective-difference.ts'
import { exposureOf } from './exposed.ts'
import { newReachOf } from './new-reach.ts'
import { noticedChange, receivedAt } from './received.ts'
import { hasStacks, type Reception } from './reception.ts'
import { type OwnVariables, ownSets } from './set-state.ts'

/** What a plan does to workspaces, apart from its transition: all questions to what they see. */
export function effectiveFacts(
  reception: Reception,
  match: Match,
  directory: Directory,
  { partial }: Pick<ObservedState, 'partial'>,
): Omit<EffectiveFacts, 'transition'> {
  const rows = receivedAt(reception.cells)
  return {
    effective: { ...differenceOf(reception, rows), partial },
    exposure: exposureOf(reception),
    newReach: newReachOf(reception.moving, reception.members),
    affected: affectedBy({ ...reception, rows, directory, hasStacks: hasStacks(match) }),
  }
}

/**
 * The list without what workspace variables hide in both states. Workspaces that are not in `own` stay with all changes. Whether
 * a secret equals another value is unknown, and counts as a change.
 */
export function affectedBeside(
  own: OwnVariables,
  reception: Reception,
  match: Match,
  directory: Directory,
): Affected {
  const { sets, members, keys } = reception
  const cells = cellsOf([...sets, ...ownSets(own)], members, keys)
  const rows = receivedAt(cells).flatMap(row => {
    if (noticedChange(row) !== 'precedence') return row
    // Whoever has no variable of its own sees the same value.
    const unread = row.members.filter(member => !isWorkspace(member) || !own.has(member))
    return unread.length === 0 ? [] : { ...row, members: unread }
  })
  return affectedBy({ ...reception, rows, directory, hasStacks: hasStacks(match) })
}
