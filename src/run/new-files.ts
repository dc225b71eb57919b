import { lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { NewFile } from '../export/document.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { makeDirectory } from './make-directory.ts'
import { mayWriteTo, WriteError } from './plan-file.ts'

/** What came of writing files: paths relative to the directory, or why nothing was written. */
export interface Written {
  readonly written: readonly string[]
  /** Were there already, with the same text. */
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** What is said of a file that is there already with exactly the text: it is left, or in the way like any other. */
export type Same = 'left' | 'refused'

/**
 * Writes files that are not there yet below `directory`, from `home`, where the run takes place. With one that is in the way,
 * all of those are reported and nothing is written. Rejects with a `WriteError`.
 */
export async function writeNewFiles(
  home: string,
  directory: string,
  files: readonly NewFile[],
  same: Same,
): Promise<Written> {
  const { found, diagnostics } = await look(directory, files, same)
  if (diagnostics.length > 0) return { written: [], unchanged: [], diagnostics }
  const missing = files.filter((_, index) => found[index] === 'missing')
  for (const { path } of missing) mayWriteTo(home, join(directory, path))
  for (const { path, text } of missing) await writeNew(join(directory, path), text)
  return {
    written: missing.map(({ path }) => path),
    unchanged: files.flatMap(({ path }, index) => (found[index] === 'same' ? [path] : [])),
    diagnostics: [],
  }
}

/** What is in the way of files that must not be there yet. */
export const filesInTheWay = async (
  directory: string,
  files: readonly NewFile[],
): Promise<readonly Diagnostic[]> => (await look(directory, files, 'refused')).diagnostics

async function look(directory: string, files: readonly NewFile[], same: Same) {
  const found = await Promise.all(files.map(file => lookAt(join(directory, file.path), file.text)))
  const taken = files.filter(
    (_, index) => found[index] === 'other' || (found[index] === 'same' && same === 'refused'),
  )
  const paths = taken.map(file => join(directory, file.path))
  return { found, diagnostics: paths.length === 0 ? [] : [exist(paths)] }
}

async function lookAt(path: string, text: string): Promise<'missing' | 'same' | 'other'> {
  try {
    const status = await lstat(path)
    if (!status.isFile()) return 'other'
    return (await readFile(path, 'utf8')) === text ? 'same' : 'other'
  } catch (error) {
    if (isMissing(error)) return 'missing'
    throw new WriteError(path, error)
  }
}

/** `wx`: a file that came in between is not overwritten either. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await makeDirectory(dirname(path))
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
      await rm(path, { force: true }).catch(() => {})
    throw new WriteError(path, error)
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

const exist = (paths: readonly string[]): Diagnostic => ({
  severity: 'error',
  code: 'file-exists',
  message: `${paths.length === 1 ? 'This file is' : `${paths.length} files are`} there already: ${paths.join(', ')}`,
  hint: 'Nothing was written. Move them away, or write somewhere else. Live values go into files that are there with: setpoint export --update SET',
})
