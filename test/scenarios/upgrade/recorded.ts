import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aDirectory, run } from '../../support/program.ts'

/** A repository of an earlier version, with the service in the state that this version left. */
export interface Recorded {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly state: string
  readonly setpoint: (...argv: readonly string[]) => ReturnType<typeof run>
}

/** What was recorded, and how many sets its files have. */
export const VERSIONS = { '0.1.0': 3, 'before-0.2.0': 4 } as const

export type Version = keyof typeof VERSIONS

/** Secrets of all versions. */
const SECRETS = {
  SETPOINT_SECRET_AWS_KEY: 'aaaa-bbbb-cccc-1111',
  SETPOINT_SECRET_UNVERSIONED: 'dddd-eeee-ffff-2222',
  SETPOINT_SECRET_PAYMENTS_TOKEN: 'gggg-hhhh-iiii-3333',
  SETPOINT_SECRET_REPLICAS: '3',
  SETPOINT_FINGERPRINT_KEY: '0123456789abcdef'.repeat(4),
}

export const pathOf = (version: Version, name: string): string =>
  join(fileURLToPath(new URL('fixtures', import.meta.url)), version, name)

export function recorded(version: Version, files = 'files'): Recorded {
  const cwd = aDirectory({ copyOf: pathOf(version, files) })
  const state = join(aDirectory(), 'state.json')
  copyFileSync(pathOf(version, 'service.json'), state)
  const env = { ...SECRETS, SETPOINT_SANDBOX_FILE: state }
  return { cwd, env, state, setpoint: (...argv) => run([...argv, '--sandbox'], { cwd, env }) }
}
