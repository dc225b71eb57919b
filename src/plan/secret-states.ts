import { nameOf, type VariableKey, type VariableSetId } from '../model/ids.ts'
import type { Fingerprint, InventoryEntry, SecretRecord } from '../model/inventory.ts'
import { matchesPattern, type NamedSet } from '../model/names.ts'
import type { ObservedSet, ObservedVariable, SecretRef } from '../model/variable-set.ts'
import { variablePairs } from './equality.ts'
import { declaredIn, type Match, type Pair } from './match.ts'
import type { RewriteReason } from './operation.ts'
import { desiredDigest, type Ownership } from './ownership.ts'

/** What a run asks of secrets, and knows of them. */
export interface SecretRequest {
  /** Without it, secrets are not compared with their source. */
  readonly fingerprintOf?: FingerprintOf
  /** Patterns `SET` or `SET/KEY` of secrets to write again. */
  readonly rewrite?: readonly string[]
  /** Whether the value was set elsewhere before this change of the files, as far as anybody told. */
  readonly wasExternal?: (set: VariableSetId, key: VariableKey) => boolean
  /** The variables of the secrets that this run has sent, as the responses show them. By `placeOfSecret`. */
  readonly sent?: ReadonlyMap<string, ObservedVariable | undefined>
}

/** Identifies a secret in a run. */
export const placeOfSecret = (set: string, key: VariableKey): string => `${set}/${key}`

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
  constructor(
    match: Match,
    ownership?: Pick<Ownership, 'owner' | 'recordedOf'>,
    request: SecretRequest = {},
  ) {
    const found = match.pairs.flatMap(pair =>
      pair.observed === undefined ? [] : notesOf(pair, pair.observed, ownership, request),
    )
    this.notes = found.map(({ recordable: _, ...note }) => note)
    const fingerprints = new Map<string, number>()
    for (const { set, recordable } of found)
      if (recordable) fingerprints.set(set, (fingerprints.get(set) ?? 0) + 1)
    this.fingerprints = fingerprints
    this.#byPlace = new Map(this.notes.map(note => [placeOfSecret(note.set, note.key), note.state]))
  }

  of(set: string, key: VariableKey): SecretState | undefined {
    return this.#byPlace.get(placeOfSecret(set, key))
  }
}

interface FoundNote extends SecretNote {
  readonly recordable: boolean
}

function notesOf(
  pair: Pair,
  observed: ObservedSet,
  ownership: Pick<Ownership, 'owner' | 'recordedOf'> | undefined,
  { fingerprintOf = () => [], rewrite = [], wasExternal = () => false, sent }: SecretRequest,
): FoundNote[] {
  const { desired } = pair
  if (!desired.variables.some(({ value }) => 'secret' in value)) return []
  const { id: setId } = observed
  const { name: set } = desired
  const entry = ownership?.recordedOf(observed)
  // Computed once a set, and only if a secret has no record.
  let isChanged: boolean | undefined
  const isFileChanged = (): boolean => {
    isChanged ??= entry === undefined || entry.damaged || entry.digest !== desiredDigest(declaredIn(pair))
    return isChanged
  }
  return variablePairs(pair).flatMap(({ desired: { key, value }, observed: there }) => {
    if (!('secret' in value) || there === undefined || !('hidden' in there.value)) return []
    const ref = value.secret
    const asks = (pattern: string): boolean => asksFor(pattern, { name: set, id: setId }, key)
    const state = secretState({
      setId,
      observed: there,
      ref,
      inventory: ownership?.owner !== undefined,
      entry,
      isFileChanged,
      wasExternal: wasExternal(setId, key),
      fingerprintOf,
      asked: rewrite.some(asks),
      isSent: isSentAs(there, sent, placeOfSecret(set, key)),
    })
    const record = state.state === 'write' ? undefined : entry?.secrets[key]
    const made = record === undefined ? [] : fingerprintOf({ setId, key, ref })
    const recordable = record !== undefined && withFingerprint(record, made) !== record
    return [{ set, key, state, recordable }]
  })
}

