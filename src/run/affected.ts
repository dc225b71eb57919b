import { ownVariables } from '../api/observe.ts'
import { mapBounded } from '../api/pages.ts'
import type { Reader } from '../api/reader.ts'
import type { TargetId, VariableKey, WorkspaceId } from '../model/ids.ts'
import type { ObservedState, ObservedVariable } from '../model/variable-set.ts'
import { byChange, identityOf, membersTogether } from '../plan/effective/affected.ts'
import type {
  Affected,
  AffectedChange,
  AffectedMember,
  AffectedSource,
} from '../plan/effective/affected-list.ts'
import { allSets, type Held, heldNow, type PlacedSet, sameInTwoSets } from '../plan/effective/placed-set.ts'
import type { Match } from '../plan/match.ts'
import type { Prepared } from './prepare.ts'

const WORKSPACES_AT_ONCE = 8

/** The list after the variables of its workspaces were read. */
interface VerifiedList {
  readonly affected: Affected
  /** Workspaces that do not show their variables to this token, and stay in the list. */
  readonly unread: readonly WorkspaceId[]
}

/**
 * Reads the variables of each workspace in the list, and drops changes that they hide. Takes one request or more per workspace.
 */
export async function verifyAffected(
  affected: Affected,
  { observed, matched }: Pick<Prepared, 'observed' | 'matched'>,
  reader: Reader,
): Promise<VerifiedList> {
  const candidates = affected.workspaces.flatMap(({ members }) => members.map(({ id }) => id))
  const read = await mapBounded(
    candidates,
    WORKSPACES_AT_ONCE,
    async id => [id, await ownVariables(reader, id)] as const,
  )
  const own = new Map(read.flatMap(([id, variables]) => (variables === undefined ? [] : [[id, variables]])))
  return {
    affected: verifiedBy(own, affected, observed, matched.match),
    unread: read.flatMap(([id, variables]) => (variables === undefined ? [id] : [])),
  }
}

/** The workspace variables of each candidate that the service shows. */
type OwnVariables = ReadonlyMap<WorkspaceId, ReadonlyMap<VariableKey, ObservedVariable>>

/**
 * The list without what workspace variables hide in both states. Workspaces that are not in `own` stay with all changes. Whether
 * a secret equals another value is unknown, and counts as a change.
 */
function verifiedBy(own: OwnVariables, affected: Affected, observed: ObservedState, match: Match): Affected {
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
