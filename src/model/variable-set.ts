import { compareText, type Diagnostic, type SourceRange } from './diagnostic.ts'
import {
  NO_DETAILS,
  type ServiceName,
  type SetDetails,
  type SetOwner,
  type SetSettings,
  type VariableFields,
} from './fields.ts'
import {
  type Assignments,
  assignmentsOf,
  type ProjectId,
  type TargetId,
  type TargetIds,
  type TargetKind,
  type TargetLists,
  type VariableId,
  type VariableKey,
  type VariableSetId,
  type WithPlaces,
  type WorkspaceId,
} from './ids.ts'
import type { Inventory } from './inventory.ts'
import { append } from './lists.ts'
import type { Rule } from './rule.ts'

/** A reference to a secret. Safe to print, store and compare. */
export interface SecretRef {
  readonly name: string
  /** Users change it when they rotate the secret. The service does not know it. */
  readonly version?: string
  /** The empty text is a value, not a missing secret. */
  readonly allowEmpty?: boolean
  /** `placeholder`: a text that evidently stands for a value is the value. */
  readonly accept?: readonly string[]
}

/**
 * There is no `sensitive` flag: a variable is sensitive exactly if its value is a `secret`, so a sensitive literal in Git cannot
 * be expressed. `external`: the value is set in the service and never sent by us.
 */
export type DesiredValue =
  | { readonly text: string }
  | { readonly secret: SecretRef }
  | { readonly external: true }

/**
 * `hidden`: the value is sensitive. The service does not return it, and the decoder drops it if it does. `withheld`: readable in the
 * service, and not kept in a snapshot or a plan, because it may be a secret or a secret takes its place.
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
  /** Its line in the set; for a variable from a base, the `from:` line of the set. */
  readonly source: SourceRange
  /** Its line in the base. */
  readonly base?: SourceRange
  /** The file with its text (`file:`), relative to the root of the repository. */
  readonly file?: string
  /** Why its code is no valid value: an error unless the service holds exactly this code. */
  readonly doubt?: Diagnostic
  /** Codes of what the file accepts about it. Kept to write the file again. */
  readonly accept?: readonly string[]
}

/** Whether the file says that the value only looks like a secret. */
export const isSaidHarmless = ({ accept }: Pick<DesiredVariable, 'accept'>): boolean =>
  accept?.includes('looks-like-a-secret') === true

export interface ObservedVariable extends Variable<ObservedValue> {
  readonly id: VariableId
  /** Changes with every write of the variable, on services that have it (docs/service.md 11.4). */
  readonly versionId?: string
}

/** A variable of an unknown category: shown, never changed. */
export interface ForeignVariable {
  readonly id: string
  readonly key: string
  readonly category: string
}

/**
 * How a file refers to a target of a set: by id, or by a name to resolve. `member`: a group is named at `source`, and the
 * group has this workspace.
 */
export type TargetRef<Id extends string> = (
  | {
      readonly id: Id
      readonly member?: GroupMember
      /** Ids have this form, and it may be a name: it is an id if the service knows it. */
      readonly mayBeName?: true
    }
  | { readonly name: string }
) & {
  readonly source: SourceRange
  /** Absent: the set lists it. Otherwise it lists the set, in the file of `source`. */
  readonly entry?: BesideEntry
}

/** An item of `workspaces` or `projects` beside the sets (docs/files.md#from-the-side-of-a-workspace). */
export interface BesideEntry {
  /** The target as it is written: a name, an id or a group. */
  readonly key: string
  /** The position of the set in its list. */
  readonly item: number
}

/** Absent: assignments of this kind are not managed. Empty: there are none. */
export type TargetRefs = { readonly [K in TargetKind]?: readonly TargetRef<TargetIds[K]>[] }

/** A workspace of a group, with its name and id as the service told them when the list was reviewed. */
export interface GroupMember {
  readonly group: string
  readonly name: string
  readonly id: WorkspaceId
  readonly source: SourceRange
}

/** A group of workspaces as its file declares it. */
export interface Group {
  readonly name: string
  readonly source: SourceRange
  /** What the service is asked, and only by `setpoint groups`. Absent: the list is kept by hand. */
  readonly select?: GroupSelection
  /** Patterns of names, and ids, that the selection leaves out. */
  readonly except: readonly string[]
  readonly allowEmpty: boolean
  /** In the order of the file. */
  readonly members: readonly GroupMember[]
}

