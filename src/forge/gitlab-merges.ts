import { listOf } from '../model/json.ts'
import type { Transport } from '../wire/transport.ts'
import { type MergedRequest, type Merges, NotReviewed, short } from './find-reviewed.ts'
import { each, ForgeError, type Hints, openForge } from './forge-client.ts'
import { sharedMerges } from './merges.ts'
import { type ForgeProject, member, numberAt, textAt, timeAt } from './pull-request.ts'

interface GitlabOptions {
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
  project: ForgeProject,
  { job, file }: GitlabOptions,
): Merges {
  const forge = openForge(transport, project, HINTS)
  const { home, ask, get, list } = forge
  const { self, jobsOf, merges } = sharedMerges(forge, TERMS, async (branch, commit, event) => {
    const { id } = await self()
    const query = { ref: branch, sha: commit, source: event }
    return (await list(`${home}/pipelines`, each(pipelineIn), query)).filter(
      one => one.project === id && one.ref === branch && one.commit === commit && one.source === event,
    )
  })
  /** A pipeline of the merge request, for its last commit or for the commit that GitLab made to test the merge with it. */
  const isOf = async (pipeline: Pipeline, { head, number }: MergedRequest): Promise<boolean> => {
    // Pipelines of its branch are listed as well.
    if (pipeline.ref === `refs/merge-requests/${number}/head`) return pipeline.commit === head
    // A merge train plans once more, after every approval. That plan was not reviewed.
    if (pipeline.ref !== `refs/merge-requests/${number}/merge`) return false
    return (await get(`${home}/repository/commits/${pipeline.commit}`, 'a commit', parentsOf)).includes(head)
  }
  /** The jobs that plan, the newest first. */
  const planJobsOf = async ({ id }: Pipeline) =>
    (await jobsOf(id)).filter(({ name }) => name === job).toSorted((a, b) => b.id - a.id)
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
    approvalsOf: async ({ number, head }) => {
      const path = `${home}/merge_requests/${number}`
      const author = await get(path, 'a merge request', document => idIn(document, 'author'))
      const commits = await list(`${path}/commits`, each(commitIn))
      const versionIn = (entry: unknown) => ({
        head: textAt(entry, 'head_commit_sha'),
        at: timeAt(entry, 'created_at'),
      })
      const versions = await list(`${path}/versions`, each(versionIn))
      const pushed = Math.max(...versions.map(({ at }) => at))
      const isLast = versions.some(version => version.head === head && version.at === pushed)
      if (!isLast || !commits.some(({ commit }) => commit === head)) return []
      return (await get(`${path}/approvals`, 'approvals', each(approvalIn, 'approved_by'))).filter(
        one =>
          one.isPerson &&
          Number.isInteger(one.user) &&
          one.user !== author &&
          one.at > pushed &&
          !commits.some(commit => isBy(commit, one)),
      )
    },
    planOf: async request => {
      const { id } = await self()
      const path = `${home}/merge_requests/${request.number}/pipelines`
      const where = `${request.name} at ${short(request.head)}`
      const own: Pipeline[] = []
      for (const pipeline of (await list(path, each(pipelineIn))).toSorted((a, b) => b.id - a.id))
        if (pipeline.project === id && (await isOf(pipeline, request))) own.push(pipeline)
      const [latest] = own
      const first = own.at(-1)
      if (latest === undefined || first === undefined)
        throw new NotReviewed(`There is no pipeline of this project for ${where}.`)
      const jobs = await planJobsOf(latest)
      const [plan] = jobs
      if (plan === undefined) throw new NotReviewed(`The pipeline of ${where} has no job "${job}".`)
      if (!plan.isDone) throw new NotReviewed(`The job "${job}" of ${where} did not succeed.`)
      return {
        text: () => artifactOf(plan.id, where),
        madeAt: plan.endedAt,
        isOnly: own.length === 1 && jobs.filter(({ isDone }) => isDone).length === 1,
        startedBy: (first === latest ? jobs : await planJobsOf(first)).at(-1)?.startedBy ?? Number.NaN,
      }
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
  source: textAt(entry, 'source'),
})

const commitIn = (entry: unknown) => ({
  commit: textAt(entry, 'id'),
  names: [textAt(entry, 'author_name'), textAt(entry, 'committer_name')],
  addresses: [textAt(entry, 'author_email'), textAt(entry, 'committer_email')],
})

/** GitLab names the writers of a commit only as the commit does: by name and e-mail address. A private address begins with the user's id. */
function isBy({ names, addresses }: WrittenCommit, { user, name, username }: Approver): boolean {
  const own = new Set([name, username].filter(one => one !== '').map(folded))
  const mailboxes = addresses.map(address => folded(address.replace(/@.*$/, '')))
  return (
    [...names.map(folded), ...mailboxes].some(one => own.has(one)) ||
    addresses.some(address => address.startsWith(`${user}-`) && address.includes('@users.noreply.'))
  )
}

type WrittenCommit = ReturnType<typeof commitIn>
type Approver = ReturnType<typeof approvalIn>

const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/** Whoever can read an access token of a project or of a service account can approve as its bot. */
export const isPersonOfGitlab = (username: string): boolean =>
  !/^(?:(?:project|group)_\d+_bot|service_account_)/.test(username)

const approvalIn = (entry: unknown) => ({
  user: idIn(entry, 'user'),
  name: textAt(member(entry, 'user'), 'name'),
  username: textAt(member(entry, 'user'), 'username'),
  isPerson: isPersonOfGitlab(textAt(member(entry, 'user'), 'username')),
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
      isFromFork: numberAt(entry, 'source_project_id') !== project,
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
  events: ['push', 'web'],
} as const
