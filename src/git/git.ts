import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { isInside, realPath, workTreeRoot, workTreesAround } from './work-tree.ts'

export type GitEnvironment = Readonly<Record<string, string | undefined>>

interface GitResult {
  /** 0 for success. Negative if git did not run to its end. */
  readonly status: number
  readonly output: string
  /** What git wrote to stderr. */
  readonly error: string
}

interface GitInput {
  readonly input?: string
  /** Receives the output in chunks, in place of `output`. An error that it throws ends git and is passed on. */
  readonly take?: (piece: Buffer) => void
}

/**
 * Git for one work tree, and the only place that starts it. A repository may be malicious, and git runs programs that configuration and
 * attributes name. So the repository is given and never searched for, and only its own configuration is read. No command here runs a
 * program that this configuration could name: files are read as Git stores them. Git sees no secret of this process.
 */
export class Git {
  /** The real path of the work tree. */
  readonly root: string
  readonly #program: string | undefined
  readonly #arguments: readonly string[]
  readonly #options: SpawnOptions

  private constructor(root: string, environment: GitEnvironment) {
    this.root = root
    const directories = searched(root, environment)
    this.#program = directories.map(programIn).find(found => found !== undefined)
    this.#arguments = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, ...PLAIN]
    const { SystemRoot } = environment
    this.#options = {
      cwd: root,
      env: { ...ENVIRONMENT, PATH: directories.join(delimiter), ...(SystemRoot && { SystemRoot }) },
      windowsHide: true,
    }
  }

  /** For the work tree around a directory, or `undefined` without one. Uses the `PATH` of the environment. */
  static around(directory: string, environment: GitEnvironment): Git | undefined {
    const root = workTreeRoot(realpathSync(directory))
    return root === undefined ? undefined : new Git(root, environment)
  }

  run(words: readonly string[], { input = '', take }: GitInput = {}): Promise<GitResult> {
    const program = this.#program
    if (program === undefined) return Promise.resolve(NO_PROGRAM)
    return new Promise((resolve, reject) => {
      const child = spawn(program, [...this.#arguments, ...words], { ...this.#options, stdio: 'pipe' })
      const output: Buffer[] = []
      const errors: Buffer[] = []
      let thrown: unknown
      const taken = (piece: Buffer): void => {
        if (take === undefined) return void output.push(piece)
        if (thrown !== undefined) return
        try {
          take(piece)
        } catch (error) {
          thrown = error
          child.kill()
        }
      }
      child.stdout.on('data', taken)
      child.stderr.on('data', (piece: Buffer) => void errors.push(piece))
      // Git may end before it has read all input.
      child.stdin.on('error', () => {}).end(input)
      child.on('error', error => resolve({ status: -1, output: '', error: error.message }))
      child.on('close', code => {
        if (thrown !== undefined) return reject(thrown)
        resolve({ status: code ?? -1, output: textOf(output), error: textOf(errors).trim() })
      })
    })
  }

  /**
   * Reads objects in one call, byte for byte as Git stores them, and gives each in order: cut one byte after `mostBytes`, and `undefined`
   * if this clone lacks it. Rejects with an `Error` if git fails, or with what `give` throws.
   */
  async objects<E extends ObjectToRead>(
    entries: readonly E[],
    mostBytes: number,
    give: (entry: E, bytes: Buffer | undefined) => void,
  ): Promise<void> {
    if (entries.length === 0) return
    const take = batchReader(entries, mostBytes, give)
    const input = entries.map(({ object }) => `${object}\n`).join('')
    const read = await this.run(['cat-file', '--batch'], { input, take })
    if (read.status !== 0) throw new Error(read.error)
  }

  /** All tracked files, as paths below the root with `/`, or why they cannot be listed; with `path`, those there. Synchronous. */
  tracked(path?: string): ReadonlySet<string> | string {
    if (this.#program === undefined) return NO_PROGRAM.error
    const there = path === undefined ? [] : ['--', path]
    const words = [...this.#arguments, 'ls-files', '-z', '--cached', '--full-name', ...there]
    const { status, stdout, stderr, error } = spawnSync(this.#program, words, {
      ...this.#options,
      maxBuffer: Infinity,
    })
    if (status === 0) return new Set(stdout.toString().split('\0').slice(0, -1))
    return error?.message ?? stderr.toString().trim()
  }
}

/**
 * Whether a repository around this real path tracks it, or something below it; or why Git cannot tell. `within`: only repositories from
 * this directory down.
 */
export function isTracked(path: string, environment: GitEnvironment, within?: string): boolean | string {
  let doubt: string | undefined
  for (const root of workTreesAround(path)) {
    if (within !== undefined && !isInside(within, root)) break
    const tracked = Git.around(root, environment)?.tracked(path)
    if (typeof tracked === 'string') doubt = tracked
    else if (tracked !== undefined && tracked.size > 0) return true
  }
  return doubt ?? false
}

/**
 * The same of a file as it was named, in the repository around `directory`: whoever changes that repository chooses what is in it. A link
 * that Git tracks counts, whatever it leads to.
 */
export function isTrackedHere(
  directory: string,
  file: string,
  environment: GitEnvironment,
): boolean | string {
  const here = realPath(directory)
  const root = here === undefined ? undefined : workTreeRoot(here)
  const path = resolve(directory, file)
  const parent = realPath(dirname(path))
  const named = parent === undefined ? [] : [join(parent, basename(path))]
  for (const one of new Set([...named, realPath(path) ?? path])) {
    const found = root !== undefined && isInside(root, one) && isTracked(one, environment, root)
    if (found !== false) return found
  }
  return false
}

interface ObjectToRead {
  readonly object: string
}

/** Splits the output of `git cat-file --batch`, in chunks of any size, into objects. */
function batchReader<E extends ObjectToRead>(
  entries: readonly E[],
  mostBytes: number,
  give: (entry: E, bytes: Buffer | undefined) => void,
): (piece: Buffer) => void {
  const waiting = entries.values()
  let head = Buffer.alloc(0)
  let body: { readonly entry: E; readonly size: number; readonly kept: Buffer[]; seen: number } | undefined

  /** `<object> <type> <size>` on a line, or `<object> missing`. */
  function takeHead(piece: Buffer): Buffer {
    const end = piece.indexOf('\n')
    head = Buffer.concat([head, end < 0 ? piece : piece.subarray(0, end)])
    if (end < 0) return piece.subarray(piece.length)
    const size = /^\w+ blob (\d+)$/.exec(head.toString())?.[1]
    const { value: entry } = waiting.next()
    head = Buffer.alloc(0)
    if (entry === undefined) throw new Error('git returned more than was requested')
    if (size === undefined) give(entry, undefined)
    else body = { entry, size: Number(size), kept: [], seen: 0 }
    return piece.subarray(end + 1)
  }

  /** The bytes and the line end after them. */
  function takeBody(piece: Buffer, open: NonNullable<typeof body>): Buffer {
    const part = piece.subarray(0, open.size - open.seen)
    const room = mostBytes + 1 - open.seen
    if (room > 0) open.kept.push(part.subarray(0, room))
    open.seen += part.length
    if (part.length === piece.length) return piece.subarray(part.length)
    give(open.entry, Buffer.concat(open.kept))
    body = undefined
    return piece.subarray(part.length + 1)
  }

  return piece => {
    for (let rest = piece; rest.length > 0; )
      rest = body === undefined ? takeHead(rest) : takeBody(rest, body)
  }
}

const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString()

const NO_PROGRAM: GitResult = { status: -1, output: '', error: 'git is not in the PATH' }

/** The directories of the `PATH`, except those inside the repository: a commit may have put programs there. */
const searched = (root: string, { PATH = '/usr/local/bin:/usr/bin:/bin' }: GitEnvironment): string[] =>
  PATH.split(delimiter).filter(path => {
    const real = isAbsolute(path) ? realPath(path) : undefined
    return real !== undefined && !isInside(root, real)
  })

function programIn(directory: string): string | undefined {
  return ['git', 'git.exe']
    .map(name => join(directory, name))
    .find(path => {
      try {
        accessSync(path, constants.X_OK)
        return statSync(path).isFile()
      } catch {
        return false
      }
    })
}

/** Switches off everything in a repository's configuration that could run a program, and never fetches missing objects. */
const PLAIN = [
  '--no-pager',
  '--no-replace-objects',
  '--literal-pathspecs',
  ...[
    'safe.bareRepository=explicit',
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.sshCommand=false',
    'core.pager=cat',
    'core.attributesFile=/dev/null',
    'advice.graftFileDeprecated=false',
    'protocol.allow=never',
    'submodule.recurse=false',
  ].flatMap(setting => ['-c', setting]),
]

/** The whole environment of git, except for the `PATH`. Without `HOME` it finds no configuration there. */
const ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
}