/** The names of the groups that list each workspace. */
export function groupsById(groups: readonly Group[] = []): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const { name, members } of groups) for (const { id } of members) append(names, id, name)
  return names
}

/** A workspace matches if it matches each part that is present. */
export interface GroupSelection {
  /** Patterns of names, one of which matches. */
  readonly names?: readonly string[]
  /** Keys and values, all of which it has. The value of a tag without one is empty. */
  readonly tags?: readonly { readonly key: string; readonly value: string }[]
  /** It is in one of them. */
  readonly projects?: readonly TargetRef<ProjectId>[]
}

/** A set as its file declares it. Variables are sorted by key. */
export interface DesiredSet extends SetDetails, ServiceName, TargetRefs {
  readonly name: string
  readonly variables: readonly DesiredVariable[]
  /** The project that owns it; absent: the organization. */
  readonly project?: TargetRef<ProjectId>
  /** Identifies the set if its name is ambiguous. */
  readonly id?: VariableSetId
  readonly previousNames: readonly string[]
  /** The key in the file, if `name:` gives another name. */
  readonly key?: string
  /** The groups among its workspaces. `item`: the position in the list of the file. */
  readonly groups?: readonly { readonly name: string; readonly item: number }[]
  readonly source: SourceRange
  /** Codes of accepted warnings. Kept to write the file again. */
  readonly accept?: readonly string[]
}

/** A secret that sets reference. `uses` is in the order of the sets. */
export interface WantedSecret {
  readonly name: string
  readonly uses: readonly SecretUse[]
}

/** A variable that a secret is sent to. */
export interface SecretUse {
  readonly set: string
  readonly key: VariableKey
  readonly source: SourceRange
  readonly allowEmpty: boolean
}

/** Every secret of the sets, sorted by name. */
export function wantedSecrets(sets: readonly DesiredSet[]): WantedSecret[] {
  const uses = new Map<string, SecretUse[]>()
  for (const { name: set, variables } of sets)
    for (const { key, value, source } of variables)
      if ('secret' in value)
        append(uses, value.secret.name, { set, key, source, allowEmpty: value.secret.allowEmpty === true })
  return [...uses].map(([name, uses]) => ({ name, uses })).sort((a, b) => compareText(a.name, b.name))
}

/** A desired set with the ids of its owner and assignments: sorted, without duplicates. */
export interface ResolvedSet extends Omit<DesiredSet, TargetKind | 'project'>, TargetLists, SetOwner {
  /** Its assignments that are written beside the sets. Absent if there are none. */
  readonly assignedAt?: readonly AssignedAt[]
}

/** A workspace or project whose list beside the sets has a set, and the line. */
export interface AssignedAt {
  readonly id: TargetId
  readonly source: SourceRange
}

/** Other targets of a set, by the service's word for them: unknown to this version, or Stacks that are counted and not listed. */
export interface OtherReach {
  readonly what: string
  readonly count: number
}

/**
 * A set as the service returned it. Variables are sorted by key then id, assignments by id. Without `stacks`, the service does not
 * say which Stacks it has, and mostly has no Stacks.
 */
export interface ObservedSet extends SetDetails, Assignments, SetOwner {
  readonly id: VariableSetId
  readonly name: string
  readonly variables: readonly ObservedVariable[]
  readonly foreignVariables: readonly ForeignVariable[]
  /** Its other targets; absent: none that the service shows. They prevent a deletion. */
  readonly others?: readonly OtherReach[]
  /** The service says that this token may not change it (docs/service.md 10.3). Absent: it may, or that is unknown. */
  readonly unwritable?: true
  /** The service does not show its owner (docs/service.md 10.3): it counts as the organization's. */
  readonly ownerNotShown?: true
  /** The service says nothing about projects of the set: one without projects does not. */
  readonly projectsNotShown?: true
  /** ISO 8601, as the service wrote it. For reports only: no decision depends on it. */
  readonly updatedAt?: string
}

