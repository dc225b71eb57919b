import { listOf } from '../model/json.ts'
import type { Transport } from '../wire/transport.ts'
import { ArchiveError, fileInZip, LARGEST_ARCHIVE, textIn } from './archive.ts'
import { type MergedRequest, type Merges, NotReviewed, short } from './find-reviewed.ts'
import { each, ForgeError, type ForgeQuery, type Hints, openForge } from './forge-client.ts'
import { sharedMerges } from './merges.ts'
import { type ForgeProject, member, numberAt, textAt, timeAt } from './pull-request.ts'

interface GithubOptions {
  /** The workflow that plans and applies, such as `.github/workflows/setpoint.yml`. */
  readonly workflow: string
  /** The name of the artifact, and of the saved plan in it. */
  readonly artifact: string
  readonly file: string
  /** Downloads from an address that GitHub names, without a token. */
  readonly download: (address: string) => Promise<Buffer>
}

const HINTS: Hints = {
  401: 'The token is wrong or expired: SETPOINT_FORGE_TOKEN, else GITHUB_TOKEN.',
  403: 'The job needs permissions: { contents: read, pull-requests: read, actions: read }.',
  404: 'It does not exist, or the token cannot read it. The job needs permissions: { contents: read, pull-requests: read, actions: read }.',
}

/** GitHub lists at most this many files of a pull request. */
const MOST_FILES = 3_000

