import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { NewFile } from '../export/new-files.ts'
import { linkInTheWay } from '../git/work-tree.ts'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan-data.ts'
import { savedPlan } from '../plan/reviewed-plan.ts'

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

/** Throws a `WriteError` if a symbolic link in the repository around `directory` would redirect a write to `path`. */
export function mayWriteTo(directory: string, path: string): void {
  const link = linkInTheWay(directory, path)
  if (link !== undefined) throw new WriteError(path, link)
}

/**
 * Writes to `name`, relative to `directory`, the directory of the run. Writes and flushes a temporary file and renames it, so
 * that the file is never half written. Readable by its owner only, unless `mode` allows more. A pipe or a device is written to
 * and not replaced. Rejects with a `WriteError`.
 */
export async function writeWhole(directory: string, name: string, text: string, mode = 0o600): Promise<void> {
  const path = resolve(directory, name)
  mayWriteTo(directory, path)
  try {
    const target = await realpath(path).catch(() => path)
    const found = await stat(target).catch(() => undefined)
    if (found === undefined || found.isFile()) await replace(target, text, mode)
    else await writeFile(target, text)
  } catch (error) {
    throw new WriteError(path, error)
  }
}

async function replace(path: string, text: string, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.setpoint-${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export const writePlanFile = (directory: string, name: string, plan: Plan): Promise<void> =>
  writeWhole(directory, name, savedPlan(plan))

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
  for (const { path, text } of missing) await writeNew(join(directory, path), text)
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

/** `wx`: a file that was created meanwhile is not overwritten either. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await makeDirectory(dirname(path))
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') await rm(path, { force: true }).catch(() => {})
    throw new WriteError(path, error)
  }
}

const exist = (paths: readonly string[]): Diagnostic =>
  mistake(
    'file-exists',
    `${paths.length === 1 ? 'This file exists' : `${paths.length} files exist`} already: ${paths.join(', ')}.`,
    'Nothing was written. Move the existing files, or write to another directory. To write live values to existing files: setpoint export --update SET',
  )

/**
 * Creates a directory and its missing parents. True if it did not exist. Rejects with the error of the system. The recursive
 * `mkdir` of Node never ends below `/proc`.
 */
export async function makeDirectory(path: string): Promise<boolean> {
  const missing: string[] = []
  const isThere = (at: string) => stat(at).catch(() => undefined)
  for (let at = path; !(await isThere(at)) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  let wasMade = false
  for (const directory of missing.reverse())
    try {
      await mkdir(directory)
      wasMade = true
    } catch (error) {
      // Another process was faster.
      if (codeOf(error) !== 'EEXIST') throw error
      wasMade = false
    }
  return wasMade
}