/** A set of which only these parts are known, such as one in a snapshot or a Terraform state. */
export const partlyKnown = (
  known: SetSettings & Pick<ObservedSet, 'id'> & Partial<ObservedSet>,
): ObservedSet => ({
  ...NO_DETAILS,
  variables: [],
  foreignVariables: [],
  ...assignmentsOf({}),
  ...known,
})

/** A whole set without its place in a file, as it is created or deleted. */
export interface SetContents<V> extends SetSettings, Assignments, SetOwner {
  readonly variables: readonly Variable<V>[]
  /** As in `ObservedSet`, if the set is deleted. */
  readonly others?: readonly OtherReach[]
}

/** A set to delete, by name or by id. */
export interface RemovedSet {
  readonly name?: string
  readonly id?: VariableSetId
  /** As of a `TargetRef`. */
  readonly mayBeName?: true
  readonly source: SourceRange
}

/** Limits. A plan that exceeds them is marked, and its apply is blocked. */
export interface Guards {
  /** Largest share of our sets that a plan may delete, in percent. */
  readonly deletions: number
  /** Largest share of what one set gives to workspaces that a plan may take away, in percent. */
  readonly losses: number
  /** Largest share of sets, or of variables, that a plan may change, in percent. Absent: no limit. */
  readonly updates?: number
  /** Patterns of names of sets that must not be deleted. */
  readonly protect: readonly string[]
  /** A plan with a gap is blocked: a workspace may see a value that is neither the old nor the new one. Absent: not. */
  readonly gaps?: 'forbid'
}

/** A workspace, project or Stack as the service told it. Without a project, it is in none. */
export interface DirectoryEntry<Id extends string> {
  readonly name: string
  readonly id: Id
  readonly project?: ProjectId
}

/** What the service told of workspaces, projects and Stacks. Stacks are absent if they were not listed. */
export interface Directory extends WithPlaces<DirectoryLists> {
  /** Kinds that the service listed completely. */
  readonly whole?: readonly TargetKind[]
  /** Projects whose workspaces are all here. */
  readonly membersOf?: readonly ProjectId[]
  /** Kinds that the service does not show this token. */
  readonly hidden?: readonly TargetKind[]
  /** What could not be asked for, although it is not merely hidden from this token. */
  readonly failed?: readonly FailedLookUp[]
}

export interface FailedLookUp {
  readonly kind: TargetKind
  /** A name or an id; absent: the kind itself. */
  readonly what?: string
  /** A sentence. */
  readonly why: string
}

/** Why a kind, or this name or id of it, could not be asked for; `undefined` if it could. */
export const failureIn = ({ failed = [] }: Directory, kind: TargetKind, what?: string): string | undefined =>
  failed.find(one => one.kind === kind && one.what === what)?.why

/** What to ask the service about workspaces, projects and Stacks. */
export interface Wanted {
  readonly names?: { readonly [K in TargetKind]?: readonly string[] }
  readonly ids?: TargetLists
  /** All workspaces of these projects. */
  readonly membersOf?: readonly ProjectId[]
  /** Everything of these kinds. */
  readonly all?: readonly TargetKind[]
}

export type DirectoryLists = { readonly [K in TargetKind]?: readonly DirectoryEntry<TargetIds[K]>[] }

/** Everything that the files declare. */
export interface DesiredState {
  readonly organization: string
  readonly owner?: string
  readonly owns: readonly string[]
  readonly prune: boolean
  readonly guards: Guards
  /** Sorted by name (code point). */
  readonly sets: readonly DesiredSet[]
  readonly removed: readonly RemovedSet[]
  /** Number of files that were read: set files and configuration. */
  readonly files: number
  /** In the order of the files, those of the pipeline first. Absent if there are none. */
  readonly rules?: readonly Rule[]
  /** In the order of the files. Absent if there are none. */
  readonly groups?: readonly Group[]
}

export interface ResolvedState extends Omit<DesiredState, 'sets'> {
  readonly sets: readonly ResolvedSet[]
  readonly directory: Directory
}

export interface ObservedState {
  readonly organization: string
  readonly sets: readonly ObservedSet[]
  /** The inventories, which are not in `sets`. Absent: none. */
  readonly inventories?: readonly Inventory[]
  /** Unmanaged sets have only a name: their variables and assignments are unknown. */
  readonly partial?: true
  /** Number of pages of the listing; 1 for an empty organization. */
  readonly pages: number
}
