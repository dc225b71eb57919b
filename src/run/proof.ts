import { findSets, observe, observeSets, proveStable } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { toCompactJson } from '../model/json.ts'
import type { ObservedState } from '../model/variable-set.ts'
import type { Plan } from '../plan/plan.ts'
import type { Prepared } from './prepare.ts'

/**
 * Pages are cut by number, so an item can slide from one to another between two reads and never be seen. Where
 * something is to be deleted or unassigned and there are several pages, two passes in a row have to be equal, and
 * equal to what was planned from; where sets are only created, none of their names may have come to light
 * (docs/fault-model.md F-30). One page is a snapshot by itself and costs nothing here.
 */
export async function listingIsProven(
  reader: Reader,
  { plan, observed }: Prepared,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await hidesNothing(reader, plan, observed, signal))) return false
  if (observed.pages === 1) return true
  const takesAway = plan.steps.some(
    ({ operation: { type } }) => type.startsWith('delete-') || type === 'unassign',
  )
  if (!takesAway) return await namesAreFree(reader, plan, observed, signal)
  const proven = await proveStable(reader, observed, signal)
  return proven === observed || toCompactJson(proven.sets) === toCompactJson(observed.sets)
}

/**
 * A set that our inventory lists and the listing does not show was deleted by somebody, or is hidden, and would be made
 * twice: it is asked for by itself (docs/fault-model.md F-15). Costs nothing where there is none.
 */
async function hidesNothing(
  reader: Reader,
  { steps, owner }: Plan,
  { sets, inventories = [] }: ObservedState,
  signal: AbortSignal,
): Promise<boolean> {
  if (!steps.some(({ operation }) => operation.type === 'create-set')) return true
  const shown = new Set(sets.map(({ id }) => id))
  const listed = inventories.filter(inventory => inventory.owner === owner)
  const missing = listed
    .flatMap(({ entries }) => entries.map(({ setId }) => setId))
    .filter(id => !shown.has(id))
  return (await observeSets(reader, missing, signal)).sets.length === 0
}

/** The cheaper of one look-up a name and the whole list. A name may still be held by a set that was planned with. */
async function namesAreFree(
  reader: Reader,
  { organization, steps }: Plan,
  observed: ObservedState,
  signal: AbortSignal,
): Promise<boolean> {
  const names = new Set(
    steps.flatMap(({ operation }) => (operation.type === 'create-set' ? [operation.after.name] : [])),
  )
  if (names.size === 0) return true
  const found =
    names.size < observed.pages
      ? await Promise.all([...names].map(name => findSets(reader, organization, name, signal)))
      : [(await observe(reader, organization, { signal })).sets]
  const known = new Set(observed.sets.map(({ id }) => id))
  return !found.flat().some(({ id, name }) => names.has(name) && !known.has(id))
}
