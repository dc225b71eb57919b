import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, WorkspaceId } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Directory } from '../../model/variable-set.ts'
import { type MovingSet, type PlacedSet, placedIn } from './placed-set.ts'
import { type RankedSource, sourceOf, type Way } from './precedence.ts'

/** The known workspaces, and what is unknown about them. */
export interface Population {
  readonly level: 'workspaces' | 'projects'
  /** The project of each known workspace, by name; `undefined` if unknown. */
  readonly projectOf: ReadonlyMap<WorkspaceId, ProjectId | undefined>
  /** Known members of each project. */
  readonly membersOf: ReadonlyMap<ProjectId, readonly WorkspaceId[]>
  /** Number of known workspaces whose project is unknown, if any set is assigned to a project. */
  readonly withoutProject: number
  /** The result relies on workspaces or projects that come from the directory file and were not verified. */
  readonly claimed: boolean
  /** The known Stacks with their projects; `undefined` if they were not listed. */
  readonly stacks: ReadonlyMap<StackId, ProjectId | undefined> | undefined
  /** The Stacks come from the directory file and were not verified. */
  readonly stacksClaimed: boolean
}

/** The workspaces of the directory, and those that the sets are assigned to. */
export function populationOf(directory: Directory, sets: readonly MovingSet[]): Population {
  const isLive = directory.live?.includes('workspaces') === true
  const projectIds = new Map<string | undefined, ProjectId>(
    directory.projects.map(({ name, id }) => [name, id]),
  )
  const projectOf = new Map(
    directory.workspaces
      .toSorted((a, b) => compareText(a.name, b.name))
      .map(({ id, project }) => [id, projectIds.get(project)]),
  )
  const membersOf = new Map<ProjectId, WorkspaceId[]>()
  for (const [id, project] of projectOf) if (project !== undefined) append(membersOf, project, id)
  // A workspace that the service has just listed without a project is in none.
  const unplaced = isLive ? 0 : [...projectOf.values()].filter(project => project === undefined).length
  const isListed = isLive || projectOf.size > 0

  const placed = placedIn(sets)
  const unlisted = new Set(placed.flatMap(({ workspaces }) => workspaces.filter(id => !projectOf.has(id))))
  for (const id of [...unlisted].toSorted(compareText)) projectOf.set(id, undefined)
  const needsProjects = placed.some(({ projects }) => projects.length > 0)
  const level = isListed && (unplaced === 0 || !needsProjects) ? 'workspaces' : 'projects'
  const counts = level === 'workspaces' && (needsProjects || placed.some(set => set.global))
  return {
    level,
    projectOf,
    membersOf,
    withoutProject: needsProjects ? unplaced + unlisted.size : 0,
    claimed: counts && !isLive,
    stacks:
      directory.stacks && new Map(directory.stacks.map(({ id, project }) => [id, projectIds.get(project)])),
    stacksClaimed: directory.live?.includes('stacks') !== true,
  }
}

/** The sets that a workspace receives, once for each way. */
export interface ComingSets {
  readonly before: readonly RankedSource[]
  readonly after: readonly RankedSource[]
}

/** Workspaces that receive the same sets in the same ways. Global sets, which everybody receives, are left out. */
export interface WorkspaceGroup extends ComingSets {
  readonly number: number
  readonly workspaces: WorkspaceId[]
  /** Projects that represent their unknown workspaces. */
  readonly projects: ProjectId[]
  /** Stands for all other workspaces. */
  others: boolean
}

/** The global sets. */
export const comingEverywhere = (sets: readonly MovingSet[]): ComingSets => {
  const global = (moment: 'before' | 'after') =>
    sets.flatMap(({ [moment]: set }) => (set?.global ? (sourceOf(set, ['global']) ?? []) : []))
  return { before: global('before'), after: global('after') }
}

/** Everybody. If only projects are known, each project and "all others" stand for their workspaces. */
export function groupsOf(sets: readonly MovingSet[], population: Population): WorkspaceGroup[] {
  const direct = comingTo(sets, 'workspace', set => set.workspaces)
  const through = comingTo(sets, 'project', set => set.projects)
  const groups = new Map<string, WorkspaceGroup>()
  const groupOf = (workspace?: WorkspaceId, project?: ProjectId): WorkspaceGroup => {
    const own = (workspace && direct.get(workspace)) ?? NOTHING
    const shared = (project && through.get(project)) ?? NOTHING
    const signature = `${own.signature}|${shared.signature}`
    const known = groups.get(signature)
    if (known !== undefined) return known
    const group = {
      number: groups.size,
      before: [...own.before, ...shared.before],
      after: [...own.after, ...shared.after],
      workspaces: [],
      projects: [],
      others: false,
    }
    groups.set(signature, group)
    return group
  }
  for (const [workspace, project] of population.projectOf)
    groupOf(workspace, project).workspaces.push(workspace)
  if (population.level === 'projects') {
    for (const project of through.keys()) groupOf(undefined, project).projects.push(project)
    groupOf().others = true
  }
  return [...groups.values()]
}

/** More combinations are left out. */
const MOST_COMBINED = 10_000

/**
 * Whoever may exist, as far as the sets say: each workspace that they name in each project, and workspaces and projects by themselves.
 */
export function possibleGroups(sets: readonly MovingSet[]): WorkspaceGroup[] {
  const [direct, through] = [
    comingTo(sets, 'workspace', set => set.workspaces),
    comingTo<string>(sets, 'project', set => set.projects),
  ].map(coming => [...new Map([...coming.values()].map(one => [one.signature, one])).values()])
  const [named = [], projects = []] = [direct, through]
  const both =
    named.length * projects.length > MOST_COMBINED
      ? []
      : named.flatMap(own => projects.map(shared => [own, shared] as const))
  const alone = [NOTHING, ...named, ...projects].map(one => [one, NOTHING] as const)
  return [...alone, ...both].map(([own, shared], number) => ({
    number,
    before: [...own.before, ...shared.before],
    after: [...own.after, ...shared.after],
    workspaces: [],
    projects: [],
    others: false,
  }))
}

const NOTHING = { before: [], after: [], signature: '' }

/** The sets that each workspace, or each project, receives in this way. Equal signatures mean equal sets. */
function comingTo<Id>(sets: readonly MovingSet[], way: Way, targetsOf: (set: PlacedSet) => readonly Id[]) {
  const coming = new Map<Id, { before: RankedSource[]; after: RankedSource[]; signature: string }>()
  for (const moment of ['before', 'after'] as const)
    for (const [number, { [moment]: set }] of sets.entries()) {
      const source = set && sourceOf(set, [way])
      if (set === undefined || source === undefined) continue
      for (const id of targetsOf(set)) {
        const known = coming.get(id) ?? { before: [], after: [], signature: '' }
        known[moment].push(source)
        known.signature += `${number}${moment === 'before' ? '-' : '+'}`
        coming.set(id, known)
      }
    }
  return coming
}
