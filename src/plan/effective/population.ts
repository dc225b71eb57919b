import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, WorkspaceId } from '../../model/ids.ts'
import type { Directory } from '../../model/variable-set.ts'
import type { MovingSet } from './placed-set.ts'

/** The workspaces that are known, and what is not known of them. */
export interface Population {
  readonly level: 'workspaces' | 'projects'
  /** The project of each known workspace; `undefined` where it is not known. Sorted by name. */
  readonly projectOf: ReadonlyMap<string, string | undefined>
  /** Known members of each project. */
  readonly membersOf: ReadonlyMap<string, readonly string[]>
  /** Known workspaces whose project is not known, where a set comes through a project. */
  readonly withoutProject: number
  /** Which workspaces there are, or of which project, matters here and is what the directory file says. */
  readonly claimed: boolean
  /** The Stacks that are known, with the project of each; `undefined` where nobody listed them. */
  readonly stacks: ReadonlyMap<string, string | undefined> | undefined
  /** They are what the directory file says. */
  readonly stacksClaimed: boolean
}

/** Those of the directory, and those that sets name. `sets`: all that matter. */
export function populationOf(directory: Directory, sets: readonly MovingSet[]): Population {
  const projectIds = new Map(directory.projects.map(({ name, id }) => [name, id]))
  const projectOf = new Map<string, string | undefined>()
  const membersOf = new Map<string, string[]>()
  for (const { id, project } of directory.workspaces.toSorted((a, b) => compareText(a.name, b.name))) {
    const projectId = project === undefined ? undefined : projectIds.get(project)
    projectOf.set(id, projectId)
    if (projectId === undefined) continue
    const members = membersOf.get(projectId)
    if (members === undefined) membersOf.set(projectId, [id])
    else members.push(id)
  }
  const isLive = directory.live?.includes('workspaces') === true
  const isListed = isLive || directory.workspaces.length > 0
  const listed = new Set(projectOf.keys())
  const isPlaced = isLive || [...projectOf.values()].every(project => project !== undefined)
  const placed = sets.flatMap(({ before, after }) => [before ?? [], after ?? []].flat())
  const unlisted = new Set<string>()
  for (const { workspaces } of placed) for (const id of workspaces) if (!projectOf.has(id)) unlisted.add(id)
  for (const id of [...unlisted].toSorted(compareText)) projectOf.set(id, undefined)
  const needsProjects = placed.some(set => set.projects.length > 0)
  const unplaced = [...projectOf].filter(
    ([id, project]) => project === undefined && !(isLive && listed.has(id)),
  )
  const level = isListed && (isPlaced || !needsProjects) ? 'workspaces' : 'projects'
  const isCounted = level === 'workspaces' && (needsProjects || placed.some(set => set.global))
  return {
    level,
    projectOf,
    membersOf,
    withoutProject: needsProjects ? unplaced.length : 0,
    claimed: isCounted && !isLive,
    stacks:
      directory.stacks &&
      new Map(directory.stacks.map(({ id, project }) => [id, project && projectIds.get(project)])),
    stacksClaimed: directory.live?.includes('stacks') !== true,
  }
}

export const isWorkspace = (id: string): id is WorkspaceId => id.startsWith('ws-')
export const isProject = (id: string): id is ProjectId => id.startsWith('prj-')
export const isStack = (id: string): id is StackId => id.startsWith('st-')
