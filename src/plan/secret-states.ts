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
  /** The variables of the secrets that this run has sent, as the responses show them. By `keyOfSecret`. */
  readonly sent?: ReadonlyMap<string, ObservedVariable | undefined>
}

/** Identifies a secret in a run. */
export const keyOfSecret = (set: string, key: VariableKey): string => `${set}/${key}`

/** What is known of one existing secret. */
export interface SecretNote {
  readonly set: string
  readonly key: VariableKey
  readonly state: SecretState
}

/** The state of each desired secret whose variable exists and is sensitive, by set and key. */
export class SecretStates {
  readonly notes: readonly SecretNote[]
  readonly #byPlace: ReadonlyMap<string, SecretState>

  /** Without an owner, no secret is compared. */
  constructor(
    match: Match,
    ownership?: Pick<Ownership, 'owner' | 'recordedOf'>,
    request: SecretRequest = {},
  ) {
    this.notes = match.pairs.flatMap(pair =>
      pair.observed === undefined ? [] : notesOf(pair, pair.observed, ownership, request),
    )
    this.#byPlace = new Map(this.notes.map(note => [keyOfSecret(note.set, note.key), note.state]))
  }

  of(set: string, key: VariableKey): SecretState | undefined {
    return this.#byPlace.get(keyOfSecret(set, key))
  }
}

function notesOf(
  pair: Pair,
  observed: ObservedSet,
  ownership: Pick<Ownership, 'owner' | 'recordedOf'> | undefined,
  { fingerprintOf = () => undefined, rewrite = [], sent }: SecretRequest,
): SecretNote[] {
  const { desired } = pair
  if (!desired.variables.some(({ value }) => 'secret' in value)) return []
  const { id: setId } = observed
  const { name: set } = desired
  const entry = ownership?.recordedOf(observed)
  // Computed once a set, and only if a secret has no record.
  let isChanged: boolean | undefined
  const isFileChanged = (): boolean => {
    isChanged ??= entry?.digest !== desiredDigest(declaredIn(pair))
    return isChanged
  }
  return variablePairs(pair).flatMap(({ desired: { key, value }, observed: there }) => {
    if (!('secret' in value) || there === undefined || !('hidden' in there.value)) return []
    const ref = value.secret
    const state = secretState({
      setId,
      observed: there,
      ref,
      inventory: ownership?.owner !== undefined,
      entry: entry?.damaged === true ? undefined : entry,
      isFileChanged,
      fingerprintOf,
      asked: rewrite.some(pattern => asksFor(pattern, { name: set, id: setId }, key)),
      isSent: isSentAs(there, sent, keyOfSecret(set, key)),
    })
    return [{ set, key, state }]
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
  | { readonly state: 'same' }
  /** `was`: the reference last written, if it is another one. */
  | { readonly state: 'write'; readonly reason: RewriteReason; readonly was?: SecretReference }
  | { readonly state: 'not-compared'; readonly why: NotCompared }

/** The fingerprint of the value of this run; none without value or key. */
export type FingerprintOf = (place: {
  readonly setId: VariableSetId
  readonly key: VariableKey
  readonly ref: SecretRef
}) => Fingerprint | undefined

interface SecretEvidence {
  readonly setId: VariableSetId
  readonly observed: ObservedVariable
  readonly ref: SecretRef
  /** Whether there is an inventory at all. */
  readonly inventory: boolean
  /** What an inventory recorded of the set, unless it is damaged. */
  readonly entry: InventoryEntry | undefined
  /** Whether the declaration of the set is another than the one last applied, as far as the inventory tells. */
  readonly isFileChanged: () => boolean
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
  const record = entry?.secrets[observed.key]
  if (record !== undefined) return recordedState(sight, record)
  if (takesCharge(sight)) return { state: 'write', reason: 'taken-charge' }
  return { state: 'not-compared', why: inventory ? 'not-recorded' : 'no-inventory' }
}

function recordedState(sight: SecretEvidence, record: SecretRecord): SecretState {
  const { ref, observed } = sight
  const [ours, live] = [record.versionId, observed.versionId]
  if (record.name !== ref.name || record.version !== ref.version)
    return { state: 'write', reason: 'source-changed', was: { name: record.name, version: record.version } }
  if (ours !== undefined && live !== undefined && ours !== live)
    return { state: 'write', reason: 'changed-outside' }
  // Only the reference is known: its value was never ours.
  if (ours === undefined && record.value === undefined) return { state: 'not-compared', why: 'not-recorded' }
  const made = record.fingerprint && sight.fingerprintOf({ setId: sight.setId, key: observed.key, ref })
  const isComparable = made !== undefined && made.keyId === record.fingerprint?.keyId
  if (isComparable && made.text !== record.fingerprint?.text)
    return { state: 'write', reason: 'value-changed' }
  if (!isComparable && ref.version === undefined) return { state: 'not-compared', why: 'no-version' }
  return ours !== undefined && live !== undefined
    ? { state: 'same' }
    : { state: 'not-compared', why: 'no-version-id' }
}

/**
 * Whether the value of a secret that has no record is sent:
 *
 * | the entry of its set | the value is sent |
 * |-|-|
 * | says that the variable was external | always |
 * | says what was external, and not this variable | if the file gives a version and has changed since |
 * | is of 0.2, or was too long, and does not say what was external | if the file has changed since |
 * | is missing, and there is an inventory | if the file gives a version |
 * | is missing, and there is no inventory | never |
 */
function takesCharge({ entry, inventory, observed: { key }, ref, isFileChanged }: SecretEvidence): boolean {
  if (entry?.external?.[key] !== undefined) return true
  const mayBeNew = entry === undefined ? inventory : isFileChanged()
  return mayBeNew && (ref.version !== undefined || (entry !== undefined && entry.external === undefined))
}