/** Whether this run has sent the secret and nobody has written it since. */
function isSentAs(there: ObservedVariable, sent: SecretRequest['sent'], place: string): boolean {
  if (sent?.has(place) !== true) return false
  const versionId = sent.get(place)?.versionId
  return versionId === undefined || there.versionId === undefined || versionId === there.versionId
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
  /** No write of ours is recorded, or the record is damaged. */
  | 'not-recorded'
  | 'no-version-id'
  /** The file has no version, and no fingerprint of the last write is by a key of this run. */
  | 'no-version'

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
  /** Whether the declaration of the set is another than the one last applied, as far as the inventory tells. */
  readonly isFileChanged: () => boolean
  readonly wasExternal: boolean
  readonly fingerprintOf: FingerprintOf
  readonly asked: boolean
  readonly isSent: boolean
}

/**
 * Asks two questions: does the service still hold what we wrote (by `version-id`), and did we write what the source
 * holds (by version or fingerprint)? Only yes to both is "same".
 */
function secretState(sight: SecretEvidence): SecretState {
  const { entry, observed, inventory } = sight
  if (sight.asked) return { state: 'write', reason: 'asked' }
  if (sight.isSent) return { state: 'same' }
  const usable = inventory && entry?.damaged !== true ? entry : undefined
  const record = usable?.secrets[observed.key]
  if (record !== undefined) return recordedState(sight, record)
  if (takesCharge(sight, usable)) return { state: 'write', reason: 'taken-charge' }
  return { state: 'not-compared', why: inventory ? 'not-recorded' : 'no-inventory' }
}

function recordedState(sight: SecretEvidence, record: SecretRecord): SecretState {
  const { ref, wasExternal } = sight
  const ours = record.versionId
  const live = sight.observed.versionId
  if (record.name !== ref.name || record.version !== ref.version)
    return { state: 'write', reason: 'source-changed', was: { name: record.name, version: record.version } }
  if (ours !== undefined && live !== undefined && ours !== live)
    return { state: 'write', reason: 'changed-outside' }
  if (ours === undefined && record.value === undefined) {
    // Adopted without a write, so its value was never ours. Without version ids, old entries do not tell.
    if (live !== undefined) return adoptedState(sight, record)
    if (wasExternal) return { state: 'write', reason: 'taken-charge' }
  }
  const source = sourceState(sight, record)
  const isVersionKnown = ours !== undefined && live !== undefined
  return source.state !== 'same' || isVersionKnown ? source : { state: 'not-compared', why: 'no-version-id' }
}

/** Of a secret whose value was never written by us. */
function adoptedState(sight: SecretEvidence, record: SecretRecord): SecretState {
  if (sight.ref.version !== undefined || sight.wasExternal) return { state: 'write', reason: 'taken-charge' }
  const source = sourceState(sight, record)
  return source.state === 'write' ? source : { state: 'not-compared', why: 'not-recorded' }
}

/**
 * Whether a secret without a record is newly in the charge of the file, so that its value has to be sent: the value of the
 * service was set elsewhere. An entry without a record shows it, if the file has changed since (an entry that became too long
 * has no records at all). Of a set that the inventory does not list, only a version asks for a known value, or the base shows
 * that it was external.
 */
const takesCharge = (sight: SecretEvidence, entry: InventoryEntry | undefined): boolean =>
  entry === undefined
    ? sight.wasExternal || (sight.inventory && sight.ref.version !== undefined)
    : sight.isFileChanged()

function sourceState(
  { setId, observed, ref, fingerprintOf }: SecretEvidence,
  record: SecretRecord,
): SecretState {
  const known = record.fingerprint ?? record.seen
  const made = fingerprintOf({ setId, key: observed.key, ref })
  const match = made.find(({ keyId }) => keyId === known?.keyId)
  if (known === undefined || match === undefined) return byVersion(ref, made)
  if (match.text !== known.text) return { state: 'write', reason: 'value-changed' }
  // Recorded after the write, it only shows that the source has not changed since.
  return record.fingerprint === undefined ? byVersion(ref, made) : { state: 'same' }
}

function byVersion({ version }: SecretRef, made: readonly Fingerprint[]): SecretState {
  if (version === undefined) return { state: 'not-compared', why: 'no-version' }
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
