import { createHmac } from 'node:crypto'
import { Secret } from '../model/secret.ts'
import type { FingerprintOf } from '../plan/secrets.ts'
import type { SecretSource } from './secrets.ts'

/** The least length of a key, in characters: what is shorter can be guessed, and every secret with it. */
export const LEAST_KEY = 32

/**
 * Fingerprints by the current key first, then by the one before it, bound to organization, set, variable and reference:
 * equal texts in two places give different fingerprints. None for a secret that has no text in this run.
 */
export function fingerprintsFrom(
  source: SecretSource,
  organization: string,
  keys: readonly string[],
): FingerprintOf {
  const ids = keys.map(key => createHmac('sha256', key).update('setpoint key id').digest('hex').slice(0, 8))
  return ({ setId, key: variable, ref }) => {
    const text = keys.length === 0 ? undefined : source(ref.name, ref.allowEmpty)
    if (text === undefined || (text === '' && ref.allowEmpty !== true)) return []
    const secret = new Secret(text)
    const context = JSON.stringify([organization, setId, variable, ref.name])
    return keys.map((key, i) => ({ keyId: ids[i] ?? '', text: secret.fingerprint(key, context) }))
  }
}
