import { join, relative } from 'node:path'
import { configurationAbove, configurationIn, fileExists, realPath, repositoryRoot } from '../config/read.ts'
import type { Options } from '../run/options.ts'
import type { Io } from './io.ts'

/**
 * Below the directory of `setpoint.yaml`, a command uses the nearest one above and says so. It is as if `--config` had named
 * it: other paths stay relative to the current directory. Printed commands find it in the same way.
 */
export function withConfigurationAbove<C extends Io & { readonly options: Options }>(call: C): C {
  const { cwd, options, stderr } = call
  const { directory, config, quiet } = options
  // A named place is final, so that a pipeline never uses another one.
  if (directory !== undefined || config !== undefined) return call
  if (fileExists(join(cwd, configurationIn(cwd)))) return call
  const found = configurationAbove(cwd)
  const here = realPath(cwd)
  if (found === undefined || here === undefined) return call
  const named = relative(here, found).replaceAll('\\', '/')
  const root = relative(here, repositoryRoot(here)).replaceAll('\\', '/')
  if (!quiet) stderr.write(`Using ${named}. Paths of files below are relative to ${root}/.\n`)
  return { ...call, cwd: here, options: { ...options, config: named } }
}
