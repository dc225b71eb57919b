import { nameOf, type VariableKey, type VariableSetId } from '../model/ids.ts'
import type { Fingerprint, InventoryEntry, SecretRecord } from '../model/inventory.ts'
import { matchesPattern, type NamedSet } from '../model/names.ts'
import type { ObservedSet, ObservedVariable, ResolvedSet, SecretRef } from '../model/variable-set.ts'
import { preferred, variablesByKey } from './equality.ts'
import type { Ownership } from './inventory.ts'
import { isReplaced, type Match } from './match.ts'
import type { RewriteReason } from './operation.ts'

/** What a run asks of secrets, and knows of them. */
export interface SecretRequest {
  /** Without it, secrets are not compared with their source. */
  readonly fingerprintOf?: FingerprintOf
  /** Patterns `SET` or `SET/KEY` of secrets to write again. */
  readonly rewrite?: readonly string[]
}

/** What is known of one existing secret. */
export interface SecretNote {
  readonly set: string
  readonly key: VariableKey
  readonly state: SecretState
}

/** The state of each desired secret whose variable exists and is sensitive, by set and key. */
export class SecretStates {
  readonly notes: readonly SecretNote[]
  /** How many fingerprints this run could record, by set. */
  readonly fingerprints: ReadonlyMap<string, number>
  readonly #byPlace: ReadonlyMap<string, SecretState>

  /** Without an owner, no secret is compared. */
  constructor(match: Match, ownership?: Pick<Ownership, 'owner' | 'entries'>, request: SecretRequest = {}) {
    const found = match.pairs.flatMap(pair =>
      pair.observed === undefined || isReplaced(pair)
        ? []
        : notesOf(pair.desired, pair.observed, ownership, request),
    )
    this.notes = found.map(({ recordable: _, ...note }) => note)
    const fingerprints = new Map<string, number>()
    for (const { set, recordable } of found)
      if (recordable) fingerprints.set(set, (fingerprints.get(set) ?? 0) + 1)
    this.fingerprints = fingerprints
    this.#byPlace = new Map(this.notes.map(note => [`${note.set}/${note.key}`, note.state]))
  }

  of(set: string, key: VariableKey): SecretState | undefined {
    return this.#byPlace.get(`${set}/${key}`)
  }
}

interface RecordableNote extends SecretNote {
  readonly recordable: boolean
}

function notesOf(
  desired: ResolvedSet,
  observed: ObservedSet,
  ownership: Pick<Ownership, 'owner' | 'entries'> | undefined,
  { fingerprintOf = () => [], rewrite = [] }: SecretRequest,
): RecordableNote[] {
  if (!desired.variables.some(({ value }) => 'secret' in value)) return []
  const { id: setId } = observed
  const byKey = variablesByKey(observed)
  return desired.variables.flatMap(variable => {
    const { key, value } = variable
    if (!('secret' in value)) return []
    // Of duplicates, only the one that stays.
    const [there] = preferred(byKey.get(key) ?? [], variable)
    if (there === undefined || !('hidden' in there.value)) return []
    const entry = ownership?.entries.get(setId)
    const ref = value.secret
    const inventory = ownership?.owner !== undefined
    const asked = rewrite.some(pattern => asksFor(pattern, { name: desired.name, id: setId }, key))
    const state = secretState({ setId, observed: there, ref, inventory, entry, fingerprintOf, asked })
    const record = state.state === 'write' ? undefined : entry?.secrets[key]
    const made = record === undefined ? [] : fingerprintOf({ setId, key, ref })
    const recordable = record !== undefined && withFingerprint(record, made) !== record
    return [{ set: desired.name, key, state, recordable }]
  })
}

/**
 * `SET` selects every secret of a set, `SET/KEY` and `SET/env/KEY` one. SET is a pattern of names, which may contain slashes,
 * or a whole id.
 */
export function asksFor(pattern: string, { name, id }: NamedSet, key: VariableKey): boolean {
  if (id !== undefined && pattern.startsWith(`${id}/`)) {
    const rest = pattern.slice(id.length + 1)
    return matchesPattern(rest, key) || matchesPattern(rest, nameOf(key))
  }
  return (
    [name, `${name}/${key}`, `${name}/${nameOf(key)}`].some(text => matchesPattern(pattern, text)) ||
    pattern === id
  )
}

