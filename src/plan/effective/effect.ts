import type {
  ProjectId,
  StackId,
  TargetId,
  VariableKey,
  VariableSetId,
  WorkspaceId,
} from '../../model/ids.ts'
import type { ItemName } from '../items.ts'
import type { OperationId } from '../operation.ts'

/**
 * What a plan does to workspaces and Stacks. Information only, but for `newReach`, which is agreed to, and guards: the digest does not cover
 * the rest.
 */
export interface EffectiveFacts {
  readonly received: Received
  /** How many workspaces each changed part of a set concerns. */
  readonly counts: readonly ItemCounts[]
  /** By set. */
  readonly exposure: readonly Exposed[]
  /** Who newly receives which secrets. Agreed to with the plan: the digest covers it, but for members of projects. */
  readonly newReach: readonly NewReach[]
  readonly transition: Transition
}

/** How many workspaces each changed part of a set concerns. */
export interface ItemCounts {
  /** The name as in operations. */
  readonly set: string
  /** Workspaces that receive the set before or after the plan. */
  readonly workspaces?: number
  /**
   * By item: workspaces that receive the set before or after the plan, and with it a key. Of a target: those in it. Of `global`: those that
   * receive the set only before, or only after. Left out where the service does not tell all of them, and for Stacks.
   */
  readonly items: Readonly<Record<ItemName, number>>
}

/**
 * What workspaces may see while the plan is applied, after any set of finished steps that the order permits: whichever
 * steps run at once, fail, or are never reached. Their own variables are left out of account.
 */
export interface Transition {
  /** Number of checked workspaces. */
  readonly workspaces: number
  /** Of those, workspaces that may see anything but the old or the new value of a key. */
  readonly seeing: number
  /** The most important ones first. Empty: every value that anybody sees is the old or the new one. */
  readonly gaps: readonly TransitionGap[]
  /** Number of gaps that `gaps` leaves out. */
  readonly left: number
}

/** Why a plan has a gap. */
export type GapReason =
  /** The one step has to wait for the other: a variable is deleted before it is created, a key leaves one global set before another takes it, a set stops being global first. */
  | 'slot'
  /** A secret is removed, which comes first. */
  | 'revocation'
  /** It takes several requests, and Setpoint found no order of them without a gap. */
  | 'requests'

/** A value of one key that is neither the old nor the new one. Everybody in its audience may see it. */
export interface TransitionGap extends Audience {
  readonly key: VariableKey
  /** The set that provides the key when the plan is made; absent: none. */
  readonly before?: Giver
  /** The set that provides it after the plan; absent: none. */
  readonly after?: Giver
  /** The set that provides it in between; absent: none. */
  readonly seen?: Giver
  /** It begins with the first of these steps and ends with the second. If the second does not succeed, it stays. */
  readonly between: readonly [OperationId, OperationId]
  readonly why: GapReason
}

/**
 * What happens to a key: no set gave it and one does now (`gained`), or the reverse (`lost`); its set gives another value
 * (`value`); another set gives it, with another value (`winner`) or the same (`source`). Three kinds change no value that is known: a
 * set with the same value begins or ceases to override workspace variables (`priority`), or sends a secret again because
 * something else of it changes (`sent`).
 */
export type ReceivedKind = 'gained' | 'lost' | 'value' | 'winner' | 'source' | 'priority' | 'sent'

/** Why another set gives the variable: the previous one is gone from there, or loses by precedence. */
export type EffectReason = 'gone' | PrecedenceReason

/** Why one source of a variable beats another. */
export type PrecedenceReason = 'priority' | 'scope' | 'name'

/** What gives a variable. */
export interface Giver {
  /** Absent: the workspace itself. */
  readonly set?: string
  /** Absent for a set that the plan creates. */
  readonly id?: VariableSetId
  /** It overrides workspace variables. */
  readonly priority?: true
  /** Absent if it is long, of an unmanaged set, or hidden because the key is a secret somewhere. */
  readonly text?: string
  readonly secret?: true
}

/** One key that some receive otherwise after the plan. */
export interface ReceivedChange {
  readonly key: VariableKey
  readonly kind: ReceivedKind
  /** Absent: nothing gives it. */
  readonly before?: Giver
  readonly after?: Giver
  /** Only if another set gives it. */
  readonly why?: EffectReason
}

/** Who receives sets: a known workspace, or a project or `others` in place of its unknown workspaces. */
export type CellMember = WorkspaceId | ProjectId | 'others'

/** The same and Stacks. No set overrides another for a Stack, which reads each by itself (docs/service.md 13.1). */
export type Member = CellMember | StackId

