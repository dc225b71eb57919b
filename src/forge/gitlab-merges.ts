import type { Transport } from '../wire/transport.ts'
import { askOf, documentOf, everyPage, ForgeError, type ForgeQuery, type Hints, PAGE } from './client.ts'
import { type ForgeProject, listOf, member, numberAt, textAt, timeAt } from './pull-request.ts'
import {
  type HistoryEntry,
  type MergedRequest,
  type Merges,
  NotReviewed,
  pagesOfHistory,
  short,
} from './reviewed.ts'

export interface GitlabOptions {
  /** The job that creates the saved plan, and the path of the plan among its artifacts. */
  readonly job: string
  readonly file: string
}

const RIGHTS = 'a project access token with the scope "read_api" and the role Developer'

const HINTS: Hints = {
  401: `The token is wrong or expired: SETPOINT_FORGE_TOKEN, ${RIGHTS}.`,
  403: `SETPOINT_FORGE_TOKEN must be ${RIGHTS}.`,
  404: `It does not exist, or the token cannot read it. SETPOINT_FORGE_TOKEN must be ${RIGHTS}.`,
}

/** Merges on GitLab: merge requests, their pipelines, and the artifact of a job. `transport` adds the token. */
export function gitlabMerges(
  transport: Transport,
  { api, project }: ForgeProject,
  { job, file }: GitlabOptions,
): Merges {
  const ask = askOf('gitlab', transport, 'application/json', HINTS)
  const root = `${new URL(api).pathname.replace(/\/$/, '')}/projects/${encodeURIComponent(project)}`
  const get = <T>(
    path: string,
    query: ForgeQuery,
    expected: string,
    read: (document: unknown) => T | undefined,
  ) => documentOf('gitlab', ask({ method: 'GET', path, query }), expected, read)
  const list = <T>(path: string, query: ForgeQuery, read: (entry: unknown) => T) =>
    everyPage('gitlab', page =>
      get(path, { ...query, per_page: `${PAGE}`, page: `${page}` }, 'a list', entriesIn(read)),
    )
  let known: Promise<{ id: number; branch: string }> | undefined
  const self = () => {
    known ??= get(root, {}, 'a project', document => {
      const id = member(document, 'id')
      const branch = member(document, 'default_branch')
      return typeof id === 'number' && typeof branch === 'string' ? { id, branch } : undefined
    }).then(({ value }) => value)
    return known
  }
  /** A pipeline of the merge request, for its last commit or for a commit that GitLab made to test the merge. */
  const isOf = async (pipeline: Pipeline, { head, number }: MergedRequest): Promise<boolean> => {
    // Pipelines of its branch are listed as well.
    const kind = pipeline.ref.startsWith(`refs/merge-requests/${number}/`) ? kindOf(pipeline) : undefined
    if (kind === 'head') return pipeline.commit === head
    if (kind !== 'merge' && kind !== 'train') return false
    const path = `${root}/repository/commits/${pipeline.commit}`
    return (await get(path, {}, 'a commit', document => textsAt(document, 'parent_ids'))).value.includes(head)
  }
  return {
    tip: async () => {
      const { branch } = await self()
      const path = `${root}/repository/branches/${encodeURIComponent(branch)}`
      const { value } = await get(path, {}, 'a branch', document => commitIn(member(document, 'commit')))
      return { branch, commit: value }
    },
    lastApplied: async (branch, jobs) => {
      const { id } = await self()
      const query = { ref: branch, order_by: 'id', sort: 'desc', per_page: `${MOST_PIPELINES}` }
      const { value: pipelines } = await get(`${root}/pipelines`, query, 'a list', entriesIn(pipelineIn))
      for (const pipeline of pipelines) {
        if (pipeline.project !== id || pipeline.ref !== branch) continue
        const found = await list(`${root}/pipelines/${pipeline.id}/jobs`, { include_retried: 'true' }, jobIn)
        if (found.some(({ name, status }) => status === 'success' && jobs.includes(name)))
          return pipeline.commit
      }
      return undefined
    },
    history: tip =>
      pagesOfHistory(
        page =>
          get(
            `${root}/repository/commits`,
            { ref_name: tip, first_parent: 'true', per_page: `${PAGE}`, page: `${page}` },
            'a list of commits',
            entriesIn(entryIn),
          ),
        PAGE,
      ),
    requestsOf: async (branch, commit) => {
      const { id } = await self()
      const path = `${root}/repository/commits/${commit}/merge_requests`
      return (await list(path, {}, requestIn(id, branch))).filter(one => one !== undefined)
    },
    changedFiles: async ({ number }) => {
      const path = `${root}/merge_requests/${number}`
      const { value: count } = await get(path, {}, 'a merge request', document =>
        member(document, 'changes_count'),
      )
      const files = await list(`${path}/diffs`, {}, entry => [
        textAt(entry, 'old_path'),
        textAt(entry, 'new_path'),
      ])
      // For a merge request that is too large, GitLab counts "1000+" and lists a part.
      return String(count) === `${files.length}` ? files.flat() : undefined
    },
    isApproved: async (request, after = 0) => {
      const path = `${root}/merge_requests/${request.number}`
      const { value: author } = await get(path, {}, 'a merge request', document => idIn(document, 'author'))
      const versions = await list(`${path}/versions`, {}, entry => ({
        head: textAt(entry, 'head_commit_sha'),
        at: timeAt(entry, 'created_at'),
      }))
      const pushed = Math.max(...versions.map(({ at }) => at))
      const isLast = versions.some(({ head, at }) => head === request.head && at === pushed)
      const { value: approvals } = await get(`${path}/approvals`, {}, 'approvals', document =>
        entriesIn(approvalIn)(member(document, 'approved_by')),
      )
      return (
        isLast &&
        approvals.some(
          ({ user, isPerson, at }) =>
            isPerson && Number.isInteger(user) && user !== author && at > Math.max(pushed, after),
        )
      )
    },
    planOf: async request => {
      const { id } = await self()
      const path = `${root}/merge_requests/${request.number}/pipelines`
      const where = `${request.name} at ${short(request.head)}`
      const own: Pipeline[] = []
      for (const pipeline of (await list(path, {}, pipelineIn)).toSorted((a, b) => b.id - a.id))
        if (pipeline.project === id && own.length < 2 && (await isOf(pipeline, request))) own.push(pipeline)
      const [newest, earlier] = own
      if (newest === undefined) throw new NotReviewed(`There is no pipeline of this project for ${where}.`)
      const query = { include_retried: 'true' }
      const jobs = await list(`${root}/pipelines/${newest.id}/jobs`, query, jobIn)
      const [plan, ...others] = jobs.filter(({ name }) => name === job).toSorted((a, b) => b.id - a.id)
      if (plan === undefined) throw new NotReviewed(`The pipeline of ${where} has no job "${job}".`)
      if (plan.status !== 'success') throw new NotReviewed(`The job "${job}" of ${where} did not succeed.`)
      // A merge train plans once more before it merges.
      const isAgain =
        others.some(({ status }) => status === 'success') ||
        (earlier !== undefined && kindOf(newest) !== 'train')
      return { text: await artifactOf(plan.id, where), madeAt: plan.endedAt, isAgain }
    },
  }

  async function artifactOf(id: number, where: string): Promise<string> {
    try {
      const path = `${root}/jobs/${id}/artifacts/${file.split('/').map(encodeURIComponent).join('/')}`
      return (await ask({ method: 'GET', path })).response.body
    } catch (error) {
      if (!(error instanceof ForgeError) || error.status !== 404) throw error
      throw new NotReviewed(`The job "${job}" of ${where} has no ${file}, or it has expired.`)
    }
  }
}