/** Merges on GitHub: pull requests, runs of one workflow, and their artifacts. `transport` adds the token. */
export function githubMerges(transport: Transport, project: ForgeProject, options: GithubOptions): Merges {
  const forge = openForge(transport, project, HINTS)
  const { home, ask, get, list } = forge
  const { workflow, artifact, file } = options
  const runs = async (query: ForgeQuery): Promise<WorkflowRun[]> => {
    const { id } = await self()
    const path = `${home}/actions/workflows/${encodeURIComponent(workflow.split('/').at(-1) ?? '')}/runs`
    // The list may also have runs of forks, and of workflows with the same file name.
    return (await list(path, each(runIn, 'workflow_runs'), query, 'a list of runs')).filter(
      run =>
        run.repository === id &&
        run.headRepository === id &&
        run.path === workflow &&
        run.event === query.event &&
        run.branch === query.branch &&
        run.commit === query.head_sha,
    )
  }
  const { self, jobsOf, merges } = sharedMerges(forge, TERMS, (branch, head_sha, event) =>
    runs({ branch, head_sha, event }),
  )
  /** The artifacts with the plan, the newest first. */
  const artifactsOf = async (run: WorkflowRun): Promise<Artifact[]> => {
    const { id } = await self()
    return (await list(`${home}/actions/runs/${run.id}/artifacts`, each(artifactIn, 'artifacts')))
      .filter(
        one =>
          one.name === artifact &&
          one.run === run.id &&
          one.head === run.commit &&
          one.repository === id &&
          one.headRepository === id,
      )
      .toSorted((a, b) => b.id - a.id)
  }
  const planIn = async ({ id, run, bytes }: Artifact): Promise<string> => {
    if (bytes > LARGEST_ARCHIVE)
      throw new NotReviewed(`The artifact "${artifact}" of run ${run} has ${bytes} bytes.`, MAKE_AGAIN)
    const text = acceptedFrom(await options.download(await locationOf(id)), file)
    if (text === undefined)
      throw new NotReviewed(`The artifact "${artifact}" of run ${run} does not contain ${file}.`)
    return text
  }
  /** GitHub redirects to an artifact at an address that is valid for a minute. The token is not sent there. */
  const locationOf = async (id: number): Promise<string> => {
    const path = `${home}/actions/artifacts/${id}/zip`
    const { status, headers } = (await ask({ method: 'GET', path, redirect: true })).response
    if (headers.location !== undefined) return headers.location
    throw new ForgeError(
      `The response of GitHub to GET ${path} has no download address.`,
      status,
      'Run the job again.',
    )
  }
  const hasTag = async (name: string): Promise<boolean> => {
    try {
      return await get(
        `${home}/git/ref/tags/${name.split('/').map(encodeURIComponent).join('/')}`,
        'a tag',
        () => true,
      )
    } catch (error) {
      if (error instanceof ForgeError && error.status === 404) return false
      throw error
    }
  }
  /**
   * A workflow is taken from the base too, and GitHub does not say which base a run had. So no other pull request may have been open
   * for the branch of the run, and the base must not have changed since. Returns whether the pull request was reopened, which plans
   * the same commit again.
   */
  const checkBase = async ({ number, name }: MergedRequest, branch: string, run: WorkflowRun) => {
    const events = await list(`${home}/issues/${number}/events`, each(eventIn))
    if (events.some(({ event, at }) => BASE_CHANGES.has(event) && !(at <= run.createdAt)))
      throw new NotReviewed(`The base of ${name} was changed after its plan was made.`)
    const head = `${project.project.split('/')[0]}:${branch}`
    const open = (await list(`${home}/pulls`, each(openIn), { state: 'all', head })).find(
      one =>
        one.number !== number &&
        one.branch === branch &&
        !(one.openedAt > run.createdAt) &&
        !(one.closedAt < run.createdAt),
    )
    if (open !== undefined)
      throw new NotReviewed(
        `The plan may be of ${name} or of pull request ${open.number}, which was open for the same branch.`,
      )
    return events.some(({ event }) => event === 'reopened')
  }
  return {
    ...merges,
    changedFiles: async ({ number }) => {
      const namesIn = (entry: unknown) =>
        [member(entry, 'filename'), member(entry, 'previous_filename')].filter(
          name => typeof name === 'string',
        )
      const files = await list(`${home}/pulls/${number}/files`, each(namesIn))
      return files.length >= MOST_FILES ? undefined : files.flat()
    },
    isApplied: async (branch, commit, jobs) => {
      const isApplied = await merges.isApplied(branch, commit, jobs)
      // A run of a tag looks like a run of the branch.
      if (isApplied && (await hasTag(branch)))
        throw new NotReviewed(
          `There is a tag "${branch}", so it is unknown what was applied.`,
          `Nothing was written. Delete the tag with the name of the branch, and run the job again.`,
        )
      return isApplied
    },
    approvalsOf: async ({ number, head }) => {
      const path = `${home}/pulls/${number}`
      const author = await get(path, 'a pull request', document => idIn(document, 'user'))
      const commitIn = (entry: unknown) => ({
        commit: textAt(entry, 'sha'),
        by: [idIn(entry, 'author'), idIn(entry, 'committer')],
      })
      const commits = await list(`${path}/commits`, each(commitIn))
      // GitHub lists at most 250 commits. Without the last one it is unknown who wrote it.
      if (commits.at(-1)?.commit !== head) return []
      const writers = new Set([author, ...commits.flatMap(({ by }) => by)])
      const reviews = (await list(`${path}/reviews`, each(reviewIn))).filter(
        ({ state }) => state !== 'COMMENTED' && state !== 'PENDING',
      )
      const last = new Map(reviews.map(one => [one.user, one]))
      return [...last.values()].filter(
        one =>
          one.state === 'APPROVED' &&
          one.head === head &&
          one.at > 0 &&
          one.mayWrite &&
          one.isPerson &&
          Number.isInteger(one.user) &&
          !writers.has(one.user),
      )
    },
    planOf: async request => {
      const where = `${workflow} for ${request.name} at ${short(request.head)}`
      const branch = await get(`${home}/pulls/${request.number}`, 'a pull request', branchIn)
      const own = (await runs({ branch, head_sha: request.head, event: 'pull_request' })).toSorted(
        (a, b) => b.id - a.id,
      )
      const [run] = own
      if (run === undefined) throw new NotReviewed(`There is no run of ${where}.`)
      const wasReopened = await checkBase(request, branch, run)
      if (run.conclusion !== 'success') throw new NotReviewed(`The run of ${where} did not succeed.`)
      const artifacts = await artifactsOf(run)
      const [last] = artifacts
      if (last === undefined) throw new NotReviewed(`Run ${run.id} has no artifact "${artifact}".`)
      if (last.expired) throw new NotReviewed(`The artifact "${artifact}" of run ${run.id} has expired.`)
      // In a new attempt, GitHub lists jobs that did not run again a second time, with the same start.
      const isOnce = async () => {
        const jobs = (await jobsOf(run.id)).filter(({ name }) => name === artifact)
        return new Set(jobs.map(({ id, startedAt }) => startedAt || id)).size === 1
      }
      const isOnly = own.length === 1 && artifacts.length === 1 && !wasReopened
      return {
        text: () => planIn(last),
        madeAt: last.madeAt,
        isOnly: isOnly && (run.attempt === 1 || (await isOnce())),
        startedBy: own.at(-1)?.actor ?? Number.NaN,
      }
    },
  }
}

