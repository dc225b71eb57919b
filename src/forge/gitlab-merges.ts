import type { Transport } from '../wire/transport.ts'
import { each, ForgeError, type Hints, openForge } from './client.ts'
import { sharedMerges } from './merges.ts'
import { type ForgeProject, listOf, member, numberAt, textAt, timeAt } from './pull-request.ts'
import { type MergedRequest, type Merges, NotReviewed, short } from './reviewed.ts'

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

/** Maximum number of pipelines to search for the last apply. */
const MOST_PIPELINES = 50

/** Merges on GitLab: merge requests, their pipelines, and the artifact of a job. `transport` adds the token. */
export function gitlabMerges(
  transport: Transport,
  project: ForgeProject,
  { job, file }: GitlabOptions,
): Merges {
  const forge = openForge(transport, project, HINTS)
  const { home, ask, get, list } = forge
  const newest = async (branch: string) => {
    const { id } = await self()
    const query = { ref: branch, order_by: 'id', sort: 'desc', per_page: `${MOST_PIPELINES}` }
    const found = await get(`${home}/pipelines`, 'a list', each(pipelineIn), query)
    return found.filter(one => one.project === id && one.ref === branch)
  }
  const { self, jobsOf, merges } = sharedMerges(forge, TERMS, newest)
  /** A pipeline of the merge request, for its last commit or for a commit that GitLab made to test the merge. */
  const isOf = async (pipeline: Pipeline, { head, number }: MergedRequest): Promise<boolean> => {
    // Pipelines of its branch are listed as well.
    const kind = pipeline.ref.startsWith(`refs/merge-requests/${number}/`) ? kindOf(pipeline) : undefined
    if (kind === 'head') return pipeline.commit === head
    if (kind !== 'merge' && kind !== 'train') return false
    return (await get(`${home}/repository/commits/${pipeline.commit}`, 'a commit', parentsOf)).includes(head)
  }
  const artifactOf = async (id: number, where: string): Promise<string> => {
    try {
      const path = `${home}/jobs/${id}/artifacts/${file.split('/').map(encodeURIComponent).join('/')}`
      return (await ask({ method: 'GET', path })).response.body
    } catch (error) {
      if (!(error instanceof ForgeError) || error.status !== 404) throw error
      throw new NotReviewed(`The job "${job}" of ${where} has no ${file}, or it has expired.`)
    }
  }
  return {
    ...merges,
    changedFiles: async ({ number }) => {
      const path = `${home}/merge_requests/${number}`
      const count = await get(path, 'a merge request', document => member(document, 'changes_count'))
      const pathsIn = (entry: unknown) => [textAt(entry, 'old_path'), textAt(entry, 'new_path')]
      const files = await list(`${path}/diffs`, each(pathsIn))
      // For a merge request that is too large, GitLab counts "1000+" and lists a part.
      return String(count) === `${files.length}` ? files.flat() : undefined
    },
    isApproved: async (request, after = 0) => {
      const path = `${home}/merge_requests/${request.number}`
      const author = await get(path, 'a merge request', document => idIn(document, 'author'))
      const versionIn = (entry: unknown) => ({
        head: textAt(entry, 'head_commit_sha'),
        at: timeAt(entry, 'created_at'),
      })
      const versions = await list(`${path}/versions`, each(versionIn))
      const pushed = Math.max(...versions.map(({ at }) => at))
      const isLast = versions.some(({ head, at }) => head === request.head && at === pushed)
      const approvals = await get(`${path}/approvals`, 'approvals', each(approvalIn, 'approved_by'))
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
      const path = `${home}/merge_requests/${request.number}/pipelines`
      const where = `${request.name} at ${short(request.head)}`
      const own: Pipeline[] = []
      for (const pipeline of (await list(path, each(pipelineIn))).toSorted((a, b) => b.id - a.id))
        if (pipeline.project === id && own.length < 2 && (await isOf(pipeline, request))) own.push(pipeline)
      const [latest, earlier] = own
      if (latest === undefined) throw new NotReviewed(`There is no pipeline of this project for ${where}.`)
      const jobs = (await jobsOf(latest.id)).filter(({ name }) => name === job)
      const [plan, ...others] = jobs.toSorted((a, b) => b.id - a.id)
      if (plan === undefined) throw new NotReviewed(`The pipeline of ${where} has no job "${job}".`)
      if (!plan.isDone) throw new NotReviewed(`The job "${job}" of ${where} did not succeed.`)
      // A merge train plans once more before it merges.
      const isAgain =
        others.some(({ isDone }) => isDone) || (earlier !== undefined && kindOf(latest) !== 'train')
      return { text: await artifactOf(plan.id, where), madeAt: plan.endedAt, isAgain }
    },
  }
}

const parentsOf = (commit: unknown): string[] =>
  listOf(member(commit, 'parent_ids')).filter(one => typeof one === 'string')
const idIn = (value: unknown, name: string): number => numberAt(member(value, name), 'id')

type Pipeline = ReturnType<typeof pipelineIn>
const pipelineIn = (entry: unknown) => ({
  id: numberAt(entry, 'id'),
  project: numberAt(entry, 'project_id'),
  ref: textAt(entry, 'ref'),
  commit: textAt(entry, 'sha'),
})

/** `head`, `merge` or `train`: the kind of a pipeline of a merge request. */
const kindOf = ({ ref }: Pipeline): string | undefined => ref.split('/')[3]

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

const TERMS = {
  project: 'a project',
  repository: '/repository',
  pipelines: '/pipelines',
  commit: 'id',
  parentsOf,
  historyOf: (tip: string) => ({ ref_name: tip, first_parent: 'true' }),
  requests: 'merge_requests',
  requestIn,
  jobs: { query: { include_retried: 'true' }, state: 'status' },
} as const
