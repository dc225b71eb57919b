import type { TargetId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { ObservedState, ObservedVariable } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { byChange, identityOf, membersTogether } from './affected.ts'
import type { Affected, AffectedChange, AffectedMember, AffectedSource } from './affected-list.ts'
import { allSets, type Held, heldNow, type PlacedSet, sameInTwoSets } from './placed-set.ts'

/** The workspace variables of each candidate that the service shows. */
export type OwnVariables = ReadonlyMap<WorkspaceId, ReadonlyMap<VariableKey, ObservedVariable>>

/**
 * The list without what workspace variables hide in both states. Workspaces that are not in `own` stay with all changes. Whether
 * a secret equals another value is unknown, and counts as a change.
 */
export function verifiedBy(
  own: OwnVariables,
  affected: Affected,
  observed: ObservedState,
  match: Match,
): Affected {
  const heldIn = heldBySet(observed, match)
  const rest = affected.workspaces.flatMap(({ members, changes }) =>
    members.flatMap(member => {
      const variables = own.get(member.id)
      const seen = changes
        .flatMap(at => affected.changes[at] ?? [])
        .flatMap(change =>
          variables === undefined ? change : (changeBeside(variables.get(change.key), change, heldIn) ?? []),
        )
      return seen.length === 0 ? [] : [{ member, seen }]
    }),
  )
  const stacks = affected.stacks.flatMap(({ members, changes }) =>
    members.map(member => ({ member, seen: changes.flatMap(at => affected.changes[at] ?? []) })),
  )
  const all = new Map([...rest, ...stacks].flatMap(({ seen }) => seen.map(one => [identityOf(one), one])))
  const changes = byChange(all)
  const positions = new Map(changes.map((change, at) => [identityOf(change), at]))
  const placed = <Id extends TargetId>(list: readonly SeenBy<Id>[]) =>
    membersTogether(
      list.map(({ member, seen }) => [
        member,
        seen.map(change => positions.get(identityOf(change)) ?? 0).toSorted((a, b) => a - b),
      ]),
    )
  return { ...affected, changes, workspaces: placed(rest), stacks: placed(stacks) }
}

interface SeenBy<Id extends TargetId> {
  readonly member: AffectedMember<Id>
  readonly seen: readonly AffectedChange[]
}

type HeldIn = (moment: 'before' | 'after', source: AffectedSource, key: VariableKey) => Held | undefined

/** What a set gives under a key, by its id, or by its name if the plan creates it. */
function heldBySet(observed: ObservedState, match: Match): HeldIn {
  const sets = { before: new Map<string, PlacedSet>(), after: new Map<string, PlacedSet>() }
  for (const { before, after } of allSets(observed, match)) {
    if (before !== undefined) sets.before.set(before.id, before)
    if (after !== undefined) sets.after.set(after.id, after)
  }
  return (moment, { set, id }, key) => sets[moment].get(id ?? `new ${set}`)?.held.get(key)
}

/** The change that a workspace with this variable of its own sees; `undefined` if it sees none. */
function changeBeside(
  own: ObservedVariable | undefined,
  change: AffectedChange,
  heldIn: HeldIn,
): AffectedChange | undefined {
  if (own === undefined) return change.change === 'precedence' ? undefined : change
  const { key, before, after } = change
  const isOver = before?.priority === true
  const isOverThen = after?.priority === true
  if (isOver && isOverThen) return change
  if (!isOver && !isOverThen) return undefined
  const given = isOver ? before && heldIn('before', before, key) : after && heldIn('after', after, key)
  if (given !== undefined && sameInTwoSets(key, heldNow(own), given)) return undefined
  return { key, change: 'changed', before: isOver ? before : OWN, after: isOverThen ? after : OWN }
}

const OWN: AffectedSource = {}