/** Maximum number of pipelines to search for the last apply. */
const MOST_PIPELINES = 50

const entriesIn =
  <T>(read: (entry: unknown) => T) =>
  (document: unknown): readonly T[] | undefined =>
    Array.isArray(document) ? document.map(read) : undefined

const textsAt = (value: unknown, name: string): string[] =>
  listOf(member(value, name)).filter(one => typeof one === 'string')
const idIn = (value: unknown, name: string): number => numberAt(member(value, name), 'id')

function commitIn(value: unknown): string | undefined {
  const commit = member(value, 'id')
  return typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined
}

const entryIn = (entry: unknown): HistoryEntry => ({
  commit: textAt(entry, 'id'),
  parents: textsAt(entry, 'parent_ids'),
})

type Pipeline = ReturnType<typeof pipelineIn>
const pipelineIn = (entry: unknown) => ({
  id: numberAt(entry, 'id'),
  project: numberAt(entry, 'project_id'),
  ref: textAt(entry, 'ref'),
  commit: textAt(entry, 'sha'),
})

/** `head`, `merge` or `train`: the kind of a pipeline of a merge request. */
const kindOf = ({ ref }: Pipeline): string | undefined => ref.split('/')[3]

const jobIn = (entry: unknown) => ({
  id: numberAt(entry, 'id'),
  name: textAt(entry, 'name'),
  status: textAt(entry, 'status'),
  endedAt: timeAt(entry, 'finished_at'),
})

const approvalIn = (entry: unknown) => ({
  user: idIn(entry, 'user'),
  // Whoever can read an access token of the project can approve as its bot.
  isPerson: !/^(?:project|group)_\d+_bot/.test(textAt(member(entry, 'user'), 'username')),
  at: timeAt(entry, 'approved_at'),
})

/** A merge request that was merged into the branch of this project. */
const requestIn =
  (project: number, branch: string) =>
  (entry: unknown): MergedRequest | undefined => {
    const number = member(entry, 'iid')
    const isMerged = textAt(entry, 'state') === 'merged' && textAt(entry, 'target_branch') === branch
    if (!isMerged || numberAt(entry, 'target_project_id') !== project || typeof number !== 'number')
      return undefined
    const head = textAt(entry, 'sha')
    return {
      number,
      name: `merge request ${number}`,
      head,
      mergedAs: textAt(entry, 'merge_commit_sha') || textAt(entry, 'squash_commit_sha') || head,
      mergedAt: timeAt(entry, 'merged_at'),
      isForeign: numberAt(entry, 'source_project_id') !== project,
    }
  }
