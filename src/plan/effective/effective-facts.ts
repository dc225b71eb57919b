import type { Directory, ObservedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { affectedBy } from './affected-list.ts'
import type { Affected, EffectiveFacts } from './effect.ts'
import { differenceOf } from './effective-difference.ts'
import { exposureOf } from './exposed.ts'
import { hasStacks, type Landscape, noticedChange, seenBy } from './seen.ts'
import { groupsOf, type OwnVariables } from './workspace-groups.ts'

/** What a plan does to workspaces, apart from its transition: all questions to what they see. */
export function effectiveFacts(
  landscape: Landscape,
  match: Match,
  directory: Directory,
  { partial }: Pick<ObservedState, 'partial'>,
): Omit<EffectiveFacts, 'transition'> {
  const { moving, population, groups, everywhere } = landscape
  const rows = seenBy(groups, everywhere)
  return {
    effective: { ...differenceOf(landscape, rows), partial },
    exposure: exposureOf(moving, population),
    affected: affectedBy({ ...landscape, rows, directory, hasStacks: hasStacks(match) }),
  }
}

/**
 * The list without what workspace variables hide in both states. Workspaces that are not in `own` stay with all changes. Whether
 * a secret equals another value is unknown, and counts as a change.
 */
export function affectedBeside(
  own: OwnVariables,
  landscape: Landscape,
  match: Match,
  directory: Directory,
): Affected {
  const groups = groupsOf(landscape.sets, landscape.population, own)
  const rows = seenBy(groups, landscape.everywhere).flatMap(row => {
    if (noticedChange(row) !== 'precedence') return row
    // Whoever has no variable of its own sees the same value.
    const unread = row.groups.filter(({ workspaces }) => !workspaces.some(id => own.has(id)))
    return unread.length === 0 ? [] : { ...row, groups: unread }
  })
  return affectedBy({ ...landscape, rows, directory, hasStacks: hasStacks(match) })
}
