import { compareText } from '../model/diagnostic.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedSet, ObservedState } from '../model/variable-set.ts'
import { completeSet } from './complete-set.ts'
import type { SetAnswer } from './decode-set.ts'
import { IncompleteListingError, isStatus } from './errors.ts'
import { withoutInventories } from './inventory.ts'
import { MOST_PASSES, mapBounded, readPages, untilWhole } from './pages.ts'
import type { Reader } from './reader.ts'

const SETS_AT_ONCE = 8

export interface ObserveOptions {
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
  const observed = await untilWhole(() => readOnce(reader, organization, signal))
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
    const now = await untilWhole(() => readOnce(reader, observed.organization, signal))
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

export interface ObservedSets {
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
    return await untilWhole(async () => completeSet(reader, await reader.showSet(id, signal), signal))
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
  return await untilWhole(async () => {
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
