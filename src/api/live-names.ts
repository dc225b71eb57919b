import type { ProjectId, WorkspaceId } from '../model/ids.ts'
import type { Directory } from '../model/variable-set.ts'
import { isStatus } from './errors.ts'
import { LARGEST_PAGE, mapBounded, type ReadPage, readPages, untilWhole } from './pages.ts'
import type { Reader } from './reader.ts'

/** What the service itself calls workspaces and projects. */
export interface LiveNames {
  /** By id: those that were asked for, and whatever else a list showed. */
  readonly nameOf: ReadonlyMap<string, string>
  /** Ids whose question was answered. One that `nameOf` does not have is not there for this token. */
  readonly asked: ReadonlySet<string>
}

/** Ids to ask for. */
export interface TargetIds {
  readonly workspaces: readonly WorkspaceId[]
  readonly projects: readonly ProjectId[]
}

/** Nothing was asked, or the service does not say. */
export const NO_NAMES: LiveNames = { nameOf: new Map(), asked: new Set() }

/** From a list that was read already. */
export const namesListed = ({ workspaces, projects }: Directory, ids: TargetIds): LiveNames => ({
  nameOf: new Map<string, string>([...workspaces, ...projects].map(({ id, name }) => [id, name])),
  asked: new Set<string>([...ids.workspaces, ...ids.projects]),
})

/**
 * Names by id, in the fewest requests: for each kind one an id, or the list by hundreds where that is cheaper by the
 * count of the directory file. The interface has neither, and a service without them says nothing.
 */
export async function readLiveNames(
  reader: Reader,
  organization: string,
  { workspaces, projects }: TargetIds,
  filed: Directory,
  signal?: AbortSignal,
): Promise<LiveNames> {
  const kinds = await Promise.all([
    namesOf(workspaces, filed.workspaces.length, organization, {
      show: id => reader.showWorkspace(id, signal),
      list: page => reader.listWorkspacesPage(organization, page, signal),
    }),
    namesOf(projects, filed.projects.length, organization, {
      show: id => reader.showProject(id, signal),
      list: page => reader.listProjectsPage(organization, page, signal),
    }),
  ])
  return {
    nameOf: new Map(kinds.flatMap(({ nameOf }) => [...nameOf])),
    asked: new Set(kinds.flatMap(({ asked }) => [...asked])),
  }
}

interface Entry {
  readonly id: string
  readonly name: string
  readonly organization?: string
}

const AT_ONCE = 8

async function namesOf<Id extends string>(
  ids: readonly Id[],
  filed: number,
  organization: string,
  from: { readonly show: (id: Id) => Promise<Entry>; readonly list: ReadPage<Entry> },
): Promise<LiveNames> {
  if (ids.length === 0) return NO_NAMES
  const isOurs = (entry: Entry): boolean =>
    entry.organization === undefined || entry.organization.toLowerCase() === organization.toLowerCase()
  const found = (entries: readonly Entry[]): LiveNames => ({
    nameOf: new Map(entries.filter(isOurs).map(({ id, name }) => [id, name])),
    asked: new Set<string>(ids),
  })
  if (ids.length < Math.ceil(filed / LARGEST_PAGE)) {
    const shown = await unlessHidden(mapBounded(ids, AT_ONCE, from.show))
    // A 404 may mean that there is no such id as well as no such look-up; the list tells the two apart.
    if (shown !== undefined) return found(shown)
  }
  const listed = await unlessHidden(untilWhole(() => readPages(from.list, ({ id }) => id)))
  return listed === undefined ? NO_NAMES : found(listed.entries)
}

/** `undefined` where the service has no such look-up, or not for this token. */
async function unlessHidden<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isStatus(error, 403, 404)) return undefined
    throw error
  }
}
