import { listOf } from '../model/json.ts'
import type { Transport } from '../wire/transport.ts'
import { each, type Hints, openForge } from './forge-client.ts'
import { isPersonOfGitlab } from './gitlab-merges.ts'
import { type ForgeProject, member, numberAt, textAt } from './pull-request.ts'

/** What is asked about: the run and its environment on GitHub, the job and its pipeline on GitLab. */
interface ApprovedRun {
  readonly run: string
  /** The environment whose reviewers approve. */
  readonly environment: string
  /** GitLab: the job that a person starts. */
  readonly job: string
  /** Whether the person who started the pipeline may approve it: somebody who has no second person. */
  readonly isAlone: boolean
}

const HINTS: Hints = {
  401: 'The token is wrong or expired.',
  403: 'The job needs permissions: { actions: read }; on GitLab, SETPOINT_FORGE_TOKEN the scope "read_api" and the role Developer.',
  404: 'The token cannot read this run. The job needs permissions: { actions: read }; on GitLab, SETPOINT_FORGE_TOKEN the scope "read_api" and the role Developer.',
}

/**
 * The name of the person who approved a run, as the forge knows it; `undefined` if nobody did. Variables of the job are not asked: they can
 * be overridden. Rejects with a `ForgeError` or a `TransportError`.
 */
export async function approverOf(
  transport: Transport,
  project: ForgeProject,
  { run, environment, job, isAlone }: ApprovedRun,
): Promise<string | undefined> {
  const { home, get } = openForge(transport, project, HINTS)
  if (project.forge === 'github') {
    const approvals = await get(
      `${home}/actions/runs/${encodeURIComponent(run)}/approvals`,
      'approvals',
      each(approvalIn),
    )
    return approvals.find(one => one.isApproved && one.isPerson && one.environments.includes(environment))
      ?.name
  }
  const started = await get(`${home}/jobs/${encodeURIComponent(job)}`, 'a job', userIn)
  const merged = await get(`${home}/pipelines/${encodeURIComponent(run)}`, 'a pipeline', userIn)
  // Unknown is nobody.
  const isKnown = started.isPerson && !Number.isNaN(started.id) && !Number.isNaN(merged.id)
  return isKnown && (isAlone || started.id !== merged.id) ? started.name : undefined
}

const approvalIn = (entry: unknown) => ({
  isApproved: textAt(entry, 'state') === 'approved',
  isPerson: textAt(member(entry, 'user'), 'type') === 'User',
  name: textAt(member(entry, 'user'), 'login'),
  environments: listOf(member(entry, 'environments')).map(one => textAt(one, 'name')),
})

function userIn(document: unknown) {
  const user = member(document, 'user')
  const name = textAt(user, 'username')
  return { id: numberAt(user, 'id'), name, isPerson: name !== '' && isPersonOfGitlab(name) }
}
