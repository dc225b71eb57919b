import { compareText } from '../../model/diagnostic.ts'
import type { StackId, TargetId, VariableKey, VariableSetId, WorkspaceId } from '../../model/ids.ts'
import { grouped, itemAt, valueAt } from '../../model/lists.ts'
import type { ObservedState, ObservedVariable } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { allSets, type SeenValue, type SetState, sameInTwoSets, valueBefore } from './set-state.ts'

/**
 * Everybody who gets another value when a plan is applied, without a limit. Workspace variables are not read, so the list
 * contains everyone who could see a change.
 */
export interface Affected {
  /** By key. Groups refer to them by position. */
  readonly changes: readonly AffectedChange[]
  /** Workspaces that get the same changes. Each affected workspace is in one group. */
  readonly workspaces: readonly AffectedGroup<WorkspaceId>[]
  /** The same for Stacks, which read sets: no set overrides another there. */
  readonly stacks: readonly AffectedGroup<StackId>[]
  /** More may be affected, and it is unknown which; absent: the list is complete. */
  readonly unknown?: UnknownAffected
}

/** What happens to a key. `precedence`: its value stays, but it begins or ceases to override workspace variables. */
export interface AffectedChange {
  readonly key: VariableKey
  readonly change: 'gained' | 'lost' | 'changed' | 'precedence'
  readonly before?: AffectedSource
  readonly after?: AffectedSource
}

/** The source of a key. Without a set, it is a variable of the workspace itself. */
export interface AffectedSource {
  readonly set?: string
  /** Absent for a set that the plan creates. */
  readonly id?: VariableSetId
  /** It overrides workspace variables. */
  readonly priority?: true
}

export interface AffectedGroup<Id extends TargetId = TargetId> {
  /** By name. */
  readonly members: readonly AffectedMember<Id>[]
  /** Positions in `changes`, ascending. */
  readonly changes: readonly number[]
}

export interface AffectedMember<Id extends TargetId = TargetId> {
  readonly id: Id
  /** Absent if the service did not tell it. */
  readonly name?: string
  /** The name of its project if the service gave it, otherwise its id; absent if unknown. */
  readonly project?: string
  /** The groups of the files that list it. Absent if there are none, and in a saved plan. */
  readonly groups?: readonly string[]
}

/** Who may be missing from the list, because the service did not tell them or their projects. */
export interface UnknownAffected {
  /** Workspaces of these projects, by id. */
  readonly projects: readonly string[]
  /** Unknown workspaces. */
  readonly others: boolean
  /** Number of known workspaces and Stacks whose project is unknown. */
  readonly withoutProject: number
  /** The Stacks of projects, or of the organization. */
  readonly stacks: boolean
}

/** The workspace variables of each candidate that the service shows. */
type OwnVariables = ReadonlyMap<WorkspaceId, ReadonlyMap<VariableKey, ObservedVariable>>

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
  const valueIn = valuesBySet(observed, match)
  const rest = affected.workspaces.flatMap(({ members, changes }) =>
    members.flatMap(member => {
      const variables = own.get(member.id)
      const seen = changes
        .map(at => itemAt(affected.changes, at))
        .flatMap(change =>
          variables === undefined ? change : (changeBeside(variables.get(change.key), change, valueIn) ?? []),
        )
      return seen.length === 0 ? [] : [{ member, seen }]
    }),
  )
  const stacks = affected.stacks.flatMap(({ members, changes }) =>
    members.map(member => ({ member, seen: changes.map(at => itemAt(affected.changes, at)) })),
  )
  const all = new Map([...rest, ...stacks].flatMap(({ seen }) => seen.map(one => [identityOf(one), one])))
  const changes = byChange(all)
  const positions = new Map(changes.map((change, at) => [identityOf(change), at]))
  const placed = <Id extends TargetId>(list: readonly SeenBy<Id>[]) =>
    membersTogether(
      list.map(({ member, seen }) => [
        member,
        seen.map(change => valueAt(positions, identityOf(change))).toSorted((a, b) => a - b),
      ]),
    )
  return { ...affected, changes, workspaces: placed(rest), stacks: placed(stacks) }
}

interface SeenBy<Id extends TargetId> {
  readonly member: AffectedMember<Id>
  readonly seen: readonly AffectedChange[]
}

type ValueIn = (moment: 'before' | 'after', source: AffectedSource, key: VariableKey) => SeenValue | undefined

/** What a set gives under a key, by its id, or by its name if the plan creates it. */
function valuesBySet(observed: ObservedState, match: Match): ValueIn {
  const sets = { before: new Map<string, SetState>(), after: new Map<string, SetState>() }
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
  valueIn: ValueIn,
): AffectedChange | undefined {
  if (own === undefined) return change.change === 'precedence' ? undefined : change
  const { key, before, after } = change
  const isOver = before?.priority === true
  const isOverThen = after?.priority === true
  if (isOver && isOverThen) return change
  if (!isOver && !isOverThen) return undefined
  const given = isOver ? before && valueIn('before', before, key) : after && valueIn('after', after, key)
  if (given !== undefined && sameInTwoSets(key, valueBefore(own), given)) return undefined
  return { key, change: 'changed', before: isOver ? before : OWN, after: isOverThen ? after : OWN }
}

const OWN: AffectedSource = {}

/** By key. */
export const byChange = <T>(all: ReadonlyMap<string, T>): T[] =>
  [...all].toSorted(([a], [b]) => compareText(a, b)).map(([, one]) => one)

/** Sorts by key first. */
export const identityOf = ({ key, change, before, after }: AffectedChange): string =>
  JSON.stringify([key, change, before, after])

/** Those with the same changes together, in the order of the first by name. */
export function membersTogether<Id extends TargetId>(
  all: readonly (readonly [AffectedMember<Id>, readonly number[]])[],
): AffectedGroup<Id>[] {
  const sorted = all.toSorted(([a], [b]) => byName(a, b))
  return [...grouped(sorted, ([, changes]) => changes.join()).values()].map(group => ({
    members: group.map(([member]) => member),
    changes: group[0][1],
  }))
}

const byName = (a: AffectedMember, b: AffectedMember): number =>
  compareText(a.name ?? '', b.name ?? '') || compareText(a.id, b.id)
