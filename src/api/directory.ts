import { type Checked, compareText } from '../model/diagnostic.ts'
import {
  type ProjectId,
  type StackId,
  TARGET_KINDS,
  type TargetIds,
  type TargetKind,
  type TargetLists,
} from '../model/ids.ts'
import type { Directory, DirectoryEntry } from '../model/variable-set.ts'
import { isStatus } from './errors.ts'
import { LARGEST_PAGE, mapBounded, type ReadPage, readPages, untilConsistent } from './pages.ts'
import type { Reader, TargetEntry } from './reader.ts'

/** Asks the service for names, and for each list once, however often somebody needs it. */
export interface NameLookup {
  /** Workspaces and projects: which there are, and which is in which. */
  readonly places: () => Promise<Checked<Directory>>
  /** `undefined` where the service has no Stacks, or shows none to this token. */
  readonly stacks: () => Promise<readonly DirectoryEntry<StackId>[] | undefined>
}

/** `projects`: those whose names are known, for Stacks that are in them. */
export function createNameLookup(
  reader: Reader,
  organization: string,
  signal?: AbortSignal,
  projects: Directory['projects'] = [],
): NameLookup {
  return {
    places: once(() => readDirectory(reader, organization, signal)),
    stacks: once(() => readStacks(reader, organization, signal, projects)),
  }
}

/** The promise of the first call. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}

/**
 * Every workspace and project that the token may see, sorted by name: two requests, more only with more than 100 of a kind;
 * and the Stacks, where they are asked for. The interface does not have these lists (docs/service.md 12.3), so a 404 is
 * something the user can act on; of Stacks it says that there are none.
 */
export async function readDirectory(
  reader: Reader,
  organization: string,
  signal?: AbortSignal,
  also: { readonly stacks?: boolean } = {},
): Promise<Checked<Directory>> {
  try {
    const [workspaces, projects, stacks] = await Promise.all([
      listed(reader, 'workspaces', organization, signal),
      listed(reader, 'projects', organization, signal),
      also.stacks === true ? stacksListed(reader, organization, signal) : undefined,
    ])
    const nameOf = new Map<ProjectId, string>(projects.map(({ id, name }) => [id, name]))
    return {
      value: {
        workspaces: named(workspaces, nameOf),
        projects: named(projects, nameOf),
        ...(stacks === undefined || stacks.length === 0 ? {} : { stacks: named(stacks, nameOf) }),
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
          message: `the service does not list the workspaces and projects of "${organization}" to this token`,
          hint: 'write ids, or keep their names and ids in the directory file',
        },
      ],
    }
  }
}

/** The Stacks alone; `undefined` where the service has none, or shows none to this token. */
async function readStacks(
  reader: Reader,
  organization: string,
  signal: AbortSignal | undefined,
  projects: Directory['projects'],
): Promise<readonly DirectoryEntry<StackId>[] | undefined> {
  const stacks = await stacksListed(reader, organization, signal)
  return stacks && named(stacks, new Map(projects.map(({ id, name }) => [id, name])))
}

async function stacksListed(
  reader: Reader,
  organization: string,
  signal: AbortSignal | undefined,
): Promise<readonly TargetEntry<StackId>[] | undefined> {
  try {
    return await listed(reader, 'stacks', organization, signal)
  } catch (error) {
    if (isStatus(error, 403, 404)) return undefined
    throw error
  }
}

const listed = async <K extends TargetKind>(
  reader: Reader,
  kind: K,
  organization: string,
  signal: AbortSignal | undefined,
): Promise<readonly TargetEntry<TargetIds[K]>[]> => {
  const { entries } = await untilConsistent(() =>
    readPages(
      page => reader.listTargetsPage(kind, organization, page, signal),
      ({ id }): string => id,
    ),
  )
  return entries
}

const named = <Id extends string>(
  entries: readonly TargetEntry<Id>[],
  nameOf: ReadonlyMap<ProjectId, string>,
): readonly DirectoryEntry<Id>[] =>
  entries
    .map(({ id, name, project }) => {
      const projectName = project === undefined ? undefined : nameOf.get(project)
      return { name, id, ...(projectName === undefined ? {} : { project: projectName }) }
    })
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id))

/** What the service itself calls workspaces, projects and Stacks. */
export interface LiveNames {
  /** By id: those that were asked for, and whatever else a list showed. */
  readonly nameOf: ReadonlyMap<string, string>
  /** Ids whose question was answered. One that `nameOf` does not have is not there for this token. */
  readonly asked: ReadonlySet<string>
  /** Kinds that were asked for and that the service does not show. */
  readonly hidden: readonly TargetKind[]
}

/** Nothing was asked, or the service does not say. */
export const NO_NAMES: LiveNames = { nameOf: new Map(), asked: new Set(), hidden: [] }

/**
 * Names by id, in the fewest requests: for each kind one an id, or the list by hundreds where that is cheaper by the
 * count of the directory; none of a kind that `directory` has from the service just now. The interface has neither, and a
 * service without them says nothing.
 */
export async function readLiveNames(
  reader: Reader,
  organization: string,
  ids: TargetLists,
  directory: Directory,
  signal?: AbortSignal,
): Promise<LiveNames> {
  const ofKind = async <K extends TargetKind>(kind: K): Promise<LiveNames> => {
    const wanted = ids[kind] ?? []
    const named = directory[kind] ?? []
    if (directory.live?.includes(kind) === true) return { ...found(named, wanted), hidden: [] }
    const answer = await namesOf<TargetIds[K]>(wanted, named.length, organization, {
      show: id => reader.showTarget(kind, id, signal),
      list: page => reader.listTargetsPage(kind, organization, page, signal),
    })
    return answer === undefined ? { ...NO_NAMES, hidden: [kind] } : { ...answer, hidden: [] }
  }
  const each = await Promise.all(TARGET_KINDS.map(ofKind))
  return {
    nameOf: new Map(each.flatMap(({ nameOf }) => [...nameOf])),
    asked: new Set(each.flatMap(({ asked }) => [...asked])),
    hidden: each.flatMap(({ hidden }) => hidden),
  }
}

type FoundNames = Pick<LiveNames, 'nameOf' | 'asked'>

const found = (entries: readonly NamedTarget[], ids: readonly string[]): FoundNames => ({
  nameOf: new Map(entries.map(({ id, name }) => [id, name])),
  asked: new Set(ids),
})

interface NamedTarget {
  readonly id: string
  readonly name: string
  readonly organization?: string
}

const AT_ONCE = 8

/** `undefined` where the service shows none of them. */
async function namesOf<Id extends string>(
  ids: readonly Id[],
  filed: number,
  organization: string,
  from: { readonly show: (id: Id) => Promise<NamedTarget>; readonly list: ReadPage<NamedTarget> },
): Promise<FoundNames | undefined> {
  if (ids.length === 0) return found([], [])
  const isOurs = (entry: NamedTarget): boolean =>
    entry.organization === undefined || entry.organization.toLowerCase() === organization.toLowerCase()
  if (ids.length < Math.ceil(filed / LARGEST_PAGE)) {
    const shown = await unlessHidden(mapBounded(ids, AT_ONCE, from.show))
    // A 404 may mean that there is no such id as well as no such look-up; the list tells the two apart.
    if (shown !== undefined) return found(shown.filter(isOurs), ids)
  }
  const listed = await unlessHidden(untilConsistent(() => readPages(from.list, ({ id }) => id)))
  return listed === undefined ? undefined : found(listed.entries.filter(isOurs), ids)
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
