import type { Transport } from '../wire/transport.ts'
import { ArchiveError, fileInZip, textIn } from './archive.ts'
import { each, ForgeError, type ForgeQuery, type Hints, openForge, PAGE } from './client.ts'
import { sharedMerges } from './merges.ts'
import { type ForgeProject, listOf, member, numberAt, textAt, timeAt } from './pull-request.ts'
import { type MergedRequest, type Merges, NotReviewed, type PlanLeft, short } from './reviewed.ts'

export interface GithubOptions {
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

/** Events that a merge or a person triggers, and that no pull request can. */
const ON_BRANCH: ReadonlySet<string> = new Set(['push', 'workflow_dispatch'])
/** Maximum number of runs to search for the last apply. */
const MOST_RUNS = 50
/** GitHub lists at most this many files of a pull request. */
const MOST_FILES = 3_000

/** Merges on GitHub: pull requests, runs of one workflow, and their artifacts. `transport` adds the token. */
export function githubMerges(transport: Transport, project: ForgeProject, options: GithubOptions): Merges {
  const forge = openForge(transport, project, HINTS)
  const { home, ask, get, list } = forge
  const { workflow, artifact, file } = options
  const newest = async (branch: string) =>
    (await runs({ branch })).filter(run => ON_BRANCH.has(run.event)).slice(0, MOST_RUNS)
  const { self, merges } = sharedMerges(forge, TERMS, newest)
  const runs = async (query: ForgeQuery): Promise<WorkflowRun[]> => {
    const { id } = await self()
    const path = `${home}/actions/workflows/${encodeURIComponent(workflow.split('/').at(-1) ?? '')}/runs`
    const pages = { ...query, per_page: `${PAGE}` }
    const found = await get(path, 'a list of runs', each(runIn, 'workflow_runs'), pages)
    // The list also has runs of forks, and of workflows with the same file name.
    return found.filter(
      ({ repository, headRepository, path: of, commit }) =>
        repository === id &&
        headRepository === id &&
        of === workflow &&
        (query.head_sha === undefined || commit === query.head_sha),
    )
  }
  const artifactOf = async (run: WorkflowRun): Promise<PlanLeft> => {
    const { id } = await self()
    const path = `${home}/actions/runs/${run.id}/artifacts`
    const own = (await list(path, each(artifactIn, 'artifacts'), { name: artifact })).filter(
      one =>
        one.name === artifact &&
        one.run === run.id &&
        one.head === run.commit &&
        one.repository === id &&
        one.headRepository === id,
    )
    const last = own.toSorted((a, b) => b.id - a.id)[0]
    if (last === undefined) throw new NotReviewed(`Run ${run.id} has no artifact "${artifact}".`)
    if (last.expired) throw new NotReviewed(`The artifact "${artifact}" of run ${run.id} has expired.`)
    const text = acceptedFrom(await options.download(await locationOf(last.id)), file)
    if (text === undefined)
      throw new NotReviewed(`The artifact "${artifact}" of run ${run.id} does not contain ${file}.`)
    const { madeAt } = last
    // If only other jobs ran again, the plan is still that of an earlier attempt.
    return { text, madeAt, isAgain: run.attempt !== 1 && !(madeAt < run.startedAt) }
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
    isApproved: async (request, after = 0) => {
      const path = `${home}/pulls/${request.number}`
      const author = await get(path, 'a pull request', document => idIn(document, 'user'))
      const commitIn = (entry: unknown) => ({
        commit: textAt(entry, 'sha'),
        by: [idIn(entry, 'author'), idIn(entry, 'committer')],
      })
      const commits = await list(`${path}/commits`, each(commitIn))
      // GitHub lists at most 250 commits. Without the last one it is unknown who wrote it.
      if (commits.at(-1)?.commit !== request.head) return false
      const writers = new Set([author, ...commits.flatMap(({ by }) => by)])
      const reviews = (await list(`${path}/reviews`, each(reviewIn))).filter(
        ({ state }) => state !== 'COMMENTED' && state !== 'PENDING',
      )
      const last = new Map(reviews.map(one => [one.user, one]))
      return [...last.values()].some(
        ({ user, isPerson, state, head, at, mayWrite }) =>
          state === 'APPROVED' &&
          head === request.head &&
          at > after &&
          mayWrite &&
          isPerson &&
          user !== undefined &&
          !writers.has(user),
      )
    },
    planOf: async request => {
      const merged = await runs({ head_sha: request.mergedAs })
      const queued = merged.filter(({ event }) => event === 'merge_group')
      const own =
        queued.length > 0
          ? queued
          : (await runs({ head_sha: request.head })).filter(({ event }) => event === 'pull_request')
      const [run, another] = own
      const where = `${workflow} for ${request.name} at ${short(request.head)}`
      if (run === undefined) throw new NotReviewed(`There is no run of ${where}.`)
      if (another !== undefined)
        throw new NotReviewed(
          `There are ${own.length} runs of ${where}. It is unknown which of their plans was reviewed.`,
        )
      if (run.conclusion !== 'success') throw new NotReviewed(`The run of ${where} did not succeed.`)
      return await artifactOf(run)
    },
  }
}

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

/** An id of GitHub; `undefined` equals no other one. */
const idIn = (value: unknown, name: string): number | undefined => {
  const id = member(member(value, name), 'id')
  return typeof id === 'number' ? id : undefined
}

type WorkflowRun = ReturnType<typeof runIn>
const runIn = (entry: unknown) => ({
  id: numberAt(entry, 'id'),
  event: textAt(entry, 'event'),
  commit: textAt(entry, 'head_sha'),
  // The path of a required workflow of the organization ends with a ref.
  path: textAt(entry, 'path').replace(/@.*$/, ''),
  conclusion: textAt(entry, 'conclusion'),
  attempt: numberAt(entry, 'run_attempt'),
  /** Of the newest attempt. */
  startedAt: timeAt(entry, 'run_started_at'),
  repository: idIn(entry, 'repository'),
  headRepository: idIn(entry, 'head_repository'),
})

const artifactIn = (entry: unknown) => {
  const run = member(entry, 'workflow_run')
  return {
    id: numberAt(entry, 'id'),
    name: textAt(entry, 'name'),
    expired: member(entry, 'expired') !== false,
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
      isForeign: idIn(head, 'repo') !== repository,
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
} as const
