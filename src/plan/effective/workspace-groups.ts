import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Directory, ObservedVariable } from '../../model/variable-set.ts'
import { ownSource, type RankedSource, sourceOf, type Way } from './precedence.ts'
import { type ChangedSet, type SetState, statesIn } from './set-state.ts'

/** The known workspaces, and what is unknown about them. */
export interface Population {
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

/** The workspaces that the service told, and those that the sets are assigned to. `moving`: the sets that change. */
export function populationOf(
  directory: Directory,
  moving: readonly ChangedSet[],
  unchanged: readonly ChangedSet[],
): Population {
  const isWhole = directory.whole?.includes('workspaces') === true
  const changed = statesIn(moving)
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
  const unplaced = unlisted(isMissing ? direct : changed.flatMap(({ workspaces }) => workspaces))
  const withoutProject = through.size === 0 ? 0 : unplaced.length
  for (const id of unlisted(direct)) projectOf.set(id, undefined)
  const { stacks = [], whole = [] } = directory
  return {
    level: isMissing ? 'projects' : 'workspaces',
    isWhole,
    order: new Map([...projectOf.keys()].map((id, at) => [id, at])),
    projectOf,
    membersOf,
    withoutProject,
    stacks: whole.includes('stacks') ? new Map(stacks.map(({ id, project }) => [id, project])) : undefined,
  }
}

/** The sets that a workspace receives, once for each way. */
export interface ReceivedSets {
  readonly before: readonly RankedSource[]
  readonly after: readonly RankedSource[]
}

/** Workspaces that receive the same sets in the same ways. Global sets, which everybody receives, are left out. */
export interface WorkspaceGroup extends ReceivedSets {
  readonly number: number
  readonly workspaces: WorkspaceId[]
  /** Projects that represent their unknown workspaces. */
  readonly projects: ProjectId[]
  /** Stands for all other workspaces. */
  others: boolean
}

/** The global sets. */
export const receivedEverywhere = (sets: readonly ChangedSet[]): ReceivedSets => {
  const global = (moment: 'before' | 'after') =>
    sets.flatMap(({ [moment]: set }) => (set?.global ? (sourceOf(set, ['global']) ?? []) : []))
  return { before: global('before'), after: global('after') }
}

/** The variables of workspaces themselves, as far as they were read. */
export type OwnVariables = ReadonlyMap<WorkspaceId, ReadonlyMap<VariableKey, ObservedVariable>>

/**
 * Everybody. Of workspaces that are not known, each project and "all others" stand for them. A workspace in `own` is in no group with
 * others that are not, and is a group of its own if it has variables.
 */
export function groupsOf(
  sets: readonly ChangedSet[],
  population: Population,
  own: OwnVariables = new Map(),
): WorkspaceGroup[] {
  const direct = setsReceivedBy(sets, 'workspace', set => set.workspaces)
  const through = setsReceivedBy(sets, 'project', set => set.projects)
  const groups = new Map<string, WorkspaceGroup>()
  const groupOf = (workspace?: WorkspaceId, project?: ProjectId): WorkspaceGroup => {
    const assigned = (workspace && direct.get(workspace)) ?? NOTHING
    const shared = (project && through.get(project)) ?? NOTHING
    const variables = workspace && own.get(workspace)
    const itself = variables === undefined || variables.size === 0 ? [] : [ownSource(variables)]
    const read = variables === undefined ? '' : itself.length > 0 ? workspace : 'read'
    const signature = `${assigned.signature}|${shared.signature}|${read}`
    const existing = groups.get(signature)
    if (existing !== undefined) return existing
    const group = {
      number: groups.size,
      before: [...assigned.before, ...shared.before, ...itself],
      after: [...assigned.after, ...shared.after, ...itself],
      workspaces: [],
      projects: [],
      others: false,
    }
    groups.set(signature, group)
    return group
  }
  for (const [workspace, project] of population.projectOf)
    groupOf(workspace, project).workspaces.push(workspace)
  if (!population.isWhole) {
    for (const project of through.keys())
      if (!population.membersOf.has(project)) groupOf(undefined, project).projects.push(project)
    groupOf().others = true
  }
  return [...groups.values()]
}

const NOTHING = { before: [], after: [], signature: '' }

/** The sets that each workspace, or each project, receives in this way. Equal signatures mean equal sets. */
function setsReceivedBy<Id>(
  sets: readonly ChangedSet[],
  way: Way,
  targetsOf: (set: SetState) => readonly Id[],
) {
  const received = new Map<Id, { before: RankedSource[]; after: RankedSource[]; signature: string }>()
  for (const moment of ['before', 'after'] as const)
    for (const [number, { [moment]: set }] of sets.entries()) {
      const source = set && sourceOf(set, [way])
      if (set === undefined || source === undefined) continue
      for (const id of targetsOf(set)) {
        const sources = received.get(id) ?? { before: [], after: [], signature: '' }
        sources[moment].push(source)
        sources.signature += `${number}${moment === 'before' ? '-' : '+'}`
        received.set(id, sources)
      }
    }
  return received
}

/** Stacks may read what is assigned to them, or to their project (docs/service.md 13.1). */
export function stacksReading(
  { global, stacks, projects }: Pick<SetState, 'global' | 'stacks' | 'projects'>,
  { stacks: listed = new Map<StackId, ProjectId | undefined>() }: Population,
): readonly StackId[] {
  const through = [...listed].flatMap(([id, project]) =>
    global || (project !== undefined && projects.includes(project)) ? [id] : [],
  )
  return [...new Set([...stacks, ...through])]
}
