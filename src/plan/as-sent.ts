import type { InventoryEntry } from '../model/inventory.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import { desiredDigest, holdsLastApplied } from './ownership.ts'
import { isStoredFormOf, type StoredDifferently, withSent } from './stored-text.ts'

/**
 * Readable values that the service stores with less white space at their ends, or other line ends, than the file has. They count as
 * equal if they were sent like that: the inventory has the digest of what was applied last. `always`: without asking it.
 */
export function storedBy(
  observed: ObservedSet,
  desired: ResolvedSet,
  entry: InventoryEntry | undefined,
  always = false,
): readonly StoredDifferently[] {
  if (entry === undefined && !always) return []
  const wanted = new Map(desired.variables.map(variable => [variable.key, variable]))
  const found = observed.variables.flatMap(({ key, value }): StoredDifferently[] => {
    const variable = wanted.get(key)
    if (variable === undefined || !('text' in value && 'text' in variable.value)) return []
    const [sent, held] = [variable.value.text, value.text]
    const { source } = variable
    return isStoredFormOf(sent, held)
      ? [{ setId: observed.id, set: desired.name, key, sent, held, source }]
      : []
  })
  return found.length > 0 && (always || wasSent(observed, desired, entry, found)) ? found : []
}

/** The files are as they were applied, or the service is, but for these values. */
function wasSent(
  observed: ObservedSet,
  desired: ResolvedSet,
  entry: InventoryEntry | undefined,
  found: readonly StoredDifferently[],
): boolean {
  if (entry === undefined || entry.damaged) return false
  return (
    entry.digest === desiredDigest(desired) ||
    withSent([observed], found).some(set => holdsLastApplied(set, entry, desired))
  )
}
