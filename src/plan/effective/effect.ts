import {
  idsOf,
  type ProjectId,
  type StackId,
  type TargetId,
  type VariableKey,
  type VariableSetId,
  type WorkspaceId,
} from '../../model/ids.ts'
import type { OperationId } from '../operation.ts'
import type { NewReach } from './new-reach.ts'

/**
 * What a plan does to workspaces. Information only, but for `newReach`, which is agreed to, and the guard of gaps: the digest does not
 * cover the rest.
 */
export interface EffectiveFacts {
  readonly effective: EffectiveDifference
  readonly exposure: Exposure
  /** Who newly receives which secrets. Agreed to with the plan: the digest covers it, but for members of projects. */
  readonly newReach: readonly NewReach[]
  /** Absent only in a plan that an older version saved. */
  readonly affected?: Affected
  readonly transition: Transition
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
  /** The service forces it: a variable is deleted before it is created, a key leaves one global set before another takes it. */
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
  /** Even workspaces with a variable of their own see it: a set with priority gives it before or after, or in between. */
  readonly certain?: true
}

/**
 * What happens to a key: no set gave it and one does now (`gained`), or the reverse (`lost`); its set gives another value
 * (`value`); another set gives it, with another value (`winner`) or the same (`source`).
 */
export type EffectKind = 'gained' | 'lost' | 'value' | 'winner' | 'source'

/** Why another set gives the variable: the previous one is gone from there, or loses by precedence. */
export type EffectReason = 'gone' | PrecedenceReason

/** Why one source of a variable beats another. */
export type PrecedenceReason = 'priority' | 'scope' | 'name'

/** The set that gives a variable. */
export interface Giver {
  readonly set: string
  /** Absent if it is long, of an unmanaged set, or hidden because the key is a secret somewhere. */
  readonly text?: string
  readonly secret?: true
}

export interface Effect {
  readonly kind: EffectKind
  readonly key: VariableKey
  readonly before?: Giver
  readonly after?: Giver
  /** Only if another set gives it. */
  readonly why?: EffectReason
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
}

export interface WholeProject {
  readonly project: ProjectId
  /** Number of its workspaces. */
  readonly count: number
}

export interface EffectGroup extends Audience {
  readonly effects: readonly Effect[]
}

/**
 * What one set does to values that workspaces had: it wins over other sets (`override`), leaves the key to another set
 * (`fallback`), gives another value (`value`) or takes it away (`lost`). Its audience sees at least one of `values`.
 */
export interface Displacement extends Audience {
  readonly kind: 'override' | 'fallback' | 'value' | 'lost'
  readonly set: string
  readonly values: readonly DisplacedValue[]
  /** Even workspaces with a variable of their own see it: a set with priority gives it, before or after. */
  readonly certain?: true
}

/** A key with the sets that give it before and after. */
export interface DisplacedValue {
  readonly key: VariableKey
  readonly before?: Giver
  readonly after?: Giver
  /** Who sees it, if not the whole audience of the displacement. Audiences of one key never overlap. */
  readonly audience?: Audience
}

/** A new variable or value that has no effect: another set wins wherever its set is assigned. */
export interface UnseenVariable {
  readonly set: string
  readonly key: VariableKey
  /** One of the sets that win. */
  readonly winner: string
}

/** What changes for workspaces. Their own variables are not read, and are left out of account. */
export interface EffectiveDifference {
  /**
   * `workspaces`: the service told all workspaces that the plan may concern. `projects`: it did not, so effects on projects and on
   * everybody are told as such.
   */
  readonly level: 'workspaces' | 'projects'
  /** Number of workspaces that are known. */
  readonly known: number
  /** These are all workspaces of the organization. */
  readonly whole?: true
  /** Workspaces whose project is unknown. */
  readonly withoutProject: number
  /** Number of known workspaces that see a change. */
  readonly changed: number
  /** Unmanaged sets are incomplete, as in a snapshot; they may override some of this. */
  readonly partial?: true
  /** Some workspaces see no change if a variable of their own wins. */
  readonly unlessOwn: boolean
  /** Of `changed`, workspaces that see a change whatever they have; absent if that holds for all or none. */
  readonly certain?: number
  /** The most important ones first. */
  readonly groups: readonly EffectGroup[]
  /** Number of effects that `groups` leaves out. */
  readonly left: number
  /** All values that workspaces lose or see replaced, by set; absent if there are none. */
  readonly displaced?: readonly Displacement[]
  /** Changes without effect, by set and key; absent if there are none. */
  readonly unseen?: readonly UnseenVariable[]
  /** Number of them that `unseen` leaves out. */
  readonly unseenLeft?: number
}

/** The variables that targets newly receive. */
export interface Exposure {
  readonly secrets: readonly SecretExposure[]
  readonly global: readonly GlobalExposure[]
  /** Absent if there are none. */
  readonly added?: readonly AddedExposure[]
}

/** Secrets of a set that newly reach targets, even if other sets override them there. */
export interface SecretExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  /** The set is or becomes global. */
  readonly everywhere: boolean
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** Absent if there are none. */
  readonly stacks?: readonly StackId[]
  /** Number of workspaces; absent if unknown. */
  readonly count?: number
  /** Number of Stacks, including those of the projects; absent if unknown or zero. */
  readonly stackCount?: number
}

/** A set that becomes global. */
export interface GlobalExposure {
  readonly set: string
  readonly keys: readonly VariableKey[]
  readonly count?: number
  readonly stackCount?: number
}

/** New variables of a set that already was global or had priority. */
export interface AddedExposure extends GlobalExposure {
  readonly global: boolean
  readonly priority: boolean
}

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

/** All ids that the facts mention. */
export function idsIn({ effective, exposure, transition }: EffectiveFacts): string[] {
  const audiences: readonly Audience[] = [
    ...effective.groups,
    ...transition.gaps,
    ...(effective.displaced ?? []).flatMap(one => [
      one,
      ...one.values.flatMap(({ audience }) => audience ?? []),
    ]),
  ]
  return [
    ...[...audiences, ...exposure.secrets].flatMap(idsOf),
    ...audiences.flatMap(({ whole = [] }) => whole.map(({ project }) => project)),
  ]
}
