import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Checked, Diagnostic } from '../model/diagnostic.ts'

/** The files of a commit, in a directory of their own until `close`. */
export interface BaseFiles {
  readonly commit: string
  /** The counterpart of the directory that was asked for. */
  readonly directory: string
  readonly close: () => Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Nothing that a repository configures may run: no hooks, no monitor, no filter; and nobody is asked anything. */
const QUIET = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'filter.lfs.process=',
  '-c',
  'filter.lfs.smudge=',
  '-c',
  'filter.lfs.required=false',
]

/**
 * Lays out the files of `ref`, beside and without touching the working tree, its index or its branches. `directory` lies
 * in the repository and says which directory of the commit is meant. Needs `git`.
 */
export async function baseFiles(
  directory: string,
  ref: string,
  environment: Environment,
): Promise<Checked<BaseFiles>> {
  const git = (args: readonly string[], more: Environment = {}): Promise<Answer> =>
    runGit(directory, args, { ...environment, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', ...more })
  const prefix = await git(['rev-parse', '--show-prefix'])
  if (prefix.status !== 0) return none(noRepository(directory, prefix.error))
  const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
  if (found.status !== 0) return none(noCommit(ref))
  const commit = found.text
  const place = await realpath(await mkdtemp(join(tmpdir(), 'setpoint-base-')))
  const close = (): Promise<void> => rm(place, { recursive: true, force: true })
  const tree = join(place, 'tree')
  // The loader reads nothing outside a repository, and finds its root by this.
  await mkdir(join(tree, '.git'), { recursive: true })
  const index = { GIT_INDEX_FILE: join(place, 'index') }
  const read = await git(['read-tree', commit], index)
  const laid =
    read.status === 0
      ? await git(['-C', await rootOf(git), 'checkout-index', '--all', `--prefix=${tree}/`], index)
      : read
  if (laid.status !== 0) {
    await close()
    return none(unreadable(ref, laid.error))
  }
  const diagnostics = (await isAncestor(git, commit)) ? [] : [behind(ref)]
  return { value: { commit, directory: join(tree, prefix.text), close }, diagnostics }
}

type Git = (args: readonly string[]) => Promise<Answer>

const rootOf = async (git: Git): Promise<string> => (await git(['rev-parse', '--show-toplevel'])).text

/** A shallow clone does not know; it is given the benefit of the doubt. */
async function isAncestor(git: Git, commit: string): Promise<boolean> {
  const { status } = await git(['merge-base', '--is-ancestor', commit, 'HEAD'])
  return status !== 1 || (await git(['rev-parse', '--is-shallow-repository'])).text === 'true'
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly error: string
}

const runGit = (cwd: string, args: readonly string[], env: Environment): Promise<Answer> =>
  new Promise(resolve => {
    const options = { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
    execFile('git', [...QUIET, ...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      const text = stdout.replace(/\n$/, '')
      resolve({ status, text, error: stderr.trim() || (error?.message ?? '') })
    })
  })

const none = (diagnostic: Diagnostic): Checked<BaseFiles> => ({ value: undefined, diagnostics: [diagnostic] })

const noRepository = (directory: string, said: string): Diagnostic => ({
  severity: 'error',
  code: 'unknown-base-commit',
  message: `--base needs git and a repository around ${JSON.stringify(directory)}: ${said}.`,
})

const noCommit = (ref: string): Diagnostic => ({
  severity: 'error',
  code: 'unknown-base-commit',
  message: `There is no commit ${JSON.stringify(ref)} in this clone.`,
  hint: 'A pipeline often clones one commit only. Fetch the base first: git fetch --depth=1 origin main, then --base FETCH_HEAD.',
})

const unreadable = (ref: string, said: string): Diagnostic => ({
  severity: 'error',
  code: 'unknown-base-commit',
  message: `The files of ${JSON.stringify(ref)} cannot be laid out: ${said}.`,
})

const behind = (ref: string): Diagnostic => ({
  severity: 'warning',
  code: 'behind-base',
  message: `This branch lacks commits of ${JSON.stringify(ref)}, so what they changed reads as if it were taken back here.`,
  hint: 'Rebase or merge first, or name the commit where the branch began: --base "$(git merge-base origin/main HEAD)".',
})
