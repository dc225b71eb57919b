import { compareText } from '../model/diagnostic.ts'
import {
  TARGETS,
  type TargetIds,
  type VariableKey,
  type VariableSetId,
  type WorkspaceId,
} from '../model/ids.ts'
import type { ObservedSet, ObservedState, ObservedVariable } from '../model/variable-set.ts'
import { type SetResponse, withoutInventories } from './decode-set.ts'
import { IncompleteListingError, isStatus, unlessStatus } from './errors.ts'
import {
  InconsistentListError,
  type Listing,
  MOST_PASSES,
  mapBounded,
  type ReadPage,
  readPages,
  readVariables,
  untilConsistent,
} from './pages.ts'
import type { Reader } from './reader.ts'

const SETS_AT_ONCE = 8

/**
 * Every set of the organization, complete. Takes `max(1, pages)` requests, and one more for each set whose variables or assignments did not
 * come with the list. An inconsistent list is read again, up to five times in total. Rejects with `IncompleteListingError`, and with
 * `ApiError` for a 404, which never means "no sets" (docs/fault-model.md F-15).
 */
export const observe = (reader: Reader, organization: string): Promise<ObservedState> =>
  untilConsistent(() => readOnce(reader, organization))

/**
 * Reads the list again until two consecutive passes are equal; `observed` is the first. With several pages, an entry that moves to a page
 * that was read before escapes every other check (docs/fault-model.md F-30). A list of one page needs no request.
 */
export async function proveStable(reader: Reader, observed: ObservedState): Promise<ObservedState> {
  let before = observed
  for (let passes = 2; before.pages > 1; passes++) {
    const now = await untilConsistent(() => readOnce(reader, observed.organization))
    if (sameListing(now, before)) return now
    if (passes >= MOST_PASSES)
      throw new IncompleteListingError('no two consecutive passes were equal', passes)
    before = now
  }
  return before
}

const sameListing = (a: ObservedState, b: ObservedState): boolean =>
  JSON.stringify([a.sets, a.inventories]) === JSON.stringify([b.sets, b.inventories])

async function readOnce(reader: Reader, organization: string): Promise<ObservedState> {
  const { entries, pages } = await readSets(reader, page => reader.listSetsPage(organization, page))
  return { organization, ...withoutInventories(entries), pages }
}

/** One pass over a list of sets. Those that `wanted` leaves are completed. Sorted by name, then by id. */
async function readSets(
  reader: Reader,
  read: ReadPage<SetResponse>,
  wanted: (answers: readonly SetResponse[]) => readonly SetResponse[] = answers => answers,
): Promise<Listing<ObservedSet>> {
  const { entries, pages } = await readPages(read, ({ set }) => set.id)
  const answers = wanted(entries)
  const sets = await mapBounded(answers, SETS_AT_ONCE, answer => completeSet(reader, answer))
  return { entries: sets.sort(byName), pages }
}

interface ObservedSets {
  /** Sorted by name, then id. */
  readonly sets: readonly ObservedSet[]
  /** Sets with a 404: gone, or hidden from this token. */
  readonly absent: readonly VariableSetId[]
}

/** Single sets with one request each, for the closing read if that is cheaper than the list. */
export async function observeSets(reader: Reader, ids: readonly VariableSetId[]): Promise<ObservedSets> {
  const found = await mapBounded(ids, SETS_AT_ONCE, id => observeSet(reader, id))
  return {
    sets: found.filter(set => set !== undefined).sort(byName),
    absent: ids.filter((_, index) => found[index] === undefined),
  }
}

const observeSet = (reader: Reader, id: VariableSetId) =>
  unlessStatus(
    untilConsistent(async () => completeSet(reader, await reader.showSet(id))),
    404,
  )

/**
 * The sets with exactly this name, to check a create whose response was lost (docs/fault-model.md F-20). The search of the service only
 * narrows the list: it matches loosely, and older services do not have it. `forms`: without such a set, those with a name of which it
 * may be a stored form, given all names. Then nothing narrows the list.
 */
export async function findSets(
  reader: Reader,
  organization: string,
  name: string,
  forms?: (names: readonly string[]) => NamePredicate,
): Promise<readonly ObservedSet[]> {
  const named = async (search: string | undefined, isName: (names: readonly string[]) => NamePredicate) => {
    const { entries } = await untilConsistent(() =>
      readSets(
        reader,
        page => reader.listSetsPage(organization, page, search),
        answers => {
          const is = isName(answers.map(({ set }) => set.name))
          return answers.filter(({ set }) => is(set.name))
        },
      ),
    )
    return entries
  }
  const exact = await named(name, () => other => other === name)
  return exact.length > 0 || forms === undefined ? exact : await named(undefined, forms)
}

type NamePredicate = (name: string) => boolean

const byName = (a: ObservedSet, b: ObservedSet): number =>
  compareText(a.name, b.name) || compareText(a.id, b.id)

/**
 * Completes a set with what the response did not have (docs/fault-model.md F-37). Missing variables take one request or more, missing
 * assignments one. Throws an `InconsistentListError` if they stay missing, except for Stacks that the service counts and does not
 * list: these become `others`.
 */
export async function completeSet(reader: Reader, answer: SetResponse): Promise<ObservedSet> {
  const { id } = answer.set
  const included = answer.missing.filter(kind => TARGETS[kind].included === true)
  const shown = answer.missing.length === 0 ? answer : await unlessGone(reader.showSet(id, included))
  if (shown.missing.some(kind => TARGETS[kind].without !== 'kind is unknown'))
    throw new InconsistentListError(
      'the workspaces or projects of a set are not as many as the service counts',
    )
  if (shown.variablesArrived) return shown.set
  const listed = readVariables(page => reader.listVariables(id, page), shown.variableCount)
  return { ...shown.set, ...(await unlessGone(listed)) }
}

/** The list showed the set a moment ago, so a 404 means that the list changed, not that the organization is missing. */
async function unlessGone<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (isStatus(error, 404)) throw new InconsistentListError('a set disappeared while it was read')
    throw error
  }
}

/**
 * Every set that applies to a workspace (endpoint 7) or a project (endpoint 6), according to the service. `undefined` for a 404: the list
 * or the workspace does not exist, or not for this token.
 */
export async function setsOf<K extends 'workspaces' | 'projects'>(
  reader: Reader,
  kind: K,
  organization: string,
  id: TargetIds[K],
): Promise<readonly ObservedSet[] | undefined> {
  const listed = await unlessStatus(
    untilConsistent(() => readSets(reader, page => reader.listSetsOfPage(kind, organization, id, page))),
    404,
  )
  return listed && withoutInventories(listed.entries).sets
}

/** The variables of the workspace itself. `undefined` if the service does not show them. */
export async function ownVariables(
  reader: Reader,
  id: WorkspaceId,
): Promise<ReadonlyMap<VariableKey, ObservedVariable> | undefined> {
  const listed = await unlessStatus(
    untilConsistent(() => readVariables(page => reader.listOwnVariables(id, page))),
    404,
  )
  return listed && new Map(listed.variables.toReversed().map(variable => [variable.key, variable]))
}
