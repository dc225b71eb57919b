import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { writeCommit } from '../git/commits.ts'
import { Git, type GitEnvironment } from '../git/git.ts'
import { type Checked, type Diagnostic, mistake, none, warning } from '../model/diagnostic.ts'

/** The files of a commit, in a temporary directory until `close`. */
interface BaseFiles {
  readonly commit: string
  /** Real path of the directory that corresponds to the work tree. */
  readonly root: string
  /** The directory that corresponds to the requested one. */
  readonly directory: string
  readonly close: () => Promise<void>
}

/**
 * Writes the files of `ref` into a temporary directory, without touching the work tree, its index or its branches. `directory`
 * lies in the repository and says which directory of the commit is meant. A file larger than `mostBytes` is cut just above
 * that limit. Needs `git`.
 */
export async function baseFiles(
  directory: string,
  ref: string,
  mostBytes: number,
  environment: GitEnvironment,
): Promise<Checked<BaseFiles>> {
  const here = await realpath(directory).catch(() => undefined)
  const git = here === undefined ? undefined : Git.around(here, environment)
  if (here === undefined || git === undefined) return none(noRepository(directory, 'there is no work tree'))
  const found = await git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
  if (found.status < 0) return none(noRepository(directory, found.error))
  const commit = found.output.trim()
  if (found.status !== 0 || !/^[0-9a-f]+$/.test(commit)) return none(noCommit(ref, found.error))
  const root = await realpath(await mkdtemp(join(tmpdir(), 'setpoint-base-')))
  const close = (): Promise<void> => rm(root, { recursive: true, force: true })
  try {
    await writeCommit(git, commit, root, mostBytes)
  } catch (error) {
    await close()
    return none(unreadable(ref, error instanceof Error ? error.message.replaceAll(root, '') : String(error)))
  }
  const diagnostics = (await isAncestor(git, commit)) ? [] : [behind(ref)]
  return { value: { commit, root, directory: join(root, relative(git.root, here)), close }, diagnostics }
}

/** A shallow clone cannot tell; it counts as complete. */
async function isAncestor(git: Git, commit: string): Promise<boolean> {
  const { status } = await git.run(['merge-base', '--is-ancestor', commit, 'HEAD'])
  return status !== 1 || (await git.run(['rev-parse', '--is-shallow-repository'])).output.trim() === 'true'
}

const noRepository = (directory: string, said: string): Diagnostic =>
  mistake(
    'unknown-base-commit',
    `--base needs git and a repository around ${JSON.stringify(directory)}: ${said}.`,
  )

/** `HEAD~2` and the like: so many commits before the newest one. */
const ANCESTOR = /^(?:HEAD|@)(?:\^|~(\d*))$/

function noCommit(ref: string, said: string): Diagnostic {
  const ancestor = ANCESTOR.exec(ref)
  const fetch =
    ancestor === null
      ? 'git fetch --depth=1 origin main, then --base FETCH_HEAD'
      : `git fetch --deepen=${ancestor[1] || '1'}`
  return mistake(
    'unknown-base-commit',
    `This clone has no commit ${JSON.stringify(ref)}${said === '' ? '' : `: ${said}`}.`,
    `Fetch the base first, because pipelines often clone a single commit: ${fetch}.`,
  )
}

const unreadable = (ref: string, said: string): Diagnostic =>
  mistake(
    'unknown-base-commit',
    `The files of ${JSON.stringify(ref)} cannot be read: ${said}.`,
    'Clone without --filter, so that the clone has every file of that commit. Setpoint fetches nothing.',
  )

const behind = (ref: string): Diagnostic =>
  warning(
    'behind-base',
    `This branch lacks commits of ${JSON.stringify(ref)}, so the plan shows their changes as reverted.`,
    'Rebase or merge first, or compare with the commit where the branch began: --base "$(git merge-base origin/main HEAD)".',
  )
