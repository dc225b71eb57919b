import type { SourceRange } from './diagnostic.ts'
import type { ServiceName, SetOwner, SetSettings, VariableFields } from './fields.ts'
import type {
  Assignments,
  ProjectId,
  TargetIds,
  TargetKind,
  TargetLists,
  VariableId,
  VariableKey,
  VariableSetId,
  WithPlaces,
} from './ids.ts'
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
  /** The file that its text comes from (`file:`), relative to the root of the repository. */
  readonly file?: string
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

/** What a file writes for something that a set is assigned to: an id, or a name that has to be resolved. */
export type TargetRef<Id extends string> =
  | { readonly id: Id; readonly source: SourceRange }
  | { readonly name: string; readonly source: SourceRange }

/** Left out: assignments of this kind are not managed. Empty: there are none. */
export type TargetRefs = { readonly [K in TargetKind]?: readonly TargetRef<TargetIds[K]>[] }

/** A set as its file says it. Variables are sorted by key. */
export interface DesiredSet extends SetSettings, ServiceName, TargetRefs {
  readonly variables: readonly DesiredVariable[]
  /** The project that owns it; absent: the organization does. */
  readonly project?: TargetRef<ProjectId>
  /** Pins the set where its name is ambiguous. */
  readonly id?: VariableSetId
  readonly previousNames: readonly string[]
  /** The key of the file, where `name:` says another name. */
  readonly key?: string
  readonly source: SourceRange
}

/** A desired set whose owner and assignments are ids: sorted, without duplicates. */
export interface ResolvedSet extends Omit<DesiredSet, TargetKind | 'project'>, TargetLists, SetOwner {}

/**
 * Something else that a set reaches, by the name that the service gives it: what this version does not know, or Stacks
 * that the service counts and does not list.
 */
export interface OtherReach {
  readonly what: string
  readonly count: number
}

/**
 * A set as the service said it. Variables sorted by key then id, assignments by id. Without `stacks` the service does not
 * say which Stacks it has, and mostly has none at all.
 */
export interface ObservedSet extends SetSettings, Assignments, SetOwner {
  readonly id: VariableSetId
  readonly variables: readonly ObservedVariable[]
  readonly foreignVariables: readonly ForeignVariable[]
  /** What else it reaches; absent: nothing that the service shows. It stops a deletion. */
  readonly others?: readonly OtherReach[]
  /** The service says that this token may not change it (docs/service.md 10.3). Absent: it may, or the service does not say. */
  readonly unwritable?: true
  /** The service does not say whose set it is (docs/service.md 10.3): as far as it tells, the organization's. */
  readonly ownerNotShown?: true
  /** ISO 8601, as the service wrote it. A hint for reports; never a reason for a decision. */
  readonly updatedAt?: string
}

/** A whole set without its place in a file: what one POST carries, or what a delete takes away. */
export interface SetContents<V> extends SetSettings, Assignments, SetOwner {
  readonly variables: readonly Variable<V>[]
  /** As in `ObservedSet`, of a set that is deleted. */
  readonly others?: readonly OtherReach[]
}

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

/** A name with its id. */
export interface DirectoryEntry<Id extends string> {
  readonly name: string
  readonly id: Id
  /** The name of its project, where it is in one and that is known. */
  readonly project?: string
  /** Its line in the directory file, where it comes from there. */
  readonly source?: SourceRange
}

/**
 * Names of what sets are assigned to, and their ids: from `directory.yaml`, or from the service's look-ups. Stacks are left
 * out where nobody listed them.
 */
export interface Directory extends WithPlaces<DirectoryLists> {
  /** Kinds that the service has just listed: there are no others of them, and what has no project is in none. */
  readonly live?: readonly TargetKind[]
}

/** Names by kind. */
export type DirectoryLists = { readonly [K in TargetKind]?: readonly DirectoryEntry<TargetIds[K]>[] }

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
