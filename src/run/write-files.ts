import { lstat, readFile } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { createFile, makeDirectory, replaceFile, streamOf } from '../disk/write-file.ts'
import type { NewFile } from '../export/new-files.ts'
import { isInside, isLink, isOfGit, linkInTheWay, realPath, workTreeRoot } from '../git/work-tree.ts'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'

/** A file could not be written. Names the file and the reason of the system, and no temporary file. */
export class WriteError extends Error {
  override readonly name = 'WriteError'

  constructor(path: string, cause: unknown) {
    const reason = typeof cause === 'string' ? cause : (codeOf(cause) ?? 'unknown reason')
    super(`${path} could not be written (${reason})`)
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/**
 * Why a file must not be written, as a text after its name: it is a link, its path leads out of the repository around `directory`, or it
 * belongs to Git. `undefined` if it may be.
 */
export function whyNotWritable(directory: string, path: string): string | undefined {
  if (path.includes('\0')) return 'its name contains a NUL character'
  if (streamOf(path) !== undefined) return undefined
  const link = linkInTheWay(directory, path) ?? (isLink(path) ? 'it is a symbolic link' : undefined)
  if (link !== undefined) return link
  const here = realPath(directory) ?? directory
  const root = workTreeRoot(here) ?? here
  const real = realPlace(path)
  return isOfGit(isInside(root, real) ? root : parse(real).root, real)
    ? 'it belongs to the files of Git itself'
    : undefined
}

/** Throws a `WriteError` if a file must not be written. */
export function mayWriteTo(directory: string, path: string): void {
  const why = whyNotWritable(directory, path)
  if (why !== undefined) throw new WriteError(path, why)
}

/** A path with the links of its directory resolved, as far as that exists: equal for equal files. */
export function realPlace(path: string): string {
  const directory = dirname(path)
  return directory === path ? path : join(realPath(directory) ?? realPlace(directory), basename(path))
}

/**
 * Writes to `name`, relative to `directory`, the directory of the run. A file is replaced, so that it is never half written. Readable by its
 * owner only, unless `mode` allows more. Throws a `WriteError`.
 */
export function writeWhole(directory: string, name: string, text: string, mode = 0o600): void {
  const path = resolve(directory, name)
  mayWriteTo(directory, path)
  try {
    replaceFile(path, text, mode)
  } catch (error) {
    throw new WriteError(path, error)
  }
}

/** The files that were written, with paths relative to the directory, or why none was. */
export interface WrittenFiles {
  readonly written: readonly string[]
  /** Files that existed with the same text. */
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Whether an existing file with exactly the text is left as it is, or refused like any other. */
export type IfUnchanged = 'left' | 'refused'

/**
 * Writes new files below `directory`; `home` is the directory of the run. If files exist, all of them are reported and nothing
 * is written. Rejects with a `WriteError`.
 */
export async function writeNewFiles(
  home: string,
  directory: string,
  files: readonly NewFile[],
  same: IfUnchanged,
): Promise<WrittenFiles> {
  const { found, diagnostics } = await inspectFiles(directory, files, same)
  if (diagnostics.length > 0) return { written: [], unchanged: [], diagnostics }
  const missing = files.filter((_, index) => found[index] === 'missing')
  for (const { path } of missing) mayWriteTo(home, join(directory, path))
  for (const { path, text } of missing) writeNew(join(directory, path), text)
  return {
    written: missing.map(({ path }) => path),
    unchanged: files.flatMap(({ path }, index) => (found[index] === 'same' ? [path] : [])),
    diagnostics: [],
  }
}

/** Reports files that must not exist and do. */
export const filesInTheWay = async (
  directory: string,
  files: readonly NewFile[],
): Promise<readonly Diagnostic[]> => (await inspectFiles(directory, files, 'refused')).diagnostics

async function inspectFiles(directory: string, files: readonly NewFile[], same: IfUnchanged) {
  const found = await Promise.all(files.map(file => inspectFile(join(directory, file.path), file.text)))
  const taken = files.filter(
    (_, index) => found[index] === 'other' || (found[index] === 'same' && same === 'refused'),
  )
  const paths = taken.map(file => join(directory, file.path))
  return { found, diagnostics: paths.length === 0 ? [] : [exist(paths)] }
}

async function inspectFile(path: string, text: string): Promise<'missing' | 'same' | 'other'> {
  try {
    const status = await lstat(path)
    if (!status.isFile()) return 'other'
    return (await readFile(path, 'utf8')) === text ? 'same' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'missing'
    throw new WriteError(path, error)
  }
}

/** A file that was created meanwhile is not overwritten either. */
function writeNew(path: string, text: string): void {
  try {
    makeDirectory(dirname(path))
    createFile(path, text, 0o666)
  } catch (error) {
    throw new WriteError(path, error)
  }
}

const exist = (paths: readonly string[]): Diagnostic =>
  mistake(
    'file-exists',
    `${paths.length === 1 ? 'This file exists' : `${paths.length} files exist`} already: ${paths.join(', ')}.`,
    'Nothing was written. Move the existing files, or write to another directory. To write live values to existing files: setpoint export --update SET',
  )
