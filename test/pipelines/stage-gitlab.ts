import {
  type Answer,
  type Asked,
  addComment,
  changeComment,
  changeIssue,
  historyOf,
  type Model,
  openIssue,
  type PipelineModel,
  propose,
} from './stage-model.ts'

const AT = '/api/v4/projects/77'
const SOURCES = { pull: 'merge_request_event', push: 'push', web: 'web', schedule: 'schedule' }

const userOf = (id: number) => ({
  id,
  username: id === 66 ? 'project_7_bot' : `user-${id}`,
  name: `User ${id}`,
})

/** The part of GitLab's interface that Setpoint uses, over a model. */
export function gitlabAnswer(model: Model, asked: Asked): Answer | undefined {
  const { method, path } = asked
  if (path === '/api/v4/user') return { body: { id: 41 } }
  if (!path.startsWith(AT)) return undefined
  const rest = path.slice(AT.length)
  return method === 'GET' ? found(model, rest, asked) : written(model, rest, asked)
}

function found(model: Model, rest: string, { query }: Asked): Answer | undefined {
  const [, first, second, third] = rest.split('/')
  if (rest === '') return { body: { id: 77, default_branch: 'main' } }
  if (rest === '/repository/branches/main') return { body: { commit: { id: model.tip } } }
  if (rest === '/repository/commits') return { body: historyOf(model, query.get('ref_name') ?? '') }
  const ofCommit = /^\/repository\/commits\/(\w+)(\/merge_requests)?$/.exec(rest)
  if (ofCommit !== null) {
    const [, commit = '', requests] = ofCommit
    if (requests === undefined) return { body: { parent_ids: model.parents.get(commit) ?? [] } }
    return { body: model.requests.filter(one => one.merged?.as === commit).map(requestOf) }
  }
  const ofFile = /^\/repository\/files\/(.+)\/raw$/.exec(rest)
  if (ofFile !== null) {
    const text = model.branches.get(query.get('ref') ?? '')?.get(ofFile[1] ?? '')
    return text === undefined ? undefined : { body: text }
  }
  if (rest === '/merge_requests')
    return {
      body: model.proposed
        .filter(({ branch }) => query.get('source_branch') === branch)
        .map(({ number }) => ({ iid: number })),
    }
  if (first === 'merge_requests') return ofRequest(model, Number(second), third)
  if (rest === '/issues')
    return {
      body: model.issues
        .filter(({ isOpen }) => isOpen)
        .map(({ number, body, author }) => ({ iid: number, description: body, author: { id: author } })),
    }
  if (rest === '/pipelines')
    return {
      body: model.pipelines
        .filter(
          one =>
            one.request === undefined &&
            one.commit === query.get('sha') &&
            SOURCES[one.event] === query.get('source'),
        )
        .map(pipelineOf),
    }
  if (first === 'pipelines') {
    const pipeline = model.pipelines.find(({ id }) => `${id}` === second)
    if (pipeline === undefined) return undefined
    if (third !== 'jobs') return { body: { ...pipelineOf(pipeline), user: userOf(pipeline.user) } }
    return {
      body: pipeline.jobs.map(({ id, name, isDone, at, user }) => ({
        id,
        name,
        status: isDone ? 'success' : 'failed',
        finished_at: at,
        user: userOf(user),
      })),
    }
  }
  const ofBranch = /^\/jobs\/artifacts\/main\/raw\/\.setpoint-ci\/([\w-]+)\/(.+)$/.exec(rest)
  if (ofBranch !== null) {
    const [, name, file = ''] = ofBranch
    const jobs = model.pipelines.filter(one => one.request === undefined).flatMap(one => one.jobs)
    const text = jobs.findLast(one => one.name === name && one.files[file] !== undefined)?.files[file]
    return text === undefined || query.get('job') !== name ? undefined : { body: text }
  }
  const ofJob = /^\/jobs\/(\d+)(?:\/artifacts\/\.setpoint-ci\/([\w-]+)\/(.+))?$/.exec(rest)
  if (ofJob !== null) {
    const [, id, name, file = ''] = ofJob
    const jobs = model.pipelines.flatMap(one => one.jobs)
    const job = jobs.find(one => `${one.id}` === id)
    if (name !== undefined) {
      const text = job?.name === name ? job.files[file] : undefined
      return text === undefined ? undefined : { body: text }
    }
    return { body: { id: Number(id), user: userOf(model.starter ?? 5) } }
  }
  return undefined
}

function ofRequest(model: Model, number: number, what: string | undefined): Answer | undefined {
  const request = model.requests.find(one => one.number === number)
  if (what === 'notes')
    return {
      body: model.comments
        .filter(one => one.request === number)
        .map(({ id, body, author }) => ({ id, body, author: { id: author }, system: false })),
    }
  if (request === undefined) return undefined
  if (what === 'diffs') return { body: request.files.map(path => ({ old_path: path, new_path: path })) }
  if (what === 'versions')
    return { body: [{ head_commit_sha: request.head, created_at: '2026-11-22T07:00:00Z' }] }
  if (what === 'commits')
    return {
      body: [
        {
          id: request.head,
          author_name: 'A',
          author_email: 'a@x.test',
          committer_name: 'A',
          committer_email: 'a@x.test',
        },
      ],
    }
  if (what === 'approvals')
    return {
      body: {
        approved_by: request.approvals.map(({ user, at }) => ({ user: userOf(user), approved_at: at })),
      },
    }
  if (what === 'pipelines')
    return { body: model.pipelines.filter(one => one.request === request).map(pipelineOf) }
  return { body: requestOf(request) }
}

const requestOf = (request: Model['requests'][number]) => ({
  iid: request.number,
  state: request.merged === undefined ? 'opened' : 'merged',
  target_branch: 'main',
  target_project_id: 77,
  source_project_id: request.isFork ? 78 : 77,
  sha: request.head,
  merge_commit_sha: request.merged?.as ?? null,
  squash_commit_sha: null,
  author: { id: request.author },
  merged_at: request.merged?.at,
  changes_count: `${request.files.length}`,
})

const pipelineOf = ({ id, commit, request, event }: PipelineModel) => ({
  id,
  project_id: 77,
  ref: request === undefined ? 'main' : `refs/merge-requests/${request.number}/head`,
  sha: commit,
  source: SOURCES[event],
})

function written(model: Model, rest: string, { method, body }: Asked): Answer | undefined {
  const [, first, second, third, fourth] = rest.split('/')
  if (rest === '/issues')
    return { status: 201, body: { iid: openIssue(model, body.title, body.description) } }
  if (first === 'issues') {
    const issue = model.issues.find(({ number }) => `${number}` === second)
    if (issue === undefined) return undefined
    if (third === 'notes') issue.notes.push(String(body.body))
    changeIssue(issue, body.description, body.state_event === 'close')
    return { body: {} }
  }
  if (first === 'merge_requests' && third === 'notes') {
    if (method === 'PUT') changeComment(model, fourth, body.body)
    else addComment(model, second, body.body)
    return { status: 201, body: {} }
  }
  if (rest === '/repository/commits') {
    const actions: { file_path: string; content: string }[] = Array.isArray(body.actions) ? body.actions : []
    model.branches.set(String(body.branch), new Map(actions.map(one => [one.file_path, one.content])))
    return { status: 201, body: {} }
  }
  if (rest === '/merge_requests')
    return { status: 201, body: { iid: propose(model, body.source_branch, body.description) } }
  return undefined
}
