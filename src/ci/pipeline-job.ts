import { isAbsolute, join, resolve } from 'node:path'
import { isInside } from '../git/work-tree.ts'
import { type Checked, type Diagnostic, mistake } from '../model/diagnostic.ts'
import { isObject, parseJson } from '../model/json.ts'

/**
 * What a pipeline was started for: a pull request or a place in a queue, the default branch after a merge or by hand, or its
 * schedule.
 */
export type PipelineEvent = 'pull' | 'main' | 'schedule'

/** The commands of a job: one for each token. */
export type PipelineStep = 'plan' | 'apply' | 'report'

/** A job of a pipeline, as its forge describes it. Nothing of it has a default. */
export interface PipelineJob {
  readonly forge: 'github' | 'gitlab' | 'none'
  readonly event: PipelineEvent
  /** A person started it on the default branch, and no merge. */
  readonly isByHand: boolean
  /** Its name in the file of the pipeline. */
  readonly name: string
  /** Equal in all jobs and attempts of the pipeline. */
  readonly id: string
  /** The commit that the forge checks out. */
  readonly commit: string
  /** The page of the pipeline, for people. */
  readonly url?: string
  /** The directory that the door must be in, which exists. */
  readonly home: string
  /** What this job hands over: a directory below `home`. */
  readonly own: string
  /** What another job handed over. */
  readonly from: (job: string) => string
  /** The checkout, where the directory is inside of it. */
  readonly checkout?: string
  /** The base of its plan, as far as the environment says it. */
  readonly base?: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** The directory in the checkout where jobs of GitLab hand over. No commit may contain this name. */
export const FOLDER = '.setpoint-ci'

/** Reads the environment of a job. `event`: the text of the file that `GITHUB_EVENT_PATH` names; `head`: the commit of the checkout. */
export function readJob(
  env: Variables,
  step: PipelineStep,
  { event, head, root }: { readonly event?: string; readonly head?: string; readonly root?: string },
): Checked<PipelineJob> {
  // GitLab comes first: its runner may run inside an action of GitHub, but not the other way round.
  if (env.SETPOINT_CI_EVENT) return elsewhere(env, step, head, root)
  if (env.GITLAB_CI === 'true') return ofGitlab(env)
  if (env.GITHUB_ACTIONS === 'true') return ofGithub(env, event)
  return { value: undefined, diagnostics: [NO_PIPELINE] }
}

function ofGithub(env: Variables, event = ''): Checked<PipelineJob> {
  const need = needs(env, ['RUNNER_TEMP', 'GITHUB_RUN_ID', 'GITHUB_JOB', 'GITHUB_SHA', 'GITHUB_REF'])
  const payload = parseJson(event)
  const repository = isObject(payload) && isObject(payload.repository) ? payload.repository : {}
  const branch = repository.default_branch
  const isMain = typeof branch === 'string' && env.GITHUB_REF === `refs/heads/${branch}`
  const kind = githubEvent(env.GITHUB_EVENT_NAME, isMain)
  if (kind === undefined)
    need.push(otherEvent(`GitHub's event "${env.GITHUB_EVENT_NAME}" on ${env.GITHUB_REF}`))
  if (need.length > 0 || kind === undefined) return { value: undefined, diagnostics: need }
  const temp = env.RUNNER_TEMP ?? ''
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run = '' } = env
  const value: PipelineJob = {
    forge: 'github',
    event: kind,
    isByHand: env.GITHUB_EVENT_NAME === 'workflow_dispatch',
    name: env.GITHUB_JOB ?? '',
    id: run,
    commit: env.GITHUB_SHA ?? '',
    url: server && name && `${server}/${name}/actions/runs/${run}`,
    home: temp,
    own: join(temp, 'setpoint', 'out'),
    from: () => join(temp, 'setpoint', 'in'),
    // The checkout is the merge commit.
    base: kind === 'pull' ? 'HEAD^1' : undefined,
  }
  return { value, diagnostics: [] }
}

function githubEvent(name: string | undefined, isMain: boolean): PipelineEvent | undefined {
  if (name === 'pull_request' || name === 'merge_group') return 'pull'
  if (!isMain) return undefined
  if (name === 'push' || name === 'workflow_dispatch') return 'main'
  return name === 'schedule' ? 'schedule' : undefined
}

