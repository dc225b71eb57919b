import { nameOf } from '../model/ids.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import { yamlScalar } from './write.ts'

/**
 * Lines that hints print whole, so that whoever types one has what is meant: `secret: NAME` behind the key of a variable is a text. What
 * stands in the file is `…`, because it may be a secret.
 */

/** A name for the secret of a variable, which the schema allows. */
export const secretNameFor = (key: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : 'NAME')

export const secretLine = (key: string): string => `\`${yamlScalar(key)}: { secret: ${secretNameFor(key)} }\``

/** What to write to accept a code at a variable. A variable that has only a text may be written in the short form. */
export const acceptIt = (variable: DesiredVariable, code: string): string =>
  'text' in variable.value && !variable.hcl && variable.file === undefined && variable.description === ''
    ? `\`${yamlScalar(nameOf(variable.key))}: { value: …, accept: [${[...(variable.accept ?? []), code].join(', ')}] }\``
    : `\`accept: [${code}]\` beside its value`
