import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvedYaml } from '../../src/config/write.ts'
import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { asWritten } from './states.ts'

export interface Pair {
  readonly desired: ResolvedState
  readonly observed: ObservedState
}

/** The part of a state that a file can express: `hcl` belongs to readable Terraform variables only. */
export const writable = ({ desired, observed }: Pair): Pair => ({
  observed,
  desired: {
    ...desired,
    sets: desired.sets.map(set => ({
      ...set,
      variables: set.variables.map(variable => ({
        ...variable,
        hcl: variable.hcl && 'text' in variable.value && variable.key.startsWith('terraform/'),
      })),
    })),
  },
})

/** Writes the state as files to a directory that is removed after the test. */
export async function inRepository<Result>(
  { desired }: Pick<Pair, 'desired'>,
  use: (cwd: string) => Promise<Result>,
): Promise<Result> {
  const sets = desired.sets.map(asWritten)
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-state-'))
  try {
    writeFileSync(join(directory, 'setpoint.yaml'), 'organization: acme\n')
    mkdirSync(join(directory, 'sets'))
    writeFileSync(join(directory, 'sets/all.yaml'), resolvedYaml({ sets, removed: desired.removed }))
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
