import { FIELD_NAMES } from '../model/fields.ts'
import type { Findings } from '../model/findings.ts'
import { nameOf, type VariableKey } from '../model/ids.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import { type Credential, credentialIn, formatIn } from './credentials.ts'
import { acceptIt, secretLine } from './whole-line.ts'

/**
 * Reports a readable value, or the text of a field, that looks like a secret: as an error if its format is known, as a warning if a
 * suspicious name has a random value or a password. Never quotes the value.
 */
export function lintVariable(variable: DesiredVariable, findings: Findings): void {
  const name = nameOf(variable.key)
  const { value } = variable
  const found = 'text' in value ? credentialIn(name, value.text) : undefined
  if (found !== undefined)
    findings[found.format === undefined ? 'warning' : 'error'](
      'looks-like-a-secret',
      `The value of "${name}" ${wordsOf(found)}.`,
      `Write ${secretLine(name)} and pass the value to the run. If it is not a secret, write ${acceptIt(variable, 'looks-like-a-secret')}.`,
      variable.source,
    )
  if ('secret' in value)
    for (const [what, text] of [
      ['name', value.secret.name],
      ['version', value.secret.version ?? ''],
    ] as const)
      lintText(text, variable.source, `The ${what} of the secret of "${name}"`, SECRET_ITSELF, findings)
  for (const field of FIELD_NAMES) {
    const text = variable[field]
    if (typeof text === 'string' && text !== '')
      lintDescription(text, variable.source, `The ${field} of "${name}"`, findings)
  }
}

export const lintDescription = (
  text: string,
  source: DesiredVariable['source'],
  label: string,
  findings: Findings,
): void =>
  lintText(
    text,
    source,
    label,
    'Remove it, and rotate the secret. Everyone can read a description.',
    findings,
  )

const SECRET_ITSELF =
  'Write a name of your own here, pass the value to the run under that name, and rotate the secret: everyone can read the file.'

/** Checks only known formats, because a description or the name of a secret has no name that tells. */
function lintText(
  text: string,
  source: DesiredVariable['source'],
  label: string,
  hint: string,
  findings: Findings,
): void {
  const format = formatIn(text)
  if (format !== undefined)
    findings.error('looks-like-a-secret', `${label} contains ${format}.`, hint, source)
}

export const looksLikeSecret = (key: VariableKey, text: string): boolean =>
  credentialIn(nameOf(key), text) !== undefined

/** What follows "The value of …" in a sentence. */
function wordsOf({ format, random, inside }: Credential): string {
  if (format !== undefined) return `contains ${format}`
  const why = random === true ? 'suspicious name, high-entropy value' : 'suspicious name'
  return `${inside === true ? 'contains what looks' : 'looks'} like a secret (${why})`
}
