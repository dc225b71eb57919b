import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, WorkspaceId } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Directory } from '../../model/variable-set.ts'
import type { CellMember, Member } from './effect.ts'
import { type SetState, type SetStates, statesIn } from './set-state.ts'

/** The known workspaces, and what is unknown about them. */
export interface KnownMembers {
  /** Everybody, with the project through which they receive sets. Workspaces come first, by name. */
  readonly all: ReadonlyMap<CellMember, ProjectId | undefined>
  /** Those of each project, as far as known. */
  readonly inProject: ReadonlyMap<ProjectId, readonly CellMember[]>
  readonly level: 'workspaces' | 'projects'
  /** Every workspace is known. */
  readonly isWhole: boolean
  /** The position of each known workspace, by name. */
  readonly order: ReadonlyMap<WorkspaceId, number>
  /** The project of each known workspace, by name; `undefined` if unknown. */
  readonly projectOf: ReadonlyMap<WorkspaceId, ProjectId | undefined>
  /** The workspaces of each project whose workspaces are all known. */
  readonly membersOf: ReadonlyMap<ProjectId, readonly WorkspaceId[]>
  /** Number of workspaces whose project is unknown, if that may matter. */
  readonly withoutProject: number
  /** The known Stacks with their projects; `undefined` if they were not listed. */
  readonly stacks: ReadonlyMap<StackId, ProjectId | undefined> | undefined
}

/** The workspaces that the service told, and those that the sets are assigned to. `changing`: the sets that change. */
export function knownMembers(
  directory: Directory,
  changing: readonly SetStates[],
  unchanged: readonly SetStates[],
): KnownMembers {
  const isWhole = directory.whole?.includes('workspaces') === true
  const changed = statesIn(changing)
  const all = [...changed, ...statesIn(unchanged)]
  const direct = new Set(all.flatMap(({ workspaces }) => workspaces))
  const through = new Set(all.flatMap(({ projects }) => projects))
  const complete = new Set(directory.membersOf)
  const isIn = (project: ProjectId | undefined): boolean =>
    project !== undefined && complete.has(project) && through.has(project)
  // Unless all are known, only those that receive a set count.
  const listed = directory.workspaces.filter(({ id, project }) => isWhole || direct.has(id) || isIn(project))
  const projectOf = new Map<WorkspaceId, ProjectId | undefined>(
    listed.toSorted((a, b) => compareText(a.name, b.name)).map(({ id, project }) => [id, project]),
  )
  const membersOf = new Map<ProjectId, WorkspaceId[]>([...complete].map(id => [id, []]))
  for (const [id, project] of projectOf)
    if (project !== undefined && (isWhole || complete.has(project))) append(membersOf, project, id)
  const unlisted = (ids: Iterable<WorkspaceId>): WorkspaceId[] =>
    [...new Set(ids)].filter(id => !projectOf.has(id)).toSorted(compareText)
  const isMissing = changed.some(
    ({ global, projects }) => !isWhole && (global || projects.some(id => !complete.has(id))),
  )
  // Where not all are listed, a workspace of another set may be in a project of a changed one.
  const unlocated = unlisted(isMissing ? direct : changed.flatMap(({ workspaces }) => workspaces))
  const withoutProject = through.size === 0 ? 0 : unlocated.length
  for (const id of unlisted(direct)) projectOf.set(id, undefined)
  const unknown = [...through].filter(project => !membersOf.has(project))
  // Every workspace is in a project, so sets that reach all projects leave nobody else.
  const areAllReached =
    directory.whole?.includes('projects') === true && directory.projects.every(({ id }) => through.has(id))
  const standIns: readonly (readonly [CellMember, ProjectId | undefined])[] = isWhole
    ? []
    : [
        ...unknown.map(project => [project, project] as const),
        ...(areAllReached ? [] : [['others', undefined] as const]),
      ]
  const everybody = new Map<CellMember, ProjectId | undefined>([...projectOf, ...standIns])
  const inProject = new Map<ProjectId, CellMember[]>()
  for (const [member, project] of everybody) if (project !== undefined) append(inProject, project, member)
  const { stacks = [], whole = [] } = directory
  return {
    all: everybody,
    inProject,
    level: isMissing ? 'projects' : 'workspaces',
    isWhole,
    order: new Map([...projectOf.keys()].map((id, at) => [id, at])),
    projectOf,
    membersOf,
    withoutProject,
    stacks: whole.includes('stacks') ? new Map(stacks.map(({ id, project }) => [id, project])) : undefined,
  }
}

/** Stacks may read what is assigned to them, or to their project (docs/service.md 13.1). */
export function stacksReading(
  { global, stacks, projects }: Pick<SetState, 'global' | 'stacks' | 'projects'>,
  { stacks: listed = new Map<StackId, ProjectId | undefined>() }: KnownMembers,
): readonly StackId[] {
  const through = [...listed].flatMap(([id, project]) =>
    global || (project !== undefined && projects.includes(project)) ? [id] : [],
  )
  return [...new Set([...stacks, ...through])]
}

export const isWorkspace = (member: Member): member is WorkspaceId => member.startsWith('ws-')
export const isProject = (member: Member): member is ProjectId => member.startsWith('prj-')
export const isStack = (member: Member): member is StackId => member.startsWith('st-')

/** Everybody who receives a set. A project of which no workspace is known stands for those that it has or gets. */
export function receiversOf(set: SetState, known: KnownMembers): Set<Member> {
  const inside = set.projects.flatMap(project => known.inProject.get(project) ?? [project])
  const workspaces = set.global ? known.all.keys() : [...set.workspaces, ...inside]
  return new Set<Member>([...workspaces, ...stacksReading(set, known)])
}
