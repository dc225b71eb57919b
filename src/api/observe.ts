import { compareText } from '../model/diagnostic.ts'
import {
  type ProjectId,
  TARGETS,
  type VariableKey,
  type VariableSetId,
  type WorkspaceId,
} from '../model/ids.ts'
import type { ObservedSet, ObservedState, ObservedVariable } from '../model/variable-set.ts'
import { type SetAnswer, withoutInventories } from './decode-set.ts'
import { IncompleteListingError, isStatus } from './errors.ts'
import {
  InconsistentListError,
  MOST_PASSES,
  mapBounded,
  type ReadPage,
  readPages,
  readVariables,
  untilConsistent,
} from './pages.ts'
import type { Reader } from './reader.ts'

const SETS_AT_ONCE = 8

interface ObserveOptions {
  readonly signal?: AbortSignal
  /** Prove that nothing slid from page to page: see `proveStable`. Needed before anything is deleted or unassigned. */
  readonly stable?: boolean
}

/**
 * Every set of the organization, whole: `max(1, pages)` requests, and one more for each set whose variables or assignments
 * did not come with the list. A list that contradicts itself is read again, up to five passes in all.
 * Rejects with `IncompleteListingError`, and with `ApiError` for a 404, which is never read as "no sets" (docs/fault-model.md F-15).
 */
export async function observe(
  reader: Reader,
  organization: string,
  { signal, stable = false }: ObserveOptions = {},
): Promise<ObservedState> {
  const observed = await untilConsistent(() => readOnce(reader, organization, signal))
  return stable ? proveStable(reader, observed, signal) : observed
}

/**
 * Reads the list again until two passes in a row are equal, `observed` being the first: with several pages an entry that
 * slides to a page that was read already is missed by every other check (docs/fault-model.md F-30). Costs nothing for one page.
 */
export async function proveStable(
  reader: Reader,
  observed: ObservedState,
  signal?: AbortSignal,
): Promise<ObservedState> {
  let before = observed
  for (let passes = 2; before.pages > 1; passes++) {
    const now = await untilConsistent(() => readOnce(reader, observed.organization, signal))
    if (sameListing(now, before)) return now
    if (passes >= MOST_PASSES)
      throw new IncompleteListingError('no two passes in a row showed the same', passes)
    before = now
  }
  return before
}

const sameListing = (a: ObservedState, b: ObservedState): boolean =>
  JSON.stringify([a.sets, a.inventories]) === JSON.stringify([b.sets, b.inventories])

async function readOnce(
  reader: Reader,
  organization: string,
  signal: AbortSignal | undefined,
): Promise<ObservedState> {
  const { entries, pages } = await readPages(
    page => reader.listSetsPage(organization, page, {}, signal),
    idOfAnswer,
  )
  const listed = await mapBounded(entries, SETS_AT_ONCE, answer => completeSet(reader, answer, signal))
  return { organization, ...withoutInventories(listed.sort(byName)), pages }
}

interface ObservedSets {
  /** Sorted by name, then id. */
  readonly sets: readonly ObservedSet[]
  /** Answered with 404: gone, or hidden from this token. */
  readonly absent: readonly VariableSetId[]
}

/** Single sets, one request each: the closing read where that is cheaper than the list. */
export async function observeSets(
  reader: Reader,
  ids: readonly VariableSetId[],
  signal?: AbortSignal,
): Promise<ObservedSets> {
  const found = await mapBounded(ids, SETS_AT_ONCE, id => observeSet(reader, id, signal))
  return {
    sets: found.filter(set => set !== undefined).sort(byName),
    absent: ids.filter((_, index) => found[index] === undefined),
  }
}

