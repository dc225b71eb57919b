import { proveStable } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { toCompactJson } from '../model/json.ts'
import type { Prepared } from './prepare.ts'

/**
 * Pages are cut by number, so an item can slide from one to another between two reads and never be seen. Where
 * something is to be deleted or unassigned and there are several pages, two passes in a row have to be equal, and
 * equal to what was planned from (fault-model F-30). One page is a snapshot by itself and costs nothing here.
 */
export async function listingIsProven(
  reader: Reader,
  { plan, observed }: Prepared,
  signal: AbortSignal,
): Promise<boolean> {
  const takesAway = plan.steps.some(
    ({ operation: { type } }) => type.startsWith('delete-') || type === 'unassign',
  )
  if (!takesAway || observed.pages === 1) return true
  const proven = await proveStable(reader, observed, signal)
  return proven === observed || toCompactJson(proven.sets) === toCompactJson(observed.sets)
}
