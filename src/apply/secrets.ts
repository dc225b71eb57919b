import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import { Secret } from '../model/secret.ts'
import type { SecretRef } from '../model/variable-set.ts'
import { variablesSent } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'

/** Before the name of a secret in the environment: a file can reach no other variable of the job. */
export const SECRET_PREFIX = 'SETPOINT_SECRET_'

/**
 * The text of a secret by its name, or `undefined` where the run has none. `allowEmpty`: the empty text is one, which a
 * source that asks in several places has to know.
 */
export type SecretSource = (name: string, allowEmpty?: boolean) => string | undefined

export const secretsOf =
  (env: Readonly<Record<string, string | undefined>>): SecretSource =>
  name =>
    env[`${SECRET_PREFIX}${name}`]

export interface Secrets {
  readonly values: ReadonlyMap<string, Secret>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Every secret that these steps will send, and no other; all missing ones at once. Empty counts as missing, because
 * an unset secret of a pipeline is empty, unless the reference allows it.
 */
export function resolveSecrets(
  steps: readonly Step[],
  source: SecretSource,
  placeOf: (set: string, key: string) => SourceRange | undefined,
): Secrets {
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
