import { isVariableKey, type VariableId, type VariableKey, type VariableSetId } from './ids.ts'
import { toCompactJson } from './json.ts'

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

/** A readable value that the service stores otherwise than it is sent: SHA-256 of both texts, in hex. */
export interface StoredText {
  readonly sent: string
  readonly held: string
}

/** What the value of an entry's variable says. */
export interface EntryContent {
  /** Digest of the desired set that was last applied. */
  readonly digest: string
  readonly secrets: Readonly<Partial<Record<VariableKey, SecretRecord>>>
  /** Readable values that the service stores with other line ends or without their final newline; left out: none. */
  readonly stored?: Readonly<Partial<Record<VariableKey, StoredText>>> | undefined
  /** The owner that listed the set when it was taken over. */
  readonly from?: string | undefined
  /** The project that owned the set when it was applied; left out: the organization did. */
  readonly parent?: string | undefined
}

/** One managed set in an inventory. */
export interface InventoryEntry extends EntryContent {
  readonly setId: VariableSetId
  /** The variable that holds the entry. */
  readonly variableId: VariableId
  /** The text was edited or cut: that the set is managed is known, and nothing else. */
  readonly damaged: boolean
}

/** What one owner manages in an organization, as the service has it. */
export interface Inventory {
  readonly owner: string
  readonly id: VariableSetId
  readonly entries: readonly InventoryEntry[]
  /** As of any set: the service says that this token may not change it. */
  readonly unwritable?: true
}

/** Which inventory lists a set: of several the first by owner. */
export function ownersOf(inventories: readonly Inventory[]): ReadonlyMap<VariableSetId, string> {
  const owners = new Map<VariableSetId, string>()
  for (const { owner, entries } of inventories)
    for (const { setId } of entries) if (!owners.has(setId)) owners.set(setId, owner)
  return owners
}

/** The value of an entry's variable, in an order of members that makes equal entries equal texts. */
export const entryText = ({ digest, secrets, stored, from, parent }: EntryContent): string =>
  toCompactJson({ digest, secrets: { ...secrets }, stored: stored && { ...stored }, from, parent })

/** What a parsed value says; `undefined` where it is not an entry. Members that it does not know are left out. */
export function readEntryContent(value: unknown): EntryContent | undefined {
  if (!isObject(value) || typeof value.digest !== 'string' || !isObject(value.secrets)) return undefined
  const secrets = Object.entries(value.secrets).flatMap(([key, record]) => {
    const read = readRecord(record)
    return isVariableKey(key) && read !== undefined ? [[key, read] as const] : []
  })
  const stored = readStored(value.stored)
  return {
    digest: value.digest,
    secrets: Object.fromEntries(secrets),
    ...(stored.length === 0 ? {} : { stored: Object.fromEntries(stored) }),
    ...(typeof value.from === 'string' ? { from: value.from } : {}),
    ...(typeof value.parent === 'string' ? { parent: value.parent } : {}),
  }
}

const readStored = (value: unknown): [VariableKey, StoredText][] =>
  !isObject(value)
    ? []
    : Object.entries(value).flatMap(([key, record]) =>
        isVariableKey(key) &&
        isObject(record) &&
        typeof record.sent === 'string' &&
        typeof record.held === 'string'
          ? [[key, { sent: record.sent, held: record.held }]]
          : [],
      )

function readRecord(value: unknown): SecretRecord | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined
  const { name, version, versionId } = value
  const fingerprint = readFingerprint(value.fingerprint)
  const seen = readFingerprint(value.seen)
  return {
    name,
    ...(typeof version === 'string' ? { version } : {}),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(seen === undefined ? {} : { seen }),
    ...(typeof versionId === 'string' ? { versionId } : {}),
  }
}

const readFingerprint = (value: unknown): Fingerprint | undefined =>
  isObject(value) && typeof value.keyId === 'string' && typeof value.text === 'string'
    ? { keyId: value.keyId, text: value.text }
    : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