function ofGitlab(env: Variables): Checked<PipelineJob> {
  const need = needs(env, ['CI_PROJECT_DIR', 'CI_PIPELINE_ID', 'CI_JOB_NAME', 'CI_COMMIT_SHA'])
  const { CI_PIPELINE_SOURCE: source, CI_COMMIT_BRANCH: branch, CI_DEFAULT_BRANCH: main } = env
  const kind = gitlabEvent(source, main !== undefined && branch === main)
  if (kind === undefined)
    need.push(otherEvent(`GitLab's pipeline source "${source}" on ${branch ?? 'no branch'}`))
  const name = env.CI_JOB_NAME ?? ''
  if (!isName(name))
    need.push(
      mistake('bad-usage', 'The name of this job has other characters than letters, digits, - and _.'),
    )
  if (need.length > 0 || kind === undefined) return { value: undefined, diagnostics: need }
  const checkout = env.CI_PROJECT_DIR ?? ''
  const value: PipelineJob = {
    forge: 'gitlab',
    event: kind,
    isByHand: source === 'web',
    name,
    id: env.CI_PIPELINE_ID ?? '',
    commit: env.CI_COMMIT_SHA ?? '',
    url: env.CI_PIPELINE_URL,
    home: checkout,
    own: join(checkout, FOLDER, name),
    from: job => join(checkout, FOLDER, job),
    checkout,
    base: kind === 'pull' ? 'FETCH_HEAD' : undefined,
  }
  return { value, diagnostics: [] }
}

function gitlabEvent(source: string | undefined, isMain: boolean): PipelineEvent | undefined {
  if (source === 'merge_request_event') return 'pull'
  if (!isMain) return undefined
  if (source === 'push' || source === 'web') return 'main'
  return source === 'schedule' ? 'schedule' : undefined
}

/** Any other scheduler: three variables, and the commit that is checked out. */
function elsewhere(env: Variables, step: PipelineStep, head = '', root?: string): Checked<PipelineJob> {
  const { SETPOINT_CI_EVENT: event, SETPOINT_CI_DIR: directory = '', SETPOINT_CI_BASE: base } = env
  const diagnostics: Diagnostic[] = []
  const kind = EVENTS.find(one => one === event)
  if (kind === undefined)
    diagnostics.push(mistake('bad-usage', 'SETPOINT_CI_EVENT must be pull, main or schedule.'))
  if (!isAbsolute(directory) || (root !== undefined && isInside(root, resolve(directory))))
    diagnostics.push(
      mistake(
        'bad-usage',
        'SETPOINT_CI_DIR must be an absolute path outside the repository.',
        'Use a directory that only this pipeline can write to: its jobs pass their results on there, and a commit must not be able to.',
      ),
    )
  if (kind === 'main' && !base)
    diagnostics.push(
      mistake('bad-usage', 'SETPOINT_CI_BASE is not set.', 'Name the commit that was applied last.'),
    )
  if (head === '') diagnostics.push(mistake('bad-usage', 'This directory is not a checkout of a Git commit.'))
  if (diagnostics.length > 0 || kind === undefined) return { value: undefined, diagnostics }
  const value: PipelineJob = {
    forge: 'none',
    event: kind,
    isByHand: false,
    name: step,
    id: head,
    commit: head,
    home: directory,
    own: join(directory, step),
    from: job => join(directory, job),
    base: base || undefined,
  }
  return { value, diagnostics: [] }
}

const EVENTS: readonly PipelineEvent[] = ['pull', 'main', 'schedule']

const isName = (text: string): boolean => /^[\w-]{1,100}$/.test(text)

const needs = (env: Variables, names: readonly string[]): Diagnostic[] =>
  names
    .filter(name => !env[name])
    .map(name =>
      mistake('bad-usage', `${name} is not set.`, 'Run this in a job of the forge, which sets it.'),
    )

const otherEvent = (what: string) =>
  mistake(
    'bad-usage',
    `${what} is neither a pull request, nor the default branch, nor its schedule.`,
    'Run "setpoint ci" for these only: the pipeline of setpoint init --pipeline has the conditions.',
  )

const NO_PIPELINE = mistake(
  'bad-usage',
  'This is not a job of GitHub or GitLab.',
  'Elsewhere, set SETPOINT_CI_EVENT, SETPOINT_CI_DIR and SETPOINT_CI_BASE. See docs/ci.md.',
)
