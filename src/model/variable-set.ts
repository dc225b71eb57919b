import type { SourceRange } from './diagnostic.ts'
import type { Settings, VariableFields } from './fields.ts'
import type { ProjectId, VariableId, VariableKey, VariableSetId, WorkspaceId } from './ids.ts'
import type { Inventory } from './inventory.ts'

/** Which secret a variable gets. Safe to print, store and compare; where its text comes from is the run's affair. */
export interface SecretRef {
  readonly name: string
  /** Changed by hand when the secret was rotated. Means nothing to the service. */
  readonly version?: string
  /** The empty text is a value, not a missing secret. */
  readonly allowEmpty?: boolean
}

/**
 * There is no `sensitive` flag: a variable is sensitive exactly when its value is a `secret`, so a sensitive
 * literal in Git has no representation. `external`: the value is set elsewhere and never sent by us.
 */
export type DesiredValue =
  | { readonly text: string }
  | { readonly secret: SecretRef }
  | { readonly external: true }

/**
 * The service does not show a sensitive value again, and the decoder drops it if it does. `withheld`: readable in the service,
 * and left out of a snapshot, because it may be a secret.
 */
export type ObservedValue =
  | { readonly text: string }
  | { readonly hidden: true }
  | { readonly withheld: true }

export interface Variable<V> extends VariableFields {
  readonly key: VariableKey
  readonly value: V
}

export interface DesiredVariable extends Variable<DesiredValue> {
  /** Its own line in the set; for a variable that a base gives, the set's `from:` line. */
  readonly source: SourceRange
  /** The line in the base that gives it. */
  readonly base?: SourceRange
}

export interface ObservedVariable extends Variable<ObservedValue> {
  readonly id: VariableId
  /** Changes with every write of the variable, on services that have it (docs/service.md 11.4). */
  readonly versionId?: string
}

/** A variable whose category we do not know: shown, never touched. */
export interface ForeignVariable {
  readonly id: string
  readonly key: string
  readonly category: string
}

/** What a file writes for a workspace or a project: an id, or a name that has to be resolved. */
export type TargetRef<Id extends string> =
  | { readonly id: Id; readonly source: SourceRange }
  | { readonly name: string; readonly source: SourceRange }

/** A set as its file says it. Variables are sorted by key. */
export interface DesiredSet extends Settings {
  readonly variables: readonly DesiredVariable[]
  /** Absent: assignments of this kind are not managed. Empty: there are none. */
  readonly workspaces?: readonly TargetRef<WorkspaceId>[]
  readonly projects?: readonly TargetRef<ProjectId>[]
  /** Pins the set where its name is ambiguous. */
  readonly id?: VariableSetId
  readonly previousNames: readonly string[]
  readonly source: SourceRange
}

/** A desired set whose workspaces and projects are ids: sorted, without duplicates. */
export interface ResolvedSet extends Omit<DesiredSet, 'workspaces' | 'projects'> {
  readonly workspaces?: readonly WorkspaceId[]
  readonly projects?: readonly ProjectId[]
}

/** Something else that a set reaches: Stacks, or what this version does not know, by the name that the service gives it. */
export interface OtherReach {
  readonly what: string
  readonly count: number
}

/** A set as the service said it. Variables sorted by key then id, assignments by id. */
export interface ObservedSet extends Settings {
  readonly id: VariableSetId
  readonly variables: readonly ObservedVariable[]
  readonly foreignVariables: readonly ForeignVariable[]
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** The project that owns the set (docs/service.md 10.3). Such a set is foreign: never ours to change. */
  readonly parent?: ProjectId
  /** What else it reaches; absent: nothing that the service shows. It stops a deletion. */
  readonly others?: readonly OtherReach[]
  /** ISO 8601, as the service wrote it. A hint for reports; never a reason for a decision. */
  readonly updatedAt?: string
}

/** A whole set without its place in a file: what one POST carries, or what a delete takes away. */
export interface SetContents<V> extends Settings {
  readonly variables: readonly Variable<V>[]
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
  /** As in `ObservedSet`, of a set that is deleted. */
  readonly others?: readonly OtherReach[]
}

export type Targets =
  | { readonly kind: 'workspaces'; readonly ids: readonly WorkspaceId[] }
  | { readonly kind: 'projects'; readonly ids: readonly ProjectId[] }

/** A set to delete. `id` where the file wrote an id. */
export interface RemovedSet {
  readonly name?: string
  readonly id?: VariableSetId
  readonly source: SourceRange
}

/** Limits that mark a plan and block its apply. */
export interface Guards {
  /** Largest share of deletions, per kind of object, in per cent. */
  readonly deletions: number
  /** Largest share of sets, or of variables, that one plan may change, in per cent. Left out: any. */
  readonly updates?: number
  /** Patterns of set names that nothing may delete. */
  readonly protect: readonly string[]
}

export interface DirectoryWorkspace {
  readonly name: string
  readonly id: WorkspaceId
  /** The name of its project, where known. */
  readonly project?: string
  /** Its line in the directory file, where it comes from there. */
  readonly source?: SourceRange
}

export interface DirectoryProject {
  readonly name: string
  readonly id: ProjectId
  /** As above. */
  readonly source?: SourceRange
}

/** Names of workspaces and projects and their ids: from `directory.yaml`, or from the service's look-ups. */
export interface Directory {
  readonly workspaces: readonly DirectoryWorkspace[]
  readonly projects: readonly DirectoryProject[]
  /** The service has just listed them: there are no others, and a workspace without a project is in none. */
  readonly live?: true
}

/** What the files say, whole. */
export interface DesiredState {
  readonly organization: string
  readonly owner?: string
  readonly owns: readonly string[]
  readonly prune: boolean
  readonly guards: Guards
  /** Sorted by name (code point). */
  readonly sets: readonly DesiredSet[]
  readonly removed: readonly RemovedSet[]
  readonly directory: Directory
  /** How many files were read, set files and configuration. */
  readonly files: number
}

export interface ResolvedState extends Omit<DesiredState, 'sets'> {
  readonly sets: readonly ResolvedSet[]
}

/** A snapshot of the service. */
export interface ObservedState {
  readonly organization: string
  readonly sets: readonly ObservedSet[]
  /** What owners manage, taken out of `sets`. Left out: none. */
  readonly inventories?: readonly Inventory[]
  /** Sets of others are there by name only: what they give and where is not known. */
  readonly partial?: true
  /** Pages that the listing took; 1 for an empty organization. */
  readonly pages: number
}
