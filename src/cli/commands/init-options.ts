import { basename } from 'node:path'
import type { FirstConfiguration } from '../../export/first-files.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options.ts'

/** Who and what `init` is told to begin with, or what is wrong with it. */
export function configurationFrom(
  io: Io,
  options: Options,
  argument: string | undefined,
): FirstConfiguration | Diagnostic {
  const expected = io.env.SETPOINT_ORGANIZATION || undefined
  const organization = argument ?? expected
  if (organization === undefined) return NO_ORGANIZATION
  if (!/^[^\s./?#%][^\s/?#%]*$/.test(organization) || organization.includes('\0')) return NOT_A_NAME
  if (expected !== undefined && expected !== organization) return otherOrganization(expected)
  const owner = options.owner ?? ownerFrom(basename(options.directory))
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(owner)) return NOT_AN_OWNER
  return { organization, owner, owns: options.only }
}

/** What the directory is called is what the repository is called, most of the time. */
function ownerFrom(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 63)
  return plain === '' ? 'main' : plain
}

const mistake = (message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message,
  hint,
})

const NO_ORGANIZATION = mistake(
  'Which organization?',
  'setpoint init ORGANIZATION, such as: setpoint init acme --sandbox',
)
const NOT_A_NAME = mistake(
  'This cannot be the name of an organization.',
  'A name has no spaces and none of / ? # %, and does not begin with a dot.',
)
const NOT_AN_OWNER = mistake(
  'This cannot be an owner.',
  'An owner has up to 63 letters, digits, _ and -, and begins with a letter or a digit.',
)
const otherOrganization = (expected: string): Diagnostic => ({
  severity: 'error',
  code: 'organization-mismatch',
  message: `SETPOINT_ORGANIZATION says "${expected}".`,
  hint: 'Name the same organization, or unset SETPOINT_ORGANIZATION.',
})
