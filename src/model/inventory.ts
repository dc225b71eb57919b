import type { VariableId, VariableKey, VariableSetId } from './ids.ts'

/** A set of this name and an owner holds what that owner manages. Files may not claim such a name. */
export const INVENTORY_PREFIX = 'setpoint-inventory-'

/** A keyed fingerprint of a secret's text. Says nothing to whoever lacks the key. */
export interface Fingerprint {
  /** Which key made it. */
  readonly keyId: string
  /** HMAC-SHA-256 over place, reference and text, the first 128 bits in hex. */
  readonly text: string
}

/** What is remembered of a secret that was written or adopted. */
export interface SecretRecord {
  readonly name: string
  readonly version?: string
  /** Only where a key was there when it was written. */
  readonly fingerprint?: Fingerprint
  /** Of what the source held when a key was there later: a change of it is noticed, and what was written is not proven by it. */
  readonly seen?: Fingerprint
  /** The `version-id` that answered our own write; never one that was merely read. */
  readonly versionId?: string
}

/** One managed set in an inventory. */
export interface InventoryEntry {
  readonly setId: VariableSetId
  /** The variable that holds the entry. */
  readonly variableId: VariableId
  /** Digest of the desired set that was last applied. */
  readonly digest: string
  readonly secrets: Readonly<Partial<Record<VariableKey, SecretRecord>>>
  /** The text was edited or cut: that the set is managed is known, and nothing else. */
  readonly damaged: boolean
}

/** What one owner manages in an organization, as the service has it. */
export interface Inventory {
  readonly owner: string
  readonly id: VariableSetId
  readonly entries: readonly InventoryEntry[]
}

/** Which inventory lists a set: of several the first by owner. */
export function ownersOf(inventories: readonly Inventory[]): ReadonlyMap<VariableSetId, string> {
  const owners = new Map<VariableSetId, string>()
  for (const { owner, entries } of inventories)
    for (const { setId } of entries) if (!owners.has(setId)) owners.set(setId, owner)
  return owners
}
