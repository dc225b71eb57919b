import type { SourceRange } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { PrecedenceReason } from './effect.ts'
import type { Rank, Way } from './precedence.ts'

/** Which state is explained: live, desired by the files, or the difference. */
export type ExplainedState = 'live' | 'files' | 'difference'

/** What every explanation has. Plain data without the text of a secret. */
interface ExplanationBase {
  readonly organization: string
  readonly address: string
  readonly moment: ExplainedState
  /** What is unknown. */
  readonly notes: readonly string[]
}

/** Everything that a workspace receives. */
export interface Explanation extends ExplanationBase {
  readonly workspace: {
    readonly id: WorkspaceId
    readonly name?: string
    readonly project?: { readonly id: ProjectId; readonly name?: string }
    /** The groups of the files that list it. Absent if there are none. */
    readonly groups?: readonly string[]
  }
  /** By key. */
  readonly variables: readonly ExplainedVariable[]
  /** External variables of sets that it receives, by set, then by key. Absent if none is missing. */
  readonly missing?: readonly MissingExternal[]
}

export interface ExplainedVariable {
  readonly key: VariableKey
  /** What an apply does to it; always `same` unless the difference is explained. */
  readonly change: 'same' | 'gained' | 'lost' | 'changed'
  readonly before?: WinningSource
  readonly after?: WinningSource
}

/** The source that wins, with those that it overrides, the strongest first. */
export interface WinningSource extends VariableSource {
  /** The line that gives the value, in its set or in the base of the set. Absent if no file gives it. */
  readonly source?: SourceRange
  readonly shadows: readonly (VariableSource & { readonly why: PrecedenceReason })[]
}

/** A source of a variable. */
export interface VariableSource {
  readonly way: Way
  readonly rank: Rank
  /** Absent for a variable of the workspace itself. */
  readonly set?: string
  readonly priority?: true
  readonly projectOwned?: true
  /** The groups of the files through which the set is assigned to the workspace. Absent if there are none. */
  readonly groups?: readonly string[]
  /** The line where the workspace or its project lists the set. Absent if the set lists it. */
  readonly assignedAt?: SourceRange
  /** Absent for a secret, and if the key is a secret in another set. */
  readonly text?: string
  readonly secret?: true
  readonly hcl?: true
}

/** Who receives one key, or one name in both categories. */
export interface KeyExplanation extends ExplanationBase {
  /** As it was asked for: `DB_PASSWORD` or `env/DB_PASSWORD`. */
  readonly asked: string
  /** By key, then by receiver. */
  readonly received: readonly ReceivedKey[]
  /** Sets that have the key, and that nobody receives. By key, then by set. */
  readonly unreceived: readonly { readonly key: VariableKey; readonly set: string }[]
  /** By set, then by key. */
  readonly missing: readonly MissingExternal[]
}

/** A key at everybody who receives it alike. */
export interface ReceivedKey extends ExplainedVariable {
  readonly receivers: readonly Receiver[]
}

/** A workspace, or in place of workspaces that the service does not tell: their project, or `others`. */
export interface Receiver {
  readonly kind: 'workspace' | 'project' | 'others'
  /** Absent for `others`. */
  readonly id?: WorkspaceId | ProjectId
  readonly name?: string
  /** The line where it, or its project, lists the set that wins. Absent if the set lists it. */
  readonly assignedAt?: SourceRange
}

/** A file declares the variable external, and the service does not have it. */
export interface MissingExternal {
  readonly key: VariableKey
  readonly set: string
  /** Its line in the file. */
  readonly source?: SourceRange
}

/** Every set that a Stack may read. */
export interface StackExplanation extends ExplanationBase {
  readonly stack: {
    readonly id: StackId
    readonly name?: string
    readonly project?: { readonly id: ProjectId; readonly name?: string }
  }
  /** By name. */
  readonly sets: readonly ReadableSet[]
}

/** A set that a Stack may read, whether or not its configuration does. */
export interface ReadableSet {
  readonly set: string
  /** What an apply does to it for the Stack; always `same` unless the difference is explained. */
  readonly change: ExplainedVariable['change']
  readonly ways: readonly StackWay[]
  /** By key, without values: it is unknown which of them the Stack reads. */
  readonly variables: readonly { readonly key: VariableKey; readonly secret?: true }[]
}

/** Why a Stack may read a set. */
export type StackWay = 'global' | 'project' | 'stack'
