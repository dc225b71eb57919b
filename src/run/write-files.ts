import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { NewFile } from '../export/document.ts'
import { linkInTheWay } from '../git/work-tree.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan.ts'
import { savedPlan } from '../plan/reviewed.ts'

/** A file could not be written. Names it, and the system's reason; the temporary one is nobody's business. */
export class WriteError extends Error {
  override readonly name = 'WriteError'

  constructor(path: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
    super(`${path} could not be written (${typeof cause === 'string' ? cause : code})`)
  }
}

/** Rejects with a `WriteError` where a link of the repository around `directory` stands in the way of writing to `path`. */
export function mayWriteTo(directory: string, path: string): void {
  const link = linkInTheWay(directory, path)
  if (link !== undefined) throw new WriteError(path, link)
}

/**
 * Writes to `name` from `directory`, where the run takes place. Half-written never: a temporary file beside it, flushed, then
 * renamed over it. Readable by its owner only, unless `mode` says more. What is no file (a pipe, a device) is written to and
 * not replaced. Rejects with a `WriteError`.
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

/** What came of writing files: paths relative to the directory, or why nothing was written. */
export interface WrittenFiles {
  readonly written: readonly string[]
  /** Were there already, with the same text. */
  readonly unchanged: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** What is said of a file that is there already with exactly the text: it is left, or in the way like any other. */
export type IfUnchanged = 'left' | 'refused'

/**
 * Writes files that are not there yet below `directory`, from `home`, where the run takes place. With one that is in the way,
 * all of those are reported and nothing is written. Rejects with a `WriteError`.
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

/** What is in the way of files that must not be there yet. */
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

/**
 * Makes a directory and those above it that are missing. True where it was not there before. Rejects with the system's
 * error. Node's own recursive way never ends below `/proc`.
 */
export async function makeDirectory(path: string): Promise<boolean> {
  const missing: string[] = []
  for (let at = path; !(await isThere(at)) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  let wasMade = false
  for (const directory of missing.reverse()) wasMade = await made(directory)
  return wasMade
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** False where somebody else was faster. */
const made = (path: string): Promise<boolean> =>
  mkdir(path).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
      throw error
    },
  )
