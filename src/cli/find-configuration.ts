import { join, relative } from 'node:path'
import { configurationAbove, configurationIn, fileExists, realPath, repositoryRoot } from '../config/read.ts'
import type { Options } from './command-options.ts'
import type { Io } from './io.ts'

/**
 * Below the directory of `setpoint.yaml`, a command uses the nearest one above and says so. It is as if `--config` had named
 * it: other paths stay relative to the current directory. Printed commands find it in the same way.
 */
export function withConfigurationAbove(io: Io, options: Options): Options {
  const { directory, typedDirectory, config } = options
  // A named place is final, so that a pipeline never uses another one.
  if (typedDirectory !== undefined || config !== undefined) return options
  if (fileExists(join(directory, configurationIn(directory)))) return options
  const found = configurationAbove(directory)
  const here = realPath(directory)
  if (found === undefined || here === undefined) return options
  const named = relative(here, found).replaceAll('\\', '/')
  const root = relative(here, repositoryRoot(here)).replaceAll('\\', '/')
  if (!options.quiet) io.stderr.write(`Using ${named}. Paths of files below are relative to ${root}/.\n`)
  return { ...options, directory: here, config: named }
}
