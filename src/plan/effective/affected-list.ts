import type { StackId, TargetId, VariableKey, VariableSetId, WorkspaceId } from '../../model/ids.ts'

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
  /** Which workspace is in which project comes from the directory file and was not verified. */
  readonly claimed?: true
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
  /** Absent unless the service gave it in this run. */
  readonly name?: string
  /** The name of its project if the service gave it, otherwise its id; absent if unknown. */
  readonly project?: string
}

/** Who may be missing from the list, because the directory does not have them or their projects. */
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