/** Members with the same changes. */
export interface ReceivedGroup {
  /** Workspaces by name, then projects, `others` and Stacks. */
  readonly members: readonly Member[]
  /** Positions in `changes`, ascending. */
  readonly changes: readonly number[]
}

/**
 * Everything that workspaces and Stacks receive otherwise after the plan, without a limit. Workspace variables are not read, so it has
 * everyone who could see a change.
 */
export interface Received {
  /**
   * `workspaces`: the service told all workspaces that the plan may concern. `projects`: it did not, so projects and `others` stand for
   * the rest.
   */
  readonly level: 'workspaces' | 'projects'
  /** Number of workspaces that are known. */
  readonly known: number
  /** These are all workspaces of the organization. */
  readonly whole?: true
  /** Workspaces whose project is unknown. */
  readonly withoutProject: number
  /** Unmanaged sets are incomplete, as in a snapshot; they may override some of this. */
  readonly partial?: true
  /** By key. */
  readonly changes: readonly ReceivedChange[]
  /** Each member with a change is in one of them. */
  readonly groups: readonly ReceivedGroup[]
  /** How many workspaces each of their projects has, where all are known. */
  readonly sizes: Readonly<Record<ProjectId, number>>
  /** More may receive something else, and it is unknown which; absent: the list is complete. */
  readonly unknown?: UnknownMembers
  /** Changes without effect, by set and key; absent if there are none. */
  readonly unseen?: readonly UnseenVariable[]
  /** Number of them that `unseen` leaves out. */
  readonly unseenLeft?: number
}

/** A new variable or value that has no effect: another set wins wherever its set is assigned. */
export interface UnseenVariable {
  readonly set: string
  readonly key: VariableKey
  /** One of the sets that win. */
  readonly winner: string
}

/** Who may be missing from the list, because the service did not tell them or their projects. */
export interface UnknownMembers {
  /** Workspaces of these projects, by id. */
  readonly projects: readonly string[]
  /** Unknown workspaces. */
  readonly others: boolean
  /** Number of known workspaces and Stacks whose project is unknown. */
  readonly withoutProject: number
  /** The Stacks of projects, or of the organization. */
  readonly stacks: boolean
}

/** Workspaces that see the same. */
export interface Audience {
  /** Number of known workspaces. */
  readonly count: number
  /** The ids of the first of them by name, those of `whole` last. */
  readonly workspaces: readonly WorkspaceId[]
  /** Projects whose other workspaces see the same; their number is unknown. */
  readonly projects: readonly ProjectId[]
  /** Every other workspace sees the same. */
  readonly others: boolean
  /** Projects whose workspaces are all among them, largest first. Absent if there are none. */
  readonly whole?: readonly WholeProject[]
  /** Absent if there are none. */
  readonly stacks?: readonly StackId[]
}

export interface WholeProject {
  readonly project: ProjectId
  /** Number of its workspaces. */
  readonly count: number
}

/**
 * Variables of one set, and who receives them, even if other sets override them there: secrets that newly reach somebody (`secret`), all of
 * a set that becomes global (`global`), new ones of a set that already was global or had priority (`added`).
 */
export interface Exposed {
  readonly kind: 'secret' | 'global' | 'added'
  readonly set: string
  readonly keys: readonly VariableKey[]
  /** The set is global, or has priority, after the plan. */
  readonly global?: true
  readonly priority?: true
  /**
   * All of them, with every name. `whole`: the projects of the set, with the number of them in each. A project without workspaces stands for
   * those that it may get.
   */
  readonly audience: Audience
}

/**
 * Secrets of one set, and who newly receives them as the set says it: a part of what is agreed to before an apply. Sorted, so that equal
 * reach is equal data.
 */
export interface NewReach {
  readonly set: string
  readonly keys: readonly VariableKey[]
  /** Workspaces, projects and Stacks by id; of a global set the word `everything`. */
  readonly targets: readonly (TargetId | 'everything')[]
  /**
   * The workspaces of these projects that do not receive the secrets yet, where the service told all of them. Not in the digest: two
   * tokens may be told different ones.
   */
  readonly members?: Readonly<Record<ProjectId, readonly WorkspaceId[]>>
}

const idsOfAudience = ({ workspaces, projects, stacks = [], whole = [] }: Audience): readonly string[] => [
  ...workspaces,
  ...projects,
  ...stacks,
  ...whole.map(({ project }) => project),
]

/** All ids that the facts mention. */
export const idsIn = ({ received, exposure, transition }: EffectiveFacts): string[] => [
  ...received.groups.flatMap(({ members }) => members),
  ...Object.keys(received.sizes),
  ...transition.gaps.flatMap(idsOfAudience),
  ...[...new Set(exposure.map(({ audience }) => audience))].flatMap(idsOfAudience),
]
