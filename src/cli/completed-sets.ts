import { resolve } from 'node:path'
import { loadSetNames } from '../config/load.ts'
import { configurationAbove, configurationIn, fileExists } from '../config/read.ts'

/** The options that say which repository is meant. */
export interface CompletedPlace {
  /** `-C`. */
  readonly directory?: string
  readonly config?: string
}

/**
 * Names of the sets in the files, as `--only` takes them, for completion: only those that no shell can misread. Of large
 * repositories, only the first files are read. Whatever is wrong with the files, nothing is reported.
 */
export function completedSets(cwd: string, { directory, config }: CompletedPlace): readonly string[] {
  const here = resolve(cwd, directory ?? '.')
  const isNamed = directory !== undefined || config !== undefined
  const above =
    isNamed || fileExists(resolve(here, configurationIn(here))) ? undefined : configurationAbove(here)
  const names = loadSetNames({ directory: here, config: config ?? above, limits: LIMITS })
  return names.filter(name => PLAIN.test(name)).toSorted()
}

/** Read within a moment. */
const LIMITS = { fileBytes: 1024 * 1024, expanded: 1024 * 1024 }

/** A shell inserts a candidate as it stands, and the files may be of a stranger. */
const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N}_.@/+-]*$/u
