import { createHmac } from 'node:crypto'
import { type Diagnostic, mistake, type SourceRange, warning } from '../model/diagnostic.ts'
import { categoryOf } from '../model/ids.ts'
import { type ReadSecret, SECRET_PREFIX, type Secret } from '../model/secret.ts'
import type { SecretRef } from '../model/variable-set.ts'
import { variablesSent } from '../plan/items.ts'
import type { Step } from '../plan/plan-data.ts'
import type { FingerprintOf } from '../plan/secret-states.ts'

interface ResolvedSecrets {
  readonly values: ReadonlyMap<string, Secret>
  readonly diagnostics: readonly Diagnostic[]
}

/** Every secret that these steps send, and no other. Reports all missing ones at once. */
export function resolveSecrets(
  steps: readonly Step[],
  source: ReadSecret,
  sourceOf: (set: string, key: string) => SourceRange | undefined,
): ResolvedSecrets {
  const values = new Map<string, Secret>()
  const diagnostics: Diagnostic[] = []
  for (const { operation } of steps)
    for (const { key, value, hcl } of variablesSent(operation)) {
      if (!('secret' in value)) continue
      const { secret: ref } = value
      const { name } = operation.subject
      const secret = source(ref.name, ref.allowEmpty)
      if (secret === undefined) {
        diagnostics.push(missing(ref, whyMissing(ref, source), `${name}/${key}`, sourceOf(name, key)))
        continue
      }
      if (secret.isPlaceholder && ref.accept?.includes('placeholder') !== true)
        diagnostics.push(placeholder(ref, `${name}/${key}`, sourceOf(name, key)))
      if (!values.has(ref.name) && secret.hasSpaceAround) diagnostics.push(spaced(ref, sourceOf(name, key)))
      if (!values.has(ref.name) && secret.isQuoted && !hcl) diagnostics.push(quoted(ref, sourceOf(name, key)))
      values.set(ref.name, secret)
    }
  return { values, diagnostics }
}

/**
 * Warns of secrets that this run has and that HCP Terraform refuses: under `env` a value has no line breaks
 * (docs/service.md 11.2). Only of what these steps send.
 */
export function refusedSecrets(
  steps: readonly Step[],
  source: ReadSecret,
  sourceOf: (set: string, key: string) => SourceRange | undefined,
): readonly Diagnostic[] {
  return steps.flatMap(({ operation }) =>
    variablesSent(operation).flatMap(({ key, value }) => {
      if (!('secret' in value) || categoryOf(key) !== 'env') return []
      const { secret: ref } = value
      const lineBreaks = source(ref.name, ref.allowEmpty)?.lineBreaks ?? 'none'
      if (lineBreaks === 'none') return []
      return [ofLines(ref, lineBreaks, sourceOf(operation.subject.name, key))]
    }),
  )
}

/** Why a secret has no value, beyond that it has none: what to correct. */
function whyMissing({ name }: SecretRef, source: ReadSecret): string | undefined {
  const blank = source(name, true)
  if (blank?.isEmpty)
    return `${name} is set, but ${blank.hasSpaceAround ? 'has only whitespace' : 'empty'}. A secret that the pipeline does not define is empty. If the empty value is intended: \`secret: { name: ${name}, allowEmpty: true }\``
  const prefixed = `${SECRET_PREFIX}${name}`
  return source(prefixed, true) === undefined
    ? undefined
    : `The source of --secrets has ${prefixed}. In the source, write ${name}: only environment variables have the prefix.`
}

const missing = (
  { name }: SecretRef,
  why: string | undefined,
  wanted: string,
  source: SourceRange | undefined,
): Diagnostic =>
  mistake(
    'missing-secret',
    `No value for secret ${name}, which ${wanted} needs.`,
    [
      ...(why === undefined ? [] : [why]),
      `export ${SECRET_PREFIX}${name}=…`,
      'Or pass a file that contains it: --secrets FILE',
    ].join('\n'),
    source,
  )

/** Sending it would replace the real value, which nobody can recover. The text is not quoted. */
const placeholder = (
  { name, version, allowEmpty }: SecretRef,
  wanted: string,
  source: SourceRange | undefined,
): Diagnostic => {
  const others = `${version === undefined ? '' : `version: ${JSON.stringify(version)}, `}${allowEmpty === true ? 'allowEmpty: true, ' : ''}`
  return mistake(
    'placeholder',
    `The value of secret ${name}, which ${wanted} needs, is a mask or an unresolved reference.`,
    `Pass the value itself. If this text is intended: \`secret: { name: ${name}, ${others}accept: [placeholder] }\``,
    source,
  )
}

const spaced = ({ name }: SecretRef, source: SourceRange | undefined): Diagnostic =>
  warning(
    'secret-white-space',
    `The value of ${name} begins or ends with whitespace. It is sent unchanged.`,
    'Check whether a line break slipped in, as from echo instead of printf.',
    source,
  )

function ofLines(
  ref: SecretRef,
  lineBreaks: 'final' | 'several',
  source: SourceRange | undefined,
): Diagnostic {
  const isFinal = lineBreaks === 'final'
  return warning(
    'service-limit',
    `The value of secret ${ref.name} ${isFinal ? 'ends with a newline' : 'has several lines'}, which HCP Terraform refuses for an environment variable.`,
    isFinal
      ? 'Remove the newline, as with printf in place of echo.'
      : 'Store the secret on one line, for example as base64, or move the variable to `terraform:`.',
    source,
  )
}

/** Minimum length of a key, in characters. Whoever guesses a shorter key can guess the secrets as well. */
export const LEAST_KEY = 32

/**
 * Fingerprints with this key. They are bound to organization, set, variable and reference, so equal texts in two places have different
 * fingerprints. None for a secret without a value in this run.
 */
export function fingerprintsFrom(
  source: ReadSecret,
  organization: string,
  fingerprintKey: string | undefined,
): FingerprintOf {
  if (fingerprintKey === undefined) return () => undefined
  const keyId = createHmac('sha256', fingerprintKey).update('setpoint key id').digest('hex').slice(0, 8)
  return ({ setId, key, ref }) => {
    const context = JSON.stringify([organization, setId, key, ref.name])
    const text = source(ref.name, ref.allowEmpty)?.fingerprint(fingerprintKey, context)
    return text === undefined ? undefined : { keyId, text }
  }
}

const quoted = ({ name }: SecretRef, source: SourceRange | undefined): Diagnostic =>
  warning(
    'secret-white-space',
    `The value of ${name} is in quotes, which are sent with it.`,
    'Remove them where the value is set. In a file of variables for Docker and in the settings of a pipeline, quotes are part of a value.',
    source,
  )