/** Events of a pull request that give it another base. */
const BASE_CHANGES: ReadonlySet<string> = new Set(['base_ref_changed', 'automatic_base_change_succeeded'])

/** The text of a file in an archive, or `undefined` if there is no such file. */
function acceptedFrom(zip: Buffer, name: string): string | undefined {
  try {
    const bytes = fileInZip(zip, name)
    return bytes && textIn(bytes)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new NotReviewed(`The artifact was rejected: ${error.message}.`, MAKE_AGAIN)
  }
}

const MAKE_AGAIN =
  'Nothing was written. Run the job that created the artifact again, and have its plan approved.'

/** An id of GitHub; `NaN` equals no other one. */
const idIn = (value: unknown, name: string): number => numberAt(member(value, name), 'id')

type WorkflowRun = ReturnType<typeof runIn>
const runIn = (entry: unknown) => ({
  id: numberAt(entry, 'id'),
  event: textAt(entry, 'event'),
  commit: textAt(entry, 'head_sha'),
  // The path of a required workflow of the organization ends with a ref.
  path: textAt(entry, 'path').replace(/@.*$/, ''),
  conclusion: textAt(entry, 'conclusion'),
  branch: textAt(entry, 'head_branch'),
  attempt: numberAt(entry, 'run_attempt'),
  /** Who started the first attempt. */
  actor: idIn(entry, 'actor'),
  createdAt: timeAt(entry, 'created_at'),
  repository: idIn(entry, 'repository'),
  headRepository: idIn(entry, 'head_repository'),
})

type Artifact = ReturnType<typeof artifactIn>
const artifactIn = (entry: unknown) => {
  const run = member(entry, 'workflow_run')
  return {
    id: numberAt(entry, 'id'),
    name: textAt(entry, 'name'),
    expired: member(entry, 'expired') !== false,
    /** Of the archive. */
    bytes: numberAt(entry, 'size_in_bytes'),
    madeAt: timeAt(entry, 'created_at'),
    run: numberAt(run, 'id'),
    head: textAt(run, 'head_sha'),
    repository: numberAt(run, 'repository_id'),
    headRepository: numberAt(run, 'head_repository_id'),
  }
}

const reviewIn = (entry: unknown) => ({
  user: idIn(entry, 'user'),
  // The token of any job can approve as a bot, if the repository allows it.
  isPerson: textAt(member(entry, 'user'), 'type') === 'User',
  state: textAt(entry, 'state'),
  head: textAt(entry, 'commit_id'),
  at: timeAt(entry, 'submitted_at'),
  mayWrite: ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(textAt(entry, 'author_association')),
})

const eventIn = (entry: unknown) => ({ event: textAt(entry, 'event'), at: timeAt(entry, 'created_at') })

const branchIn = (pull: unknown): string => textAt(member(pull, 'head'), 'ref')

const openIn = (entry: unknown) => ({
  number: numberAt(entry, 'number'),
  branch: branchIn(entry),
  openedAt: timeAt(entry, 'created_at'),
  /** `NaN` while it is open. */
  closedAt: timeAt(entry, 'closed_at'),
})

/** A pull request that was merged into the branch of this repository. */
const pullIn =
  (repository: number, branch: string) =>
  (entry: unknown): MergedRequest | undefined => {
    const base = member(entry, 'base')
    const head = member(entry, 'head')
    const number = member(entry, 'number')
    const isMerged = typeof member(entry, 'merged_at') === 'string' && textAt(base, 'ref') === branch
    if (!isMerged || idIn(base, 'repo') !== repository || typeof number !== 'number') return undefined
    return {
      number,
      name: `pull request ${number}`,
      head: textAt(head, 'sha'),
      mergedAs: textAt(entry, 'merge_commit_sha'),
      mergedAt: timeAt(entry, 'merged_at'),
      isFromFork: idIn(head, 'repo') !== repository,
    }
  }

const TERMS = {
  project: 'a repository',
  repository: '',
  pipelines: '/actions/runs',
  commit: 'sha',
  parentsOf: (entry: unknown) => listOf(member(entry, 'parents')).map(parent => textAt(parent, 'sha')),
  historyOf: (tip: string) => ({ sha: tip }),
  requests: 'pulls',
  requestIn: pullIn,
  jobs: { query: { filter: 'all' }, name: 'jobs', state: 'conclusion' },
  events: ['push', 'workflow_dispatch'],
} as const
