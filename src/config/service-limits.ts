import type { Findings } from '../model/findings.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type { DesiredVariable } from '../model/variable-set.ts'

const KEY_CHARACTERS = 128
const VALUE_BYTES = 256 * 1024
const DESCRIPTION_CHARACTERS = 512

/**
 * What the interface does not forbid and the known real service refuses (docs/service.md 11.2): a warning, because another
 * service may take it.
 */
export function checkServiceLimits(variable: DesiredVariable, findings: Findings): void {
  const warn = (what: string, hint?: string): void =>
    findings.warning('service-limit', variable.source, `${what}, which HCP Terraform refuses`, hint)
  const name = nameOf(variable.key)
  if (isLonger(name, KEY_CHARACTERS)) warn(`the key has more than ${KEY_CHARACTERS} characters`)
  if (isLonger(variable.description, DESCRIPTION_CHARACTERS))
    warn(`the description of "${name}" has more than ${DESCRIPTION_CHARACTERS} characters`)
  if (!('text' in variable.value)) return
  const { text } = variable.value
  // A character takes at most three bytes a unit.
  if (text.length > VALUE_BYTES / 3 && Buffer.byteLength(text) > VALUE_BYTES)
    warn(`the value of "${name}" is larger than 256 KB`)
  if (categoryOf(variable.key) !== 'env' || !text.includes('\n')) return
  if (text.indexOf('\n') === text.length - 1)
    warn(
      `the value of the environment variable "${name}" ends with a newline`,
      'Leave it out: in YAML `|-` does what `|` does without it.',
    )
  else
    warn(
      `the environment variable "${name}" has a value of several lines`,
      'Write it on one line, for example in base64.',
    )
}

/** In characters; counting them is only worth it where the units are too many. */
const isLonger = (text: string, most: number): boolean => text.length > most && [...text].length > most
