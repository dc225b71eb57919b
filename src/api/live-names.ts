import { TARGET_KINDS, type TargetIds, type TargetKind, type TargetLists } from '../model/ids.ts'
import type { Directory } from '../model/variable-set.ts'
import { isStatus } from './errors.ts'
import { LARGEST_PAGE, mapBounded, type ReadPage, readPages, untilWhole } from './pages.ts'
import type { Reader } from './reader.ts'

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

type Found = Pick<LiveNames, 'nameOf' | 'asked'>

const found = (entries: readonly Entry[], ids: readonly string[]): Found => ({
  nameOf: new Map(entries.map(({ id, name }) => [id, name])),
  asked: new Set(ids),
})

interface Entry {
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
  from: { readonly show: (id: Id) => Promise<Entry>; readonly list: ReadPage<Entry> },
): Promise<Found | undefined> {
  if (ids.length === 0) return found([], [])
  const isOurs = (entry: Entry): boolean =>
    entry.organization === undefined || entry.organization.toLowerCase() === organization.toLowerCase()
  if (ids.length < Math.ceil(filed / LARGEST_PAGE)) {
    const shown = await unlessHidden(mapBounded(ids, AT_ONCE, from.show))
    // A 404 may mean that there is no such id as well as no such look-up; the list tells the two apart.
    if (shown !== undefined) return found(shown.filter(isOurs), ids)
  }
  const listed = await unlessHidden(untilWhole(() => readPages(from.list, ({ id }) => id)))
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