/** Why a secret cannot be compared. */
export type NotCompared =
  | 'no-inventory'
  | 'not-recorded'
  | 'damaged'
  | 'no-version-id'
  | 'no-version'
  | 'no-fingerprint'
  /** Written without a key. The source has not changed since its fingerprint was recorded. */
  | 'recorded-later'
  | 'other-key'

/** The name and version of a secret. */
interface SecretReference {
  readonly name: string
  readonly version?: string
}

/** What is known of an existing secret. */
export type SecretState =
  /** `unverified`: the last write has no fingerprint of the current key, so that only the version says so. */
  | { readonly state: 'same'; readonly unverified?: true }
  /** `was`: the reference last written, if it is another one. */
  | { readonly state: 'write'; readonly reason: RewriteReason; readonly was?: SecretReference }
  | { readonly state: 'not-compared'; readonly why: NotCompared }

/** Fingerprints of the value of this run, by the current and the previous key; none without value or key. */
export type FingerprintOf = (place: {
  readonly setId: VariableSetId
  readonly key: VariableKey
  readonly ref: SecretRef
}) => readonly Fingerprint[]

interface SecretEvidence {
  readonly setId: VariableSetId
  readonly observed: ObservedVariable
  readonly ref: SecretRef
  /** Whether there is an inventory at all. */
  readonly inventory: boolean
  readonly entry: InventoryEntry | undefined
  readonly fingerprintOf: FingerprintOf
  readonly asked: boolean
}

/**
 * Asks two questions: does the service still hold what we wrote (by `version-id`), and did we write what the source
 * holds (by version or fingerprint)? Only yes to both is "same".
 */
function secretState(sight: SecretEvidence): SecretState {
  const { entry, observed, ref } = sight
  if (sight.asked) return { state: 'write', reason: 'asked' }
  if (!sight.inventory) return { state: 'not-compared', why: 'no-inventory' }
  if (entry?.damaged) return { state: 'not-compared', why: 'damaged' }
  const record = entry?.secrets[observed.key]
  if (record === undefined) return { state: 'not-compared', why: 'not-recorded' }
  if (record.name !== ref.name || record.version !== ref.version)
    return { state: 'write', reason: 'source-changed', was: { name: record.name, version: record.version } }
  if (
    record.versionId !== undefined &&
    observed.versionId !== undefined &&
    record.versionId !== observed.versionId
  )
    return { state: 'write', reason: 'changed-outside' }
  const source = sourceState(sight, record)
  if (source.state === 'write') return source
  // It was adopted without a write, so its value was never ours.
  if (record.versionId === undefined && observed.versionId !== undefined)
    return { state: 'not-compared', why: 'not-recorded' }
  const isTold = source.state !== 'same' || observed.versionId !== undefined
  return isTold ? source : { state: 'not-compared', why: 'no-version-id' }
}

function sourceState(
  { setId, observed, ref, fingerprintOf }: SecretEvidence,
  record: SecretRecord,
): SecretState {
  const known = record.fingerprint ?? record.seen
  const made = fingerprintOf({ setId, key: observed.key, ref })
  if (known === undefined || made.length === 0) return byVersion(ref, made)
  const match = made.find(({ keyId }) => keyId === known.keyId)
  if (match === undefined) return { state: 'not-compared', why: 'other-key' }
  if (match.text !== known.text) return { state: 'write', reason: 'value-changed' }
  if (record.fingerprint !== undefined) return { state: 'same' }
  if (ref.version !== undefined) return { state: 'same', unverified: true }
  return { state: 'not-compared', why: 'recorded-later' }
}

function byVersion({ version }: SecretRef, made: readonly Fingerprint[]): SecretState {
  if (version === undefined)
    return { state: 'not-compared', why: made.length === 0 ? 'no-version' : 'no-fingerprint' }
  return made.length === 0 ? { state: 'same' } : { state: 'same', unverified: true }
}

/**
 * Adds the fingerprint that this run can record, or returns the record itself. The current source does not prove what
 * was written, so it is kept apart. If a changed key still has its predecessor to prove the value, the new key takes
 * over.
 */
export function withFingerprint(record: SecretRecord, made: readonly Fingerprint[]): SecretRecord {
  const [current] = made
  if (current === undefined) return record
  const known = record.fingerprint ?? record.seen
  if (known === undefined) return { ...record, seen: current }
  const isProven = made.some(one => one.keyId === known.keyId && one.text === known.text)
  if (!isProven || known.keyId === current.keyId) return record
  return record.fingerprint === undefined ? { ...record, seen: current } : { ...record, fingerprint: current }
}
