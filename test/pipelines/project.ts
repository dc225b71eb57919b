import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { aDirectory } from '../support/program.ts'
import { commitAsMerge, stubs } from '../support/workflow.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
export const GITLAB = join(ROOT, 'examples/08-gitlab-ci')
export const KUBERNETES = join(ROOT, 'examples/09-kubernetes')

/** A Git checkout, a sandbox with an address, and stubs for the commands of the forges. */
export async function aProject(files: string) {
  const sandbox = await createSandbox({ tokens: [{ token: 'reads', permission: 'read-variables' }] })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({ copyOf: files })
  commitAsMerge(cwd)
  const { path } = stubs(join(aDirectory(), 'bin'))
  const env = {
    PATH: `${path}:${process.env.PATH ?? ''}`,
    HOME: cwd,
    TFE_ADDRESS: url,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
  }
  return { sandbox, cwd, env, path }
}
