import type { VariableKey, VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import { matchesPattern } from '../model/names.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import { preferred, variablesByKey } from './doubles.ts'
import { isReplaced, type Match } from './match.ts'
import { type FingerprintOf, type SecretState, secretState, withFingerprint } from './secret-state.ts'

export interface SecretContext {
  readonly inventory: boolean
  readonly entries: ReadonlyMap<VariableSetId, InventoryEntry>
  readonly fingerprintOf: FingerprintOf
  /** Patterns `SET` or `SET/KEY` of secrets to write again. */
  readonly rewrite: readonly string[]
}

/** What is known of one secret that exists, and where. */
export interface SecretNote {
  readonly set: string
  readonly key: VariableKey
  readonly state: SecretState
}

/** Every desired secret whose variable exists and is sensitive, by set and key. */
export class SecretStates {
  readonly notes: readonly SecretNote[]
  /** Sets with entries that lack a fingerprint which this run could record, and how many. */
  readonly fingerprints: ReadonlyMap<string, number>
  readonly #byPlace: ReadonlyMap<string, SecretState>

  constructor(match: Match, context: SecretContext) {
    const found = match.pairs.flatMap(pair =>
      pair.observed === undefined || isReplaced(pair) ? [] : notesOf(pair.desired, pair.observed, context),
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

interface Found extends SecretNote {
  readonly recordable: boolean
}

function notesOf(desired: ResolvedSet, observed: ObservedSet, context: SecretContext): Found[] {
  const byKey = variablesByKey(observed)
  return desired.variables.flatMap(variable => {
    const { key, value } = variable
    // Of doubles, the one that stays.
    const [there] = preferred(byKey.get(key) ?? [], variable)
    if (there === undefined || !('hidden' in there.value) || !('secret' in value)) return []
    const entry = context.entries.get(observed.id)
    const ref = value.secret
    const state = secretState({
      setId: observed.id,
      observed: there,
      ref,
      inventory: context.inventory,
      entry,
      fingerprintOf: context.fingerprintOf,
      asked: context.rewrite.some(pattern => asksFor(pattern, desired.name, key)),
    })
    const record = state.state === 'write' ? undefined : entry?.secrets[key]
    const made = record === undefined ? [] : context.fingerprintOf({ setId: observed.id, key, ref })
    const recordable = record !== undefined && withFingerprint(record, made) !== record
    return [{ set: desired.name, key, state, recordable }]
  })
}

/** `SET` for all of a set, `SET/KEY` and `SET/env/KEY` for one; names of sets may hold slashes themselves. */
export const asksFor = (pattern: string, set: string, key: VariableKey): boolean =>
  matchesPattern(pattern, set) ||
  matchesPattern(pattern, `${set}/${key}`) ||
  matchesPattern(pattern, `${set}/${key.slice(key.indexOf('/') + 1)}`)
