import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeOf } from '../../src/run/files-of-out.ts'
import { aDirectory } from '../support/program.ts'

const CONFIGURATION = { 'setpoint.yaml': '', 'repository/inner/setpoint.yaml': '', 'repository/file': '' }

/** The home of a folder, relative to a directory with a configuration; `.git` is made where it is named. */
function homeIn(folder: string, repository?: string): string | undefined {
  const top = realpathSync(aDirectory(CONFIGURATION))
  if (repository !== undefined) mkdirSync(join(top, repository, '.git'))
  return homeOf(join(top, folder))?.slice(top.length + 1)
}

test.each([
  ['in its repository', 'repository/inner/sets/new', 'repository', 'repository/inner'],
  ['not above its repository', 'repository/sets', 'repository', undefined],
  ['up to the root of its repository', 'repository/sets/new', '', ''],
  ['without a repository in the folder', 'repository/inner', undefined, 'repository/inner'],
  ['without a repository beside the folder', 'repository/inner/sets', undefined, 'repository/inner'],
  ['without a repository no further above', 'repository/inner/sets/new', undefined, undefined],
])('the configuration of a folder is searched %s', (_, folder, repository, home) => {
  expect(homeIn(folder, repository)).toBe(home)
})
