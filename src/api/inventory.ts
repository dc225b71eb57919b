import { compareText } from '../model/diagnostic.ts'
import { isVariableSetId, nameOf } from '../model/ids.ts'
import {
  INVENTORY_PREFIX,
  type Inventory,
  type InventoryEntry,
  readEntryContent,
} from '../model/inventory.ts'
import { parseJson } from '../model/parse-json.ts'
import type { ObservedSet, ObservedVariable } from '../model/variable-set.ts'

/** Takes the inventories out of a listing: they are no sets to anybody after the decoder (docs/inventory.md). */
export function withoutInventories(listed: readonly ObservedSet[]): {
  readonly sets: readonly ObservedSet[]
  readonly inventories: readonly Inventory[]
} {
  const isInventory = (set: ObservedSet): boolean =>
    set.parent === undefined && set.name.startsWith(INVENTORY_PREFIX)
  const inventories = listed
    .filter(isInventory)
    .map(set => ({
      owner: set.name.slice(INVENTORY_PREFIX.length),
      id: set.id,
      entries: set.variables.flatMap(entryOf),
      ...(set.unwritable === true ? { unwritable: set.unwritable } : {}),
    }))
    .sort((a, b) => compareText(a.owner, b.owner) || compareText(a.id, b.id))
  return { sets: listed.filter(set => !isInventory(set)), inventories }
}

/** Anything in it that is not an entry was put there by hand, and is left alone. */
function entryOf(variable: ObservedVariable): InventoryEntry[] {
  const setId = nameOf(variable.key)
  if (!isVariableSetId(setId) || !variable.key.startsWith('terraform/')) return []
  const base = { setId, variableId: variable.id }
  const content = 'text' in variable.value ? readEntryContent(parseJson(variable.value.text)) : undefined
  return [
    content === undefined
      ? { ...base, digest: '', secrets: {}, damaged: true }
      : { ...base, ...content, damaged: false },
  ]
}
