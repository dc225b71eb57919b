import type { Transport } from '../wire/transport.ts'
import { ArchiveError, fileInZip, textIn } from './archive.ts'
import {
  type Ask,
  askOf,
  documentOf,
  everyPage,
  ForgeError,
  type ForgeQuery,
  type Hints,
  PAGE,
} from './client.ts'
import {
  artifactIn,
  commitIn,
  entriesIn,
  entryIn,
  idIn,
  jobIn,
  pullIn,
  reviewIn,
  runOf,
  type WorkflowRun,
} from './github-documents.ts'
import { type ForgeProject, member, textAt } from './pull-request.ts'
import { type Merges, NotReviewed, type PlanLeft, pagesOfHistory, short } from './reviewed.ts'

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

/** Merges on GitHub: pull requests, runs of one workflow, and their artifacts. `transport` adds the token. */
export function githubMerges(
  transport: Transport,
  { api, project }: ForgeProject,
  options: GithubOptions,
): Merges {
  const ask = askOf('github', transport, 'application/vnd.github+json', HINTS)
  const root = new URL(api).pathname.replace(/\/$/, '')
  const repository = `${root}/repos/${project.split('/').map(encodeURIComponent).join('/')}`
  const workflow = `${repository}/actions/workflows/${encodeURIComponent(options.workflow.split('/').at(-1) ?? '')}`
  const get = <T>(
    path: string,
    query: ForgeQuery,
    expected: string,
    read: (document: unknown) => T | undefined,
  ) => documentOf('github', ask({ method: 'GET', path, query }), expected, read)
  const list = <T>(path: string, query: ForgeQuery, name: string | undefined, read: (entry: unknown) => T) =>
    everyPage('github', page =>
      get(path, { ...query, per_page: `${PAGE}`, page: `${page}` }, 'a list', document =>
        entriesIn(name === undefined ? document : member(document, name))?.map(read),
      ),
    )
  let known: Promise<{ id: number; branch: string }> | undefined
  const self = () => {
    known ??= get(repository, {}, 'a repository', document => {
      const id = member(document, 'id')
      const branch = member(document, 'default_branch')
      return typeof id === 'number' && typeof branch === 'string' ? { id, branch } : undefined
    }).then(({ value }) => value)
    return known
  }
  const runs = async (query: ForgeQuery) => {
    const { id } = await self()
    const { value: found } = await get(
      `${workflow}/runs`,
      { ...query, per_page: `${PAGE}` },
      'a list of runs',
      document => entriesIn(member(document, 'workflow_runs'))?.map(runOf),
    )
    // The list also has runs of forks, and of workflows with the same file name.
    return found.filter(
      run =>
        run.repository === id &&
        run.headRepository === id &&
        run.path === options.workflow &&
        Object.entries(query).every(([name, value]) => name !== 'head_sha' || run.head === value),
    )
  }
  const artifactOf = async (run: WorkflowRun): Promise<PlanLeft> => {
    const { id } = await self()
    const named = await list(
      `${repository}/actions/runs/${run.id}/artifacts`,
      { name: options.artifact },
      'artifacts',
      artifactIn,
    )
    const own = named.filter(
      one =>
        one.name === options.artifact &&
        one.run === run.id &&
        one.head === run.head &&
        one.repository === id &&
        one.headRepository === id,
    )
    const newest = own.toSorted((a, b) => b.id - a.id)[0]
    if (newest === undefined) throw new NotReviewed(`Run ${run.id} has no artifact "${options.artifact}".`)
    if (newest.expired)
      throw new NotReviewed(`The artifact "${options.artifact}" of run ${run.id} has expired.`)
    const address = await locationOf(ask, `${repository}/actions/artifacts/${newest.id}/zip`)
    const text = acceptedFrom(await options.download(address), options.file)
    if (text === undefined)
      throw new NotReviewed(
        `The artifact "${options.artifact}" of run ${run.id} does not contain ${options.file}.`,
      )
    const { madeAt } = newest
    // If only other jobs ran again, the plan is still that of an earlier attempt.
    return { text, madeAt, isAgain: run.attempt !== 1 && !(madeAt < run.startedAt) }
  }
  return {
    tip: async () => {
      const { branch } = await self()
      const path = `${repository}/branches/${encodeURIComponent(branch)}`
      const { value } = await get(path, {}, 'a branch', document => commitIn(member(document, 'commit')))
      return { branch, commit: value }
    },
    lastApplied: async (branch, jobs) => {
      const ended = (await runs({ branch })).filter(run => ON_BRANCH.has(run.event)).slice(0, MOST_RUNS)
      for (const run of ended) {
        const path = `${repository}/actions/runs/${run.id}/jobs`
        const done = await list(path, { filter: 'all' }, 'jobs', jobIn)
        if (done.some(({ name, conclusion }) => conclusion === 'success' && jobs.includes(name)))
          return run.head
      }
      return undefined
    },
    history: tip =>
      pagesOfHistory(
        page =>
          get(
            `${repository}/commits`,
            { sha: tip, per_page: `${PAGE}`, page: `${page}` },
            'a list of commits',
            document => entriesIn(document)?.map(entryIn),
          ),
        PAGE,
      ),
    requestsOf: async (branch, commit) => {
      const { id } = await self()
      const found = await list(`${repository}/commits/${commit}/pulls`, {}, undefined, pullIn(id, branch))
      return found.filter(one => one !== undefined)
    },
    changedFiles: async ({ number }) => {
      const files = await list(`${repository}/pulls/${number}/files`, {}, undefined, entry =>
        [member(entry, 'filename'), member(entry, 'previous_filename')].filter(
          name => typeof name === 'string',
        ),
      )
      return files.length >= MOST_FILES ? undefined : files.flat()
    },
    isApproved: async (request, after = 0) => {
      const path = `${repository}/pulls/${request.number}`
      const author = (await get(path, {}, 'a pull request', document => idIn(document, 'user'))).value
      const commits = await list(`${path}/commits`, {}, undefined, entry => ({
        commit: textAt(entry, 'sha'),
        by: [idIn(entry, 'author'), idIn(entry, 'committer')],
      }))
      // GitHub lists at most 250 commits. Without the last one it is unknown who wrote it.
      if (commits.at(-1)?.commit !== request.head) return false
      const writers = new Set([author, ...commits.flatMap(({ by }) => by)])
      const reviews = await list(`${path}/reviews`, {}, undefined, reviewIn)
      const last = new Map(
        reviews
          .filter(({ state }) => state !== 'COMMENTED' && state !== 'PENDING')
          .map(one => [one.user, one]),
      )
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
      const queued = (await runs({ head_sha: request.mergedAs })).filter(
        ({ event }) => event === 'merge_group',
      )
      const own =
        queued.length > 0
          ? queued
          : (await runs({ head_sha: request.head })).filter(({ event }) => event === 'pull_request')
      const [run, another] = own
      const where = `${options.workflow} for ${request.name} at ${short(request.head)}`
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

/** Events that a merge or a person triggers, and that no pull request can. */
const ON_BRANCH: ReadonlySet<string> = new Set(['push', 'workflow_dispatch'])
/** Maximum number of runs to search for the last apply. */
const MOST_RUNS = 50
/** GitHub lists at most this many files of a pull request. */
const MOST_FILES = 3_000

/** GitHub redirects to an artifact at an address that is valid for a minute. The token is not sent there. */
async function locationOf(ask: Ask, path: string): Promise<string> {
  const { request, response } = await ask({ method: 'GET', path, redirect: true })
  const { location } = response.headers
  if (location === undefined)
    throw new ForgeError(
      `GitHub answered ${request.method} ${request.path} without an address.`,
      response.status,
      'Run the job again.',
    )
  return location
}
