import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import { Secret } from '../model/secret.ts'
import type { SecretRef } from '../model/variable-set.ts'
import { variablesSent } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'

/** Before the name of a secret in the environment: a file can reach no other variable of the job. */
export const SECRET_PREFIX = 'SETPOINT_SECRET_'

/** The text of a secret by its name, or `undefined` where the run has none. */
export type SecretSource = (name: string) => string | undefined

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
      const text = source(ref.name)
      if (text === undefined || (text === '' && ref.allowEmpty !== true))
        diagnostics.push(
          missing(ref, `${operation.set}/${variable.key}`, placeOf(operation.set, variable.key)),
        )
      else values.set(ref.name, new Secret(text))
    }
  return { values, diagnostics }
}

const missing = (ref: SecretRef, wanted: string, source: SourceRange | undefined): Diagnostic => ({
  severity: 'error',
  code: 'missing-secret',
  message: `${ref.name} has no value in this run, and ${wanted} has to be written.`,
  hint: `export ${SECRET_PREFIX}${ref.name}=…`,
  ...(source === undefined ? {} : { source }),
})
