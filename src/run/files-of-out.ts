import { basename, dirname, join } from 'node:path'
import { findSetFiles } from '../config/find-set-files.ts'
import { DEFAULT_LIMITS } from '../config/loader-limits.ts'
import { configurationIn, fileExists, readInside, realPath } from '../config/read.ts'
import { secretsIn } from '../export/used-secrets.ts'
import { workTreeRoot } from '../git/work-tree.ts'

/** The real path of a folder that may not exist yet, and of the nearest one that does. */
function placeOf(folder: string): { readonly real: string; readonly existing: string } {
  const real = realPath(folder)
  if (real !== undefined || dirname(folder) === folder)
    return { real: real ?? folder, existing: real ?? folder }
  const above = placeOf(dirname(folder))
  return { real: join(above.real, basename(folder)), existing: above.existing }
}

/**
 * The directory of the configuration that a folder belongs to: the nearest one from the folder up to the root of its repository; without a
 * repository, in the folder or beside it. `undefined` if there is none.
 */
export function homeOf(folder: string): string | undefined {
  const { real, existing } = placeOf(folder)
  const end = workTreeRoot(existing) ?? dirname(real)
  for (let at = real; ; at = dirname(at)) {
    if (fileExists(join(at, configurationIn(at)))) return at
    if (at === end || at === dirname(at)) return undefined
  }
}

/**
 * The names of secrets that a new file in a folder must not use for another value: those of all set files of its repository; without a
 * repository, of what `homeOf` finds, or of the folder. Files with mistakes count, too. A set that is written again into the folder keeps the
 * names that it has there.
 */
export function secretsBeside(folder: string, written: ReadonlySet<string>): string[] {
  const { real, existing } = placeOf(folder)
  const from = workTreeRoot(existing) ?? homeOf(folder) ?? real
  const paths = findSetFiles(from, from, '**/*.yaml')?.paths ?? []
  const names = paths.flatMap(path => {
    const read = readInside(from, path, DEFAULT_LIMITS.fileBytes)
    const used = 'problem' in read ? [] : secretsIn(Buffer.from(read.bytes).toString())
    const isAgain = dirname(path) === real
    return used.flatMap(({ name, set }) => (isAgain && written.has(set) ? [] : name))
  })
  return [...new Set(names)]
}
