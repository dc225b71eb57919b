import { createHmac } from 'node:crypto'
import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import { Secret } from '../model/secret.ts'
import type { SecretRef } from '../model/variable-set.ts'
import { variablesSent } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import type { FingerprintOf } from '../plan/secrets.ts'

/** Before the name of a secret in the environment: a file can reach no other variable of the job. */
export const SECRET_PREFIX = 'SETPOINT_SECRET_'

/**
 * The text of a secret by its name, or `undefined` where the run has none. `allowEmpty`: the empty text is one, which a
 * source that asks in several places has to know.
 */
export type ReadSecret = (name: string, allowEmpty?: boolean) => string | undefined

export const secretsFromEnvironment =
  (env: Readonly<Record<string, string | undefined>>): ReadSecret =>
  name =>
    env[`${SECRET_PREFIX}${name}`]

interface ResolvedSecrets {
  readonly values: ReadonlyMap<string, Secret>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Every secret that these steps will send, and no other; all missing ones at once. Empty counts as missing, because
 * an unset secret of a pipeline is empty, unless the reference allows it.
 */
export function resolveSecrets(
  steps: readonly Step[],
  source: ReadSecret,
  placeOf: (set: string, key: string) => SourceRange | undefined,
): ResolvedSecrets {
  const values = new Map<string, Secret>()
  const diagnostics: Diagnostic[] = []
  for (const { operation } of steps)
    for (const variable of variablesSent(operation)) {
      if (!('secret' in variable.value)) continue
      const ref = variable.value.secret
      const text = source(ref.name, ref.allowEmpty)
      if (text === undefined || (text === '' && ref.allowEmpty !== true))
        diagnostics.push(
          missing(
            ref,
            `${operation.subject.name}/${variable.key}`,
            placeOf(operation.subject.name, variable.key),
          ),
        )
      else {
        if (!values.has(ref.name) && hasSpaceAround(text))
          diagnostics.push(spaced(ref, placeOf(operation.subject.name, variable.key)))
        values.set(ref.name, new Secret(text))
      }
    }
  return { values, diagnostics }
}

/** The last line of a text of several lines, such as a key, ends as the others do. */
function hasSpaceAround(text: string): boolean {
  const lines = text.replace(/\r?\n$/, '')
  const judged = lines.includes('\n') ? lines : text
  return judged.trim() !== judged
}

const missing = (ref: SecretRef, wanted: string, source: SourceRange | undefined): Diagnostic => ({
  severity: 'error',
  code: 'missing-secret',
  message: `${ref.name} has no value in this run, and ${wanted} has to be written.`,
  hint: `export ${SECRET_PREFIX}${ref.name}=…\nor name a file that has it: --secrets FILE`,
  ...(source === undefined ? {} : { source }),
})

const spaced = (ref: SecretRef, source: SourceRange | undefined): Diagnostic => ({
  severity: 'warning',
  code: 'secret-white-space',
  message: `The value of ${ref.name} begins or ends with white space, and is sent like that.`,
  hint: 'Often a line end that slipped in, as from echo instead of printf.',
  ...(source === undefined ? {} : { source }),
})

/** The least length of a key, in characters: what is shorter can be guessed, and every secret with it. */
export const LEAST_KEY = 32

/**
 * Fingerprints by the current key first, then by the one before it, bound to organization, set, variable and reference:
 * equal texts in two places give different fingerprints. None for a secret that has no text in this run.
 */
export function fingerprintsFrom(
  source: ReadSecret,
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
