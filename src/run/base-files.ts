import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { loadDesired } from '../config/load.ts'
import { DEFAULT_LIMITS } from '../config/loader-limits.ts'
import { writeCommit } from '../git/commits.ts'
import { Git, type GitEnvironment } from '../git/git.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none, warning } from '../model/diagnostic.ts'
import type { Rule } from '../model/rule.ts'
import type { DesiredState } from '../model/variable-set.ts'
import { loadOptions } from './commands/load-files.ts'
import type { Run } from './run.ts'

/** The commit that `--base` names. Its rules also count if its other files are not valid. */
export interface Base {
  /** As the user named it. */
  readonly ref: string
  readonly commit: string
  /** Absent if they are not valid. */
  readonly desired?: DesiredState | undefined
  readonly rules?: readonly Rule[] | undefined
}

/**
 * Neither value nor error without `--base`. If the files of the base are not valid, nothing is compared with them, because a change that
 * repairs them must get a plan. But without its rule files there is no plan: the change might break what they say.
 */
export async function loadBase(run: Run): Promise<Checked<Base>> {
  const { base: ref, limits } = run.options
  if (ref === undefined) return { value: undefined, diagnostics: [] }
  const most = limits.fileBytes ?? DEFAULT_LIMITS.fileBytes
  const { value: files, diagnostics } = await baseFiles(run.cwd, ref, most, run.env)
  if (files === undefined) return { value: undefined, diagnostics }
  try {
    const { directory, root, commit } = files
    const loaded = await loadDesired({
      ...loadOptions(run),
      directory,
      root,
      rules: [],
      leavesCode: true,
    })
    const { value: desired, rules, ruleErrors } = loaded
    const broken = brokenBase(ref, loaded.diagnostics, directory, run.options.onlyThisChange)
    const said =
      ruleErrors.length > 0 ? [brokenBaseRules(ref, ruleErrors)] : desired === undefined ? [broken] : []
    return { value: { ref, commit, desired, rules }, diagnostics: [...diagnostics, ...said] }
  } finally {
    await files.close()
  }
}

const brokenBaseRules = (ref: string, [first]: readonly Diagnostic[]): Diagnostic =>
  mistake(
    'broken-base',
    `The rules of ${JSON.stringify(ref)} cannot be read, and might forbid this plan. ${first?.message}`,
    'Repair them there first, in a change that is planned without --base.',
  )

/** `place`: the temporary directory of the base, which means nothing to a user. */
const brokenBase = (
  ref: string,
  diagnostics: readonly Diagnostic[],
  place: string,
  isNeeded: boolean,
): Diagnostic => {
  const errors = diagnostics.filter(diagnostic => hasErrors([diagnostic]))
  const more = errors.length > 1 ? ` (${errors.length} errors)` : ''
  const said = errors[0]?.message.replaceAll(place.replace(/\/$/, ''), 'its directory')
  const message = `The files of ${JSON.stringify(ref)} are not valid${more}. ${said ?? 'They cannot be read.'}`
  return isNeeded
    ? mistake(
        'broken-base',
        message,
        'Without them, it is unknown what this change asks for. Plan without --only-this-change.',
      )
    : warning('broken-base', message, 'This plan shows no origins of changes and no loosened settings.')
}

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
async function baseFiles(
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
    `Fetch the base first, because pipelines often clone a single commit: ${fetch}`,
  )
}

const unreadable = (ref: string, said: string): Diagnostic =>
  mistake(
    'unknown-base-commit',
    `The files of ${JSON.stringify(ref)} cannot be read: ${said}.`,
    'Clone without --filter, so that the clone has every file of that commit. Setpoint fetches nothing.',
  )

/** Within quotes of a shell, too. */
const NEEDS_NO_QUOTES = /^\w[\w./-]*$/

const behind = (ref: string): Diagnostic =>
  warning(
    'behind-base',
    `This branch lacks commits of ${JSON.stringify(ref)}, so the plan shows their changes as reverted.`,
    `Rebase or merge first, or compare with the commit where the branch began: --base "$(git merge-base ${NEEDS_NO_QUOTES.test(ref) ? ref : 'origin/main'} HEAD)".`,
  )