async function observeSet(
  reader: Reader,
  id: VariableSetId,
  signal: AbortSignal | undefined,
): Promise<ObservedSet | undefined> {
  try {
    return await untilConsistent(async () => completeSet(reader, await reader.showSet(id, signal), signal))
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

/**
 * The sets of exactly this name, for a look after a create whose answer was lost (docs/fault-model.md F-20). The service's search
 * only narrows the list: it matches loosely, and older services do not know it.
 */
export async function findSets(
  reader: Reader,
  organization: string,
  name: string,
  signal?: AbortSignal,
): Promise<ObservedSet[]> {
  return await untilConsistent(async () => {
    const { entries } = await readPages(
      page => reader.listSetsPage(organization, page, { search: name }, signal),
      idOfAnswer,
    )
    const named = entries.filter(({ set }) => set.name === name)
    const sets = await mapBounded(named, SETS_AT_ONCE, answer => completeSet(reader, answer, signal))
    return sets.sort(byName)
  })
}

const idOfAnswer = ({ set }: SetAnswer): string => set.id

const byName = (a: ObservedSet, b: ObservedSet): number =>
  compareText(a.name, b.name) || compareText(a.id, b.id)

/**
 * The whole set: asks for what an answer did not carry (docs/fault-model.md F-37). Without a gap this costs no request; one or
 * more where the variables are missing, and one more where the assignments are. Throws a `InconsistentListError` where they stay missing;
 * Stacks that the service counts and does not list are `others` then.
 */
export async function completeSet(
  reader: Reader,
  answer: SetAnswer,
  signal?: AbortSignal,
): Promise<ObservedSet> {
  const { id } = answer.set
  const included = answer.missing.filter(kind => TARGETS[kind].included === true)
  const shown = answer.missing.length === 0 ? answer : await unlessGone(reader.showSet(id, signal, included))
  if (shown.missing.some(kind => TARGETS[kind].without !== 'kind is unknown'))
    throw new InconsistentListError('the service counts other workspaces or projects of a set than it lists')
  if (shown.variablesArrived) return shown.set
  const listed = readVariables(page => reader.listVariables(id, page, signal), shown.variableCount)
  return { ...shown.set, ...(await unlessGone(listed)) }
}

/** A set that was shown a moment ago: a 404 means that the list moved on, not that the organization is not there. */
async function unlessGone<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (isStatus(error, 404)) throw new InconsistentListError('a set went away while it was read')
    throw error
  }
}

const SET_READS_AT_ONCE = 8

/**
 * Every set that the service itself says comes to a workspace (interface, endpoint 7); `undefined` for a 404: it has no
 * such list, no such workspace, or does not show it to this token.
 */
export const setsOfWorkspace = (
  reader: Reader,
  organization: string,
  id: WorkspaceId,
  signal?: AbortSignal,
): Promise<readonly ObservedSet[] | undefined> =>
  allSets(reader, page => reader.listSetsOfWorkspacePage(organization, id, page, signal), signal)

/** The same for a project (endpoint 6). */
export const setsOfProject = (
  reader: Reader,
  organization: string,
  id: ProjectId,
  signal?: AbortSignal,
): Promise<readonly ObservedSet[] | undefined> =>
  allSets(reader, page => reader.listSetsOfProjectPage(organization, id, page, signal), signal)

async function allSets(
  reader: Reader,
  read: ReadPage<SetAnswer>,
  signal: AbortSignal | undefined,
): Promise<readonly ObservedSet[] | undefined> {
  try {
    return await untilConsistent(async () => {
      const { entries } = await readPages(read, ({ set }) => set.id)
      const sets = await mapBounded(entries, SET_READS_AT_ONCE, answer => completeSet(reader, answer, signal))
      return withoutInventories(sets).sets
    })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

/** The variables a workspace has by itself; `undefined` where the service does not show them. */
export async function ownVariables(
  reader: Reader,
  id: WorkspaceId,
  signal?: AbortSignal,
): Promise<ReadonlyMap<VariableKey, ObservedVariable> | undefined> {
  try {
    const { variables } = await untilConsistent(() =>
      readVariables(page => reader.listOwnVariables(id, page, signal)),
    )
    return new Map(variables.toReversed().map(variable => [variable.key, variable]))
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
