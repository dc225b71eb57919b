import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Git, type GitEnvironment } from '../git/git.ts'
import { isInside, isOfGit, pathBelow, workTreeRoot } from '../git/work-tree.ts'
import type { Wording } from '../model/findings.ts'

/** What reading a file gave. `real` is its real path, the same for all links to it. */
export type ReadResult =
  | { readonly bytes: Uint8Array; readonly real: string }
  | { readonly problem: 'missing' | 'outside' | 'not-a-file' | 'too-large' | 'unreadable' }

/**
 * The repository that a directory, given by its real path, is in: the nearest ancestor with `.git`, else the
 * directory itself. Nothing outside is ever read.
 */
export const repositoryRoot = (directory: string): string => workTreeRoot(directory) ?? directory

/**
 * The `setpoint.yaml` nearest above a directory, absolute. Never above the root of the repository, and none without one: a
 * file in a directory that others can write to, such as `/tmp`, is nobody's configuration by accident.
 */
export function configurationAbove(directory: string): string | undefined {
  const real = realPath(directory)
  const root = real === undefined ? undefined : workTreeRoot(real)
  if (real === undefined || root === undefined) return undefined
  for (let at = real; at !== root; ) {
    at = dirname(at)
    if (fileExists(join(at, 'setpoint.yaml'))) return join(at, 'setpoint.yaml')
  }
  return undefined
}

/** How a path is shown: relative to the root, with `/`. */
export const shownPath = (root: string, path: string): string =>
  pathBelow(root, path).replaceAll(sep, '/') || '.'

/**
 * A regular file inside the root, also after links are followed; `path` is absolute and `root` real. It is opened
 * once, without following a further link and without waiting for a pipe, and judged by what was opened.
 */
export function readInside(
  root: string,
  path: string,
  mostBytes: number,
  realOf: (path: string) => string | undefined = realPath,
): ReadResult {
  // Asked first: whether a file outside exists is nobody's business.
  if (!isInside(root, path)) return { problem: 'outside' }
  const real = realOf(path)
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

/** One byte more than expected is asked for, so that a file that grew is noticed. */
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

/** What is in a directory, sorted; links say what they lead to. Empty where it cannot be read. */
export function listDirectory(path: string): readonly { name: string; kind: 'file' | 'directory' }[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .map(entry => ({ name: entry.name, kind: kindOf(path, entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function kindOf(path: string, entry: Dirent): 'file' | 'directory' {
  if (!entry.isSymbolicLink()) return entry.isDirectory() ? 'directory' : 'file'
  return statusOf(join(path, entry.name))?.isDirectory() === true ? 'directory' : 'file'
}

export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(resolve(path))
  } catch {
    return undefined
  }
}

/**
 * Real paths of many files of few directories, whose own are found once: that a file is no link is seen sooner than what its
 * whole path leads to.
 */
export class RealPaths {
  readonly #directories = new Map<string, string | undefined>()

  of(path: string): string | undefined {
    const parent = dirname(path)
    if (!this.#directories.has(parent)) this.#directories.set(parent, realPath(parent))
    const directory = this.#directories.get(parent)
    if (directory === undefined) return undefined
    const at = join(directory, basename(path))
    try {
      return lstatSync(at).isSymbolicLink() ? realPath(at) : at
    } catch {
      return undefined
    }
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

export const fileExists = (path: string): boolean => statusOf(path) !== undefined

/** Nothing for a path that leads nowhere: a link to itself, or more characters than a path can have. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

interface ReadRuleOptions {
  /** Finds git, to ask what it tracks. Without it every file inside the root counts as tracked. */
  readonly environment?: GitEnvironment
  /** Files and directories that this run takes secrets from. */
  readonly secretPlaces?: readonly string[]
}

/**
 * Which files inside the root are not read. Whoever changes a set file chooses what `file:` reads and so what a plan shows, and
 * a checkout holds more than what was committed: credentials in `.git`, files of other steps, the secrets of this run.
 * Paths are real.
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

  /** What is wrong with a file of configuration; `shown` is its name in the message. */
  document(path: string, shown: string): Wording | undefined {
    if (isOfGit(this.#root, path))
      return [
        'outside-repository',
        `"${shown}" belongs to Git itself.`,
        'Use a file outside .git. A checkout keeps credentials there.',
      ]
    if (this.#secretPlaces.some(place => isInside(place, path)))
      return ['secret-file', `This run takes secrets from "${shown}".`, 'Write `secret: NAME` instead.']
    return undefined
  }

  /** What is wrong with a file whose text is a value. Git is asked once, and only where there is such a file. */
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
    return [
      'untracked-file',
      `Git does not track "${shown}" in this repository.`,
      this.#hint(name, this.#tracked),
    ]
  }

  #hint(name: string, tracked: ReadonlySet<string>): string {
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (tracked.has(name.slice(0, at)))
        return 'Copy the file into this repository. It is in a submodule, which is another one.'
    const path = /^[\w/.@%+-]+$/.test(name) ? `:/${name}` : 'with its path'
    return `If it is not a secret and belongs here, run \`git add ${path}\`. Only files that Git tracks are read.`
  }
}
