import { type Checked, compareText } from '../model/diagnostic.ts'
import {
  type ProjectId,
  type StackId,
  TARGET_KINDS,
  type TargetIds,
  type TargetKind,
  type TargetLists,
} from '../model/ids.ts'
import { lazy } from '../model/lists.ts'
import type { Directory, DirectoryEntry } from '../model/variable-set.ts'
import { isStatus, unlessStatus } from './errors.ts'
import { LARGEST_PAGE, mapBounded, readPages, untilConsistent } from './pages.ts'
import type { Reader, TargetEntry } from './reader.ts'

/** Names from the service. Each list is requested once, however often it is needed. */
export interface NameLookup {
  /** Workspaces and projects, and which workspace is in which project. */
  readonly places: () => Promise<Checked<Directory>>
  /** `undefined` if the service has no Stacks, or shows none to this token. */
  readonly stacks: () => Promise<readonly DirectoryEntry<StackId>[] | undefined>
}

/** `projects` gives the names of the projects that Stacks are in. */
export function createNameLookup(
  reader: Reader,
  organization: string,
  projects: Directory['projects'] = [],
): NameLookup {
  return {
    places: lazy(() => readDirectory(reader, organization)),
    stacks: lazy(async () => {
      const stacks = await stacksListed(reader, organization)
      return stacks && named(stacks, projects)
    }),
  }
}

/** As `createNameLookup`, for a run that needs all of it: with Stacks, and the projects of Stacks. */
export function createWholeLookup(reader: Reader, organization: string): NameLookup {
  const places = lazy(() => readDirectory(reader, organization, { stacks: true }))
  return { places, stacks: async () => (await places()).value?.stacks }
}

/**
 * Every workspace and project that the token may see, sorted by name, and the Stacks on request. Takes two requests, more only if there
 * are more than 100 of a kind. The interface does not have these lists (docs/service.md 12.3), so a 404 is a diagnostic. For Stacks it means
 * that there are none.
 */
export async function readDirectory(
  reader: Reader,
  organization: string,
  also: { readonly stacks?: boolean } = {},
): Promise<Checked<Directory>> {
  try {
    const [workspaces, projects, stacks] = await Promise.all([
      listed(reader, 'workspaces', organization),
      listed(reader, 'projects', organization),
      also.stacks === true ? stacksListed(reader, organization) : undefined,
    ])
    return {
      value: {
        workspaces: named(workspaces, projects),
        projects: named(projects, projects),
        ...(stacks && stacks.length > 0 && { stacks: named(stacks, projects) }),
      },
      diagnostics: [],
    }
  } catch (error) {
    if (!isStatus(error, 404)) throw error
    return {
      value: undefined,
      diagnostics: [
        {
          severity: 'error',
          code: 'no-look-up',
          message: `The service does not list the workspaces and projects of "${organization}" for this token.`,
          hint: 'Write ids, or keep names and ids in the directory file.',
        },
      ],
    }
  }
}

const stacksListed = (reader: Reader, organization: string) =>
  unlessHidden(listed(reader, 'stacks', organization))

const listed = async <K extends TargetKind>(
  reader: Reader,
  kind: K,
  organization: string,
): Promise<readonly TargetEntry<TargetIds[K]>[]> => {
  const { entries } = await untilConsistent(() =>
    readPages(
      page => reader.listTargetsPage(kind, organization, page),
      ({ id }): string => id,
    ),
  )
  return entries
}

/** With the names of their projects; sorted by name. */
function named<Id extends string>(
  entries: readonly TargetEntry<Id>[],
  projects: readonly { readonly id: ProjectId; readonly name: string }[],
): readonly DirectoryEntry<Id>[] {
  const nameOf = new Map<ProjectId | undefined, string>(projects.map(({ id, name }) => [id, name]))
  return entries
    .map(({ id, name, project }) => ({
      name,
      id,
      ...(nameOf.has(project) && { project: nameOf.get(project) }),
    }))
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id))
}

/** The names of workspaces, projects and Stacks in the service. */
export interface LiveNames {
  /** Names by id, those of a list beyond the requested ids included. */
  readonly nameOf: ReadonlyMap<string, string>
  /** Ids that were looked up. Those without a name in `nameOf` do not exist for this token. */
  readonly asked: ReadonlySet<string>
  /** Requested kinds that the service does not show. */
  readonly hidden: readonly TargetKind[]
}

/** Nothing was looked up, or the service has no look-ups. */
export const NO_NAMES: LiveNames = { nameOf: new Map(), asked: new Set(), hidden: [] }

/**
 * Names by id with the fewest requests: for each kind one request per id, or the list by hundreds if that is cheaper by the count of the
 * directory. Kinds that `directory` has just got from the service need none. The interface has neither look-up; a service without them
 * gives no names.
 */
export async function readLiveNames(
  reader: Reader,
  organization: string,
  ids: TargetLists,
  directory: Directory,
): Promise<LiveNames> {
  const each = await Promise.all(
    TARGET_KINDS.map(async kind => ({
      kind,
      entries: await entriesOf(reader, organization, kind, ids[kind] ?? [], directory),
    })),
  )
  const shown = each.filter(({ entries }) => entries !== undefined)
  return {
    nameOf: new Map(shown.flatMap(({ entries = [] }) => entries.map(({ id, name }) => [id, name]))),
    asked: new Set(shown.flatMap(({ kind }): readonly string[] => ids[kind] ?? [])),
    hidden: each.filter(({ entries }) => entries === undefined).map(({ kind }) => kind),
  }
}

const AT_ONCE = 8

/** What the service shows of these ids, and perhaps of others. `undefined` if it shows nothing of the kind. */
async function entriesOf<K extends TargetKind>(
  reader: Reader,
  organization: string,
  kind: K,
  ids: readonly TargetIds[K][],
  { [kind]: filed = [], live }: Directory,
): Promise<readonly { readonly id: string; readonly name: string }[] | undefined> {
  if (live?.includes(kind) === true) return filed
  if (ids.length === 0) return []
  const isOurs = (entry: TargetEntry<string>): boolean =>
    entry.organization === undefined || entry.organization.toLowerCase() === organization.toLowerCase()
  if (ids.length < Math.ceil(filed.length / LARGEST_PAGE)) {
    const shown = await unlessHidden(mapBounded(ids, AT_ONCE, id => reader.showTarget(kind, id)))
    // A 404 means either that the id does not exist or that the look-up does not. The list tells the two apart.
    if (shown !== undefined) return shown.filter(isOurs)
  }
  return (await unlessHidden(listed(reader, kind, organization)))?.filter(isOurs)
}

/** `undefined` if the service has no such look-up, or not for this token. */
const unlessHidden = <T>(reading: Promise<T>): Promise<T | undefined> => unlessStatus(reading, 403, 404)
