import { compareText } from '../model/diagnostic.ts'
import { isVariableKey, nameOf } from '../model/ids.ts'
import {
  type Fingerprint,
  INVENTORY_PREFIX,
  type Inventory,
  type InventoryEntry,
  type SecretRecord,
} from '../model/inventory.ts'
import type { ObservedSet, ObservedVariable } from '../model/variable-set.ts'
import { isMembers } from './document.ts'
import { isVariableSetId } from './ids.ts'
import { parseJson } from './parse-json.ts'

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
    }))
    .sort((a, b) => compareText(a.owner, b.owner) || compareText(a.id, b.id))
  return { sets: listed.filter(set => !isInventory(set)), inventories }
}

/** Anything in it that is not an entry was put there by hand, and is left alone. */
function entryOf(variable: ObservedVariable): InventoryEntry[] {
  const setId = nameOf(variable.key)
  if (!isVariableSetId(setId) || !variable.key.startsWith('terraform/')) return []
  const base = { setId, variableId: variable.id }
  const value = 'text' in variable.value ? parseJson(variable.value.text) : undefined
  if (!isMembers(value) || typeof value.digest !== 'string' || !isMembers(value.secrets))
    return [{ ...base, digest: '', secrets: {}, damaged: true }]
  const secrets = Object.entries(value.secrets).flatMap(([key, record]) => {
    const read = recordOf(record)
    return isVariableKey(key) && read !== undefined ? [[key, read] as const] : []
  })
  return [{ ...base, digest: value.digest, secrets: Object.fromEntries(secrets), damaged: false }]
}

function recordOf(value: unknown): SecretRecord | undefined {
  if (!isMembers(value) || typeof value.name !== 'string') return undefined
  const { name, version, versionId } = value
  const fingerprint = fingerprintOf(value.fingerprint)
  const seen = fingerprintOf(value.seen)
  return {
    name,
    ...(typeof version === 'string' ? { version } : {}),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(seen === undefined ? {} : { seen }),
    ...(typeof versionId === 'string' ? { versionId } : {}),
  }
}

const fingerprintOf = (value: unknown): Fingerprint | undefined =>
  isMembers(value) && typeof value.keyId === 'string' && typeof value.text === 'string'
    ? { keyId: value.keyId, text: value.text }
    : undefined
