import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isInside, realOf, workTreeRoot } from './work-tree.ts'

export type GitEnvironment = Readonly<Record<string, string | undefined>>

export interface GitResult {
  /** 0: it went well. Negative where git did not run to its end. */
  readonly status: number
  readonly output: string
  /** What git said beside it. */
  readonly error: string
}

interface GitInput {
  readonly input?: string
  /** Takes the output piece by piece instead of `output`. What it throws ends git, and is thrown on. */
  readonly take?: (piece: Buffer) => void
}

/**
 * Git for one work tree, and the only way that it is started. A repository may have been made by somebody who means harm, and
 * git runs programs that a configuration or an attribute names. So the repository is named and never searched for; no
 * configuration but its own is read, and nothing that its own could run is part of what is asked here: files are read as
 * Git stores them. Git sees none of the secrets of this process.
 */
export class Git {
  /** Real path of the work tree. */
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

  /** For the work tree around a directory; `undefined` where there is none. Of the environment the `PATH` is looked at. */
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
      // It may end before it has read everything.
      child.stdin.on('error', () => {}).end(input)
      child.on('error', error => resolve({ status: -1, output: '', error: error.message }))
      child.on('close', code => {
        if (thrown !== undefined) return reject(thrown)
        resolve({ status: code ?? -1, output: textOf(output), error: textOf(errors).trim() })
      })
    })
  }

  /** All files that Git knows here, by their paths below the root with `/`; or why they cannot be listed. Waits for git. */
  tracked(): ReadonlySet<string> | string {
    if (this.#program === undefined) return NO_PROGRAM.error
    const words = [...this.#arguments, 'ls-files', '-z', '--cached', '--full-name']
    const { status, stdout, stderr, error } = spawnSync(this.#program, words, {
      ...this.#options,
      maxBuffer: Infinity,
    })
    if (status === 0) return new Set(stdout.toString().split('\0'))
    return error?.message ?? stderr.toString().trim()
  }
}

const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString()

const NO_PROGRAM: GitResult = { status: -1, output: '', error: 'there is no git in the PATH' }

/** Directories of the `PATH`, but for those that a commit may have put programs into. */
const searched = (root: string, { PATH = '/usr/local/bin:/usr/bin:/bin' }: GitEnvironment): string[] =>
  PATH.split(delimiter).filter(path => {
    const real = isAbsolute(path) ? realOf(path) : undefined
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

/** What a repository may configure and what could act on a question: switched off, and nothing is fetched that is missing. */
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

/** All that git gets to see, beside the `PATH`. Without `HOME` no version of it finds a configuration there. */
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
