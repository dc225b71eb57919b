import { NO_SETTINGS, SETTING_NAMES, type SetSettings } from './fields.ts'
import { isVariableKey, type VariableId, type VariableKey, type VariableSetId } from './ids.ts'
import { isObject, toCompactJson } from './json.ts'

/** A keyed fingerprint of a secret's text. Useless without the key. */
export interface Fingerprint {
  /** The key that made it. */
  readonly keyId: string
  /** HMAC-SHA-256 over place, reference and text, the first 128 bits in hex. */
  readonly text: string
}

/** What the inventory records of a secret that was written or adopted. */
export interface SecretRecord {
  readonly name: string
  /** Only with the value that it belongs to: after a write. */
  readonly version?: string
  /** Only if a key was configured when the secret was written. */
  readonly fingerprint?: Fingerprint
  /** The `version-id` in the response to the write. */
  readonly versionId?: string
  /** The value was written, and the response had no `version-id`. */
  readonly value?: 'sent'
}

/** What an external variable was when its entry was written. `missing`: the service did not have it. */
export type ExternalState = (typeof EXTERNAL_STATES)[number]
const EXTERNAL_STATES = ['sensitive', 'readable', 'missing'] as const

/** Some of a set's settings. */
export type Unkept = Readonly<Partial<SetSettings>>

/** The value of an entry's variable. */
export interface EntryContent {
  /** Digest of the desired set that was last applied. */
  readonly digest: string
  /** The name of the set. Entries of 0.2 have none. */
  readonly name?: string
  /** The external variables. Entries of 0.2 have none of them. */
  readonly external?: Readonly<Partial<Record<VariableKey, ExternalState>>>
  readonly secrets: Readonly<Partial<Record<VariableKey, SecretRecord>>>
  /** Settings that were sent and that the service does not keep, as it shows them. */
  readonly unkept?: Unkept
  /** The owner that listed the set before it was adopted. */
  readonly from?: string
  /** The project that owned the set when it was applied; absent: the organization. */
  readonly parent?: string
}

/** A managed set in an inventory. */
export interface InventoryEntry extends EntryContent {
  readonly setId: VariableSetId
  /** The variable that holds the entry. */
  readonly variableId: VariableId
  /** The text was edited or cut: nothing is known but that the set is managed. */
  readonly damaged: boolean
}

/** What an owner manages in an organization. */
export interface Inventory {
  readonly owner: string
  readonly id: VariableSetId
  readonly entries: readonly InventoryEntry[]
  /** The service says that this token may not change it. */
  readonly unwritable?: true
  /** ISO 8601, as the service wrote it: an apply records what it wrote after it wrote it. */
  readonly updatedAt?: string
}

/** The owner of each listed set: if several list it, the first by name. */
export function ownersOf(inventories: readonly Inventory[]): ReadonlyMap<VariableSetId, string> {
  const owners = new Map<VariableSetId, string>()
  for (const { owner, entries } of inventories)
    for (const { setId } of entries) if (!owners.has(setId)) owners.set(setId, owner)
  return owners
}

/** The value of an entry's variable. Equal entries give equal texts. */
export const entryText = ({ digest, name, external, secrets, unkept, from, parent }: EntryContent): string =>
  toCompactJson({
    digest,
    name,
    external: external && { ...external },
    secrets: { ...secrets },
    unkept: unkept && { ...unkept },
    from,
    parent,
  })

/** The entry in a parsed value, without unknown members; `undefined` if it is none. */
export function readEntryContent(value: unknown): EntryContent | undefined {
  if (!isObject(value) || typeof value.digest !== 'string' || !isObject(value.secrets)) return undefined
  return {
    digest: value.digest,
    name: textIn(value.name),
    external: isObject(value.external) ? Object.fromEntries(byKey(value.external, readState)) : undefined,
    secrets: Object.fromEntries(byKey(value.secrets, readRecord)),
    unkept: readUnkept(value.unkept),
    from: textIn(value.from),
    parent: textIn(value.parent),
  }
}

function readUnkept(value: unknown): Unkept | undefined {
  if (!isObject(value)) return undefined
  const known = SETTING_NAMES.filter(name => typeof value[name] === typeof NO_SETTINGS[name])
  return known.length === 0 ? undefined : Object.fromEntries(known.map(name => [name, value[name]]))
}

const readState = (value: unknown): ExternalState | undefined =>
  EXTERNAL_STATES.find(state => state === value)

const readRecord = (value: unknown): SecretRecord | undefined =>
  !isObject(value) || typeof value.name !== 'string'
    ? undefined
    : {
        name: value.name,
        version: textIn(value.version),
        fingerprint: strings(value.fingerprint, ['keyId', 'text']),
        versionId: textIn(value.versionId),
        // An entry of 0.2 may say that somebody accepted the value as it was (`kept`).
        value: value.value === 'sent' || value.value === 'kept' ? 'sent' : undefined,
      }

const byKey = <T>(value: unknown, read: (one: unknown) => T | undefined): (readonly [VariableKey, T])[] =>
  Object.entries(isObject(value) ? value : {}).flatMap(([key, one]) => {
    const made = read(one)
    return isVariableKey(key) && made !== undefined ? [[key, made] as const] : []
  })

/** These members of an object, if all of them are strings. */
const strings = <K extends string>(value: unknown, names: readonly K[]): Record<K, string> | undefined =>
  isObject(value) && names.every(name => typeof value[name] === 'string')
    ? (Object.fromEntries(names.map(name => [name, value[name]])) as Record<K, string>)
    : undefined

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
