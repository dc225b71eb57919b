import type { Environment } from '../api/address.ts'
import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { didYouMean } from '../model/names.ts'

/** Every variable of the environment that the program reads by its name; a test compares them with the source. */
export const VARIABLES = [
  'SETPOINT_ADDRESS',
  'SETPOINT_ALONE',
  'SETPOINT_APPROVE',
  'SETPOINT_BOT_TOKEN',
  'SETPOINT_CI_BASE',
  'SETPOINT_CI_DIR',
  'SETPOINT_CI_EVENT',
  'SETPOINT_COMMENT_TOKEN',
  'SETPOINT_FINGERPRINT_KEY',
  'SETPOINT_FORGE_TOKEN',
  'SETPOINT_ORGANIZATION',
  'SETPOINT_SANDBOX_FILE',
  'SETPOINT_SANDBOX_SEED',
  'SETPOINT_TOKEN',
  'SETPOINT_TOOL',
] as const

/** More than two differences may be a variable of somebody else. */
const MOST_MISTAKES = 2

/**
 * Variables that are nearly one of ours, and that nothing reads: with a misspelled name of the organization, the check that somebody
 * relies on would not be made. Their values are not shown.
 */
export function misspelledVariables(env: Environment): readonly Diagnostic[] {
  const known: ReadonlySet<string> = new Set(VARIABLES)
  return Object.keys(env)
    .filter(name => name.startsWith('SETPOINT_') && !known.has(name) && !OF_A_NAME.test(name))
    .flatMap(name => {
      const meant = didYouMean(name, VARIABLES, one => one, MOST_MISTAKES)
      return meant === undefined
        ? []
        : [warning('bad-usage', `Nothing reads the environment variable ${name}.`, meant)]
    })
}

/** Of one secret, or the token of one organization. */
const OF_A_NAME = /^SETPOINT_(?:SECRET|TOKEN)_/
