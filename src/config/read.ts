import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Git, type GitEnvironment } from '../git/git.ts'
import { isInside, isLink, isOfGit, realPath, statusOf, workTreeRoot } from '../git/work-tree.ts'
import type { Wording } from '../model/findings.ts'

export { isLink, realPath, statusOf }

/** A file that was read. `real` is its real path, the same for all links to it. */
export interface FileContent {
  readonly bytes: Uint8Array
  readonly real: string
}

export type ReadProblem = 'missing' | 'outside' | 'not-a-file' | 'too-large' | 'unreadable'

export type ReadResult = FileContent | { readonly problem: ReadProblem }

/**
 * The root of the repository of a directory, given by its real path: the nearest ancestor with `.git`, else the directory
 * itself. Nothing outside it is ever read.
 */
export const repositoryRoot = (directory: string): string => workTreeRoot(directory) ?? directory

/** The same name with `.yml` in place of `.yaml`, or the reverse. */
export const otherEnding = (path: string): string =>
  path.replace(/\.(ya?ml)$/, (_, ending) => (ending === 'yml' ? '.yaml' : '.yml'))

/** The name of the configuration of a directory: `setpoint.yml` if that alone is there. */
export const configurationIn = (directory: string): string =>
  CONFIGURATIONS.find(name => fileExists(join(directory, name))) ?? CONFIGURATIONS[0]

export const CONFIGURATIONS = ['setpoint.yaml', 'setpoint.yml'] as const

/**
 * The absolute path of the nearest configuration above a directory, inside its repository. `undefined` without a repository, so
 * that a file in a shared directory such as `/tmp` is never used by accident.
 */
export function configurationAbove(directory: string): string | undefined {
  const real = realPath(directory)
  const root = real === undefined ? undefined : workTreeRoot(real)
  if (real === undefined || root === undefined) return undefined
  for (let at = real; at !== root; ) {
    at = dirname(at)
    const found = join(at, configurationIn(at))
    if (fileExists(found)) return found
  }
  return undefined
}

/** A path or pattern that is relative to a directory, relative to the root of the directory's repository, with `/`. */
export function pathInRepository(directory: string, path: string): string {
  const real = realPath(directory) ?? directory
  return shownPath(repositoryRoot(real), resolve(real, path))
}

/** How a path is shown: relative to the root, with `/`. */
export const shownPath = (root: string, path: string): string =>
  relative(root, path).replaceAll(sep, '/') || '.'

/**
 * Reads a regular file that is inside the root after links are followed; `path` is absolute, and `root` a real path. The file is
 * opened once, without following another link or waiting for a pipe, and all checks are of the open file.
 */
export function readInside(root: string, path: string, mostBytes: number): ReadResult {
  // Checked first, so that the result does not tell whether a file outside exists.
  if (!isInside(root, path)) return { problem: 'outside' }
  const real = realPath(path)
  if (real === undefined) return { problem: 'missing' }
  if (!isInside(root, real)) return { problem: 'outside' }
  let descriptor: number
  try {
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    return { problem: codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable' }
  }
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile()) return { problem: 'not-a-file' }
    if (status.size > mostBytes) return { problem: 'too-large' }
    const bytes = readAll(descriptor, Math.min(status.size, mostBytes))
    return bytes.length > mostBytes ? { problem: 'too-large' } : { bytes, real }
  } catch (error) {
    return { problem: codeOf(error) === 'EISDIR' ? 'not-a-file' : 'unreadable' }
  } finally {
    closeSync(descriptor)
  }
}

/** Asks for one byte more than expected, to notice a file that has grown. */
function readAll(descriptor: number, expected: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(expected + 1)
  let length = 0
  while (length < buffer.length) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null)
    if (read === 0) break
    length += read
  }
  return buffer.subarray(0, length)
}

export interface ListedEntry {
  readonly name: string
  /** A link to a file is a `file`; every other one is a `link`, also one that leads nowhere. */
  readonly kind: 'file' | 'directory' | 'link'
}

/** The sorted entries of a directory, or why it cannot be read, as the rest of a sentence. */
export function listDirectory(path: string): readonly ListedEntry[] | string {
  try {
    return readdirSync(path, { withFileTypes: true })
      .map(entry => ({ name: entry.name, kind: kindOf(join(path, entry.name), entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return 'does not exist'
    return code === 'ENOTDIR' ? 'is not a directory' : `cannot be read (${String(code)})`
  }
}

function kindOf(path: string, entry: Dirent): ListedEntry['kind'] {
  if (!entry.isSymbolicLink()) return entry.isDirectory() ? 'directory' : 'file'
  return statusOf(path)?.isDirectory() === false ? 'file' : 'link'
}

/** Why nothing can be in this directory, as the rest of a sentence. */
export function whyUnreadable(path: string): string | undefined {
  const listed = listDirectory(path)
  return typeof listed === 'string' ? listed : undefined
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

export const fileExists = (path: string): boolean => statusOf(path) !== undefined

interface ReadRuleOptions {
  /** To find git, which says what it tracks. Without it, every file inside the root counts as tracked. */
  readonly environment?: GitEnvironment
  /** Files and directories that this run takes secrets from. */
  readonly secretPlaces?: readonly string[]
}

/**
 * Which files inside the root must not be read. Whoever changes a set file chooses what `file:` reads, and so what a plan shows.
 * But a checkout contains more than commits: credentials in `.git`, files of other steps, the secrets of this run. Paths are real.
 */
export class ReadRule {
  readonly #root: string
  readonly #secretPlaces: readonly string[]
  readonly #git: Git | undefined
  #tracked: ReturnType<Git['tracked']> | undefined

  constructor(root: string, { environment, secretPlaces = [] }: ReadRuleOptions) {
    this.#root = root
    this.#secretPlaces = secretPlaces.flatMap(path => realPath(path) ?? [])
    this.#git = environment && Git.around(root, environment)
  }

  /** For the files of another directory. Every file there counts as tracked. */
  elsewhere(root: string): ReadRule {
    return new ReadRule(root, { secretPlaces: this.#secretPlaces })
  }

  /** What is wrong with reading a file as configuration; `shown` is its name in the message. */
  document(path: string, shown: string): Wording | undefined {
    if (isOfGit(this.#root, path))
      return [
        'outside-repository',
        `"${shown}" belongs to Git itself.`,
        'Use a file outside .git. A checkout keeps credentials there.',
      ]
    if (this.#secretPlaces.some(place => isInside(place, path)))
      return [
        'secret-file',
        `This run takes secrets from "${shown}".`,
        'Write `{ secret: NAME }` in place of the map with `file`.',
      ]
    return undefined
  }

  /** What is wrong with reading a file as a value. Git is asked once, and only if there is such a file. */
  text(path: string, shown: string): Wording | undefined {
    const wording = this.document(path, shown)
    if (wording !== undefined || this.#git === undefined) return wording
    this.#tracked ??= this.#git.tracked()
    const name = shownPath(this.#root, path)
    if (typeof this.#tracked === 'string')
      return [
        'untracked-file',
        `Git cannot say whether it tracks "${shown}": ${this.#tracked}.`,
        'Install git, or write the text under `value:`. Only files that Git tracks are read.',
      ]
    if (this.#tracked.has(name)) return undefined
    const pathspec = /^[\w/.@%+-]+$/.test(name) ? `:/${name}` : 'with its path'
    return [
      'untracked-file',
      `Git does not track "${shown}" in this repository.`,
      `If it is not a secret and belongs here, run \`git add ${pathspec}\`. Only files that Git tracks are read.`,
    ]
  }
}
