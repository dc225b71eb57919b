import type { Exchange } from '../forge/recorded.ts'
import type { Route } from '../forge/routes.ts'
import { shell } from '../support/workflow.ts'

export interface GitlabJob {
  readonly before_script?: readonly string[]
  readonly script: readonly string[]
  readonly artifacts?: { readonly paths?: readonly string[]; readonly reports?: unknown }
  readonly [key: string]: unknown
}

export const jobIn = (pipeline: Readonly<Record<string, unknown>> | string, name: string): GitlabJob => {
  if (typeof pipeline === 'string') throw new Error(pipeline)
  const job = pipeline[name]
  if (!isJob(job)) throw new Error(`there is no job ${name}`)
  return job
}

const isJob = (value: unknown): value is GitlabJob =>
  typeof value === 'object' && value !== null && 'script' in value && Array.isArray(value.script)

/** Runs a job like GitLab's runner: all lines in one shell, which ends at the first failure. */
export const runScript = (job: GitlabJob, cwd: string, env: Readonly<Record<string, string>>) =>
  shell(`set -o pipefail\n${[...(job.before_script ?? []), ...job.script].join('\n')}`, cwd, env)

/** The responses of GitLab after the merge of merge request 3, whose job 800 created the plan. */
export function mergedOnGitlab(
  { tip, base, plan }: { tip: string; base: string; plan: Buffer },
  more: object,
  prefix = '',
): Record<string, Route> {
  const at = 'GET /api/v4/projects/42'
  const head = '1'.repeat(40)
  const request = {
    iid: 3,
    state: 'merged',
    target_branch: 'main',
    target_project_id: 42,
    source_project_id: 42,
    sha: head,
    merge_commit_sha: tip,
    merged_at: '2026-11-22T10:00:00Z',
    changes_count: '1',
    ...more,
  }
  const notes = '/api/v4/projects/42/merge_requests/3/notes'
  return {
    [at]: { id: 42, default_branch: 'main' },
    [`${at}/repository/branches/main`]: { commit: { id: tip } },
    [`${at}/repository/commits?ref_name=${tip}&first_parent=true`]: [
      { id: tip, parent_ids: [base] },
      { id: base, parent_ids: [] },
    ],
    [`${at}/repository/commits/${tip}/merge_requests`]: [request],
    [`${at}/pipelines?ref=main&sha=${tip}&source=push`]: [],
    [`${at}/pipelines?ref=main&sha=${tip}&source=web`]: [],
    [`${at}/pipelines?ref=main&sha=${base}&source=push`]: [
      { id: 90, project_id: 42, ref: 'main', sha: base, source: 'push' },
    ],
    [`${at}/pipelines/90/jobs?include_retried=true`]: [{ id: 3, name: `${prefix}apply`, status: 'success' }],
    [`${at}/merge_requests/3/commits`]: [{ id: head, author_name: 'Alice', committer_name: 'Alice' }],
    [`${at}/merge_requests/3/versions`]: [{ head_commit_sha: head, created_at: '2026-11-22T09:00:00Z' }],
    [`${at}/merge_requests/3/approvals`]: { approved_by: [] },
    [`${at}/merge_requests/3`]: request,
    [`${at}/merge_requests/3/diffs`]: [{ old_path: 'sets/region.yaml', new_path: 'sets/region.yaml' }],
    [`${at}/merge_requests/3/pipelines`]: [
      { id: 80, project_id: 42, ref: 'refs/merge-requests/3/head', sha: head },
    ],
    [`${at}/pipelines/80/jobs?include_retried=true`]: [
      { id: 800, name: `${prefix}plan`, status: 'success', finished_at: '2026-11-22T09:05:00Z' },
    ],
    [`${at}/jobs/800/artifacts/plan.json`]: { status: 200, body: plan },
    [`GET ${notes}?order_by=created_at&sort=asc`]: [],
    [`POST ${notes}`]: { status: 201, body: {} },
  }
}

const ISSUES = '/api/v4/projects/42/issues'

type IssueChange = 'create' | 'update' | 'close'
/** An issue: its number if it is open, and what the job changes about it. */
export interface IssueState {
  readonly open?: number
  readonly change?: IssueChange
}

/** What the job of the issues sends: about drift, and then about a check that failed. Each with the number of the open issue. */
export const issueExchanges = (
  drift: IssueState,
  unchecked: IssueState = {},
  description = '',
): Exchange[] => [
  ...exchangesOf('setpoint-drift', 'The service differs from the files', drift, description),
  ...exchangesOf(
    'setpoint-unchecked',
    `Drift could not be checked since ${new Date().toISOString().slice(0, 10)}`,
    unchecked,
    description,
  ),
]

const exchangesOf = (
  labels: string,
  title: string,
  { open, change }: IssueState,
  description: string,
): Exchange[] => {
  const asked: Exchange = {
    expect: `GET ${ISSUES}?scope=created_by_me&state=opened&labels=${labels}&per_page=1`,
    answer: {
      status: 200,
      body: open === undefined ? [] : [{ id: 9000, iid: open, milestone: { iid: 77 } }],
    },
  }
  const answer = { status: 200, body: {} }
  const own = `PUT ${ISSUES}/${open}`
  const changes: Record<IssueChange, Exchange> = {
    create: { expect: `POST ${ISSUES}`, body: { title, description, labels }, answer },
    update: { expect: own, body: { description }, answer },
    close: { expect: own, body: { state_event: 'close' }, answer },
  }
  return change === undefined ? [asked] : [asked, changes[change]]
}
