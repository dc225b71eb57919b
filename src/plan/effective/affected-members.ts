import type { StackId, TargetId, VariableKey, VariableSetId, WorkspaceId } from '../../model/ids.ts'
import { grouped, itemAt } from '../../model/lists.ts'
import type { Giver, Member, Received, UnknownMembers } from './effect.ts'
import { isStack, isWorkspace } from './members.ts'
import { noticedIn } from './received.ts'

/** Everybody who gets another value when a plan is applied, without a limit. */
export interface Affected {
  /** By key. Groups refer to them by position. */
  readonly changes: readonly AffectedChange[]
  /** Workspaces that get the same changes. Each affected workspace is in one group. */
  readonly workspaces: readonly AffectedGroup<WorkspaceId>[]
  /** The same for Stacks, which read sets: no set overrides another there. */
  readonly stacks: readonly AffectedGroup<StackId>[]
  /** More may be affected, and it is unknown which; absent: the list is complete. */
  readonly unknown?: UnknownMembers
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
  readonly members: readonly Id[]
  /** Positions in `changes`, ascending. */
  readonly changes: readonly number[]
}

/** Those of all changes that members may notice: not the same value from another set. */
export function affectedIn({ changes, groups, unknown }: Received): Affected {
  const known = new Map<string, number>()
  const affected: AffectedChange[] = []
  const positions = changes.map(one => {
    const { key, before, after } = one
    const noticed = noticedIn(one)
    if (noticed === undefined) return undefined
    const change = { key, change: noticed, before: sourceOf(before), after: sourceOf(after) }
    const identity = JSON.stringify(change)
    const at = known.get(identity) ?? affected.push(change) - 1
    known.set(identity, at)
    return at
  })
  const seeing = groups.map(({ members, changes }) => ({
    members,
    changes: changes.flatMap(at => itemAt(positions, at) ?? []),
  }))
  return {
    changes: affected,
    workspaces: together(seeing, isWorkspace),
    stacks: together(seeing, isStack),
    unknown,
  }
}

const sourceOf = (giver: Giver | undefined): AffectedSource | undefined =>
  giver && { set: giver.set, id: giver.id, priority: giver.priority }

/** Groups of one kind of member, by what they notice. */
function together<Id extends TargetId>(
  groups: readonly { readonly members: readonly Member[]; readonly changes: readonly number[] }[],
  isOfKind: (member: Member) => member is Id,
): AffectedGroup<Id>[] {
  const noticing = groups.filter(({ members, changes }) => changes.length > 0 && members.some(isOfKind))
  return [...grouped(noticing, ({ changes }) => changes.join()).values()].map(alike => ({
    members: alike.flatMap(({ members }) => members.filter(isOfKind)),
    changes: alike[0].changes,
  }))
}
