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

const REPO = { id: 77 }
const AT = '/repos/acme/sets'
const EVENTS = { pull: 'pull_request', push: 'push', web: 'workflow_dispatch', schedule: 'schedule' }
export const PATH = '.github/workflows/setpoint.yml'

/** The part of GitHub's interface that Setpoint uses, over a model. */
export function githubAnswer(model: Model, asked: Asked): Answer | undefined {
  const { method, path } = asked
  if (path === '/graphql') return { body: { data: { viewer: { databaseId: 41 } } } }
  if (!path.startsWith(AT)) return undefined
  const rest = path.slice(AT.length)
  return method === 'GET' ? found(model, rest, asked) : written(model, rest, asked)
}

function found(model: Model, rest: string, { query }: Asked): Answer | undefined {
  const [, first, second, third, fourth] = rest.split('/')
  const request = model.requests.find(({ number }) => `${number}` === second)
  if (rest === '') return { body: { ...REPO, default_branch: 'main' } }
  if (rest === '/branches/main') return { body: { commit: { sha: model.tip } } }
  if (rest === '/commits') return { body: historyOf(model, query.get('sha') ?? '') }
  if (first === 'commits' && third === 'pulls')
    return { body: model.requests.filter(one => one.merged?.as === second).map(pullOf) }
  if (rest === '/pulls') return { body: [...model.requests.map(pullOf), ...proposedOf(model, query)] }
  if (first === 'pulls' && request !== undefined) {
    if (third === 'files') return { body: request.files.map(filename => ({ filename })) }
    if (third === 'commits')
      return {
        body: [{ sha: request.head, author: { id: request.author }, committer: { id: request.author } }],
      }
    if (third === 'reviews')
      return {
        body: request.approvals.map(({ user, at }) => ({
          user: { id: user, type: 'User' },
          state: 'APPROVED',
          commit_id: request.head,
          submitted_at: at,
          author_association: 'MEMBER',
        })),
      }
    return { body: pullOf(request) }
  }
  if (first === 'issues') {
    if (third === 'events') return { body: [] }
    if (third === 'comments')
      return {
        body: model.comments
          .filter(one => `${one.request}` === second)
          .map(({ id, body, author }) => ({ id, body, user: { id: author } })),
      }
    const open = model.issues.filter(({ isOpen }) => isOpen)
    return { body: open.map(({ number, body, author }) => ({ number, body, user: { id: author } })) }
  }
  if (first === 'actions' && second === 'workflows') return { body: { workflow_runs: runsOf(model, query) } }
  if (first === 'actions' && second === 'runs') {
    const run = model.pipelines.find(({ id }) => `${id}` === third)
    if (run === undefined) return undefined
    if (fourth === 'jobs')
      return {
        body: {
          jobs: run.jobs.map(({ id, name, isDone, at }) => ({
            id,
            name,
            conclusion: isDone ? 'success' : 'failure',
            started_at: at,
          })),
        },
      }
    if (fourth === 'artifacts') return { body: { artifacts: artifactsOf(run) } }
    if (fourth === 'approvals')
      return {
        body: run.approvals.map(({ user, type, environment, state = 'approved' }) => ({
          state,
          user: { id: user, login: `user-${user}`, type },
          environments: [{ name: environment }],
        })),
      }
  }
  if (first === 'actions' && second === 'artifacts')
    return { status: 302, headers: { location: `${model.url}/store/${third}` } }
  if (first === 'git' && second === 'ref') {
    const branch = rest.slice('/git/ref/heads/'.length)
    if (rest.startsWith('/git/ref/tags/')) return undefined
    if (branch === 'main') return { body: { object: { sha: model.tip } } }
    return model.branches.has(branch) ? { body: { object: { sha: 'f'.repeat(40) } } } : undefined
  }
  if (first === 'git' && second === 'commits') return { body: { tree: { sha: 'e'.repeat(40) } } }
  if (first === 'contents') {
    const text = model.branches.get(query.get('ref') ?? '')?.get(rest.slice('/contents/'.length))
    return text === undefined ? undefined : { body: { content: Buffer.from(text).toString('base64') } }
  }
  return undefined
}

let tree = new Map<string, string>()

function written(model: Model, rest: string, { method, body }: Asked): Answer | undefined {
  const [, first, second, third] = rest.split('/')
  if (rest === '/issues') return { status: 201, body: { number: openIssue(model, body.title, body.body) } }
  if (first === 'issues' && second === 'comments' && method === 'PATCH') {
    changeComment(model, third, body.body)
    return { body: {} }
  }
  if (first === 'issues') {
    const issue = model.issues.find(({ number }) => `${number}` === second)
    if (third === 'comments') {
      if (issue === undefined) addComment(model, second, body.body)
      else issue.notes.push(String(body.body))
      return { status: 201, body: {} }
    }
    if (issue === undefined) return undefined
    changeIssue(issue, body.body, body.state === 'closed')
    return { body: {} }
  }
  if (rest === '/git/trees') {
    const entries = Array.isArray(body.tree) ? body.tree : []
    tree = new Map(entries.map(({ path, content }: { path: string; content: string }) => [path, content]))
    return { status: 201, body: { sha: 'e'.repeat(40) } }
  }
  if (rest === '/git/commits') return { status: 201, body: { sha: 'f'.repeat(40) } }
  if (first === 'git') {
    const branch =
      method === 'PATCH'
        ? rest.slice('/git/refs/heads/'.length)
        : String(body.ref).slice('refs/heads/'.length)
    model.branches.set(branch, tree)
    return { status: 201, body: {} }
  }
  if (rest === '/pulls') return { status: 201, body: { number: propose(model, body.head, body.body) } }
  return undefined
}

const pullOf = (request: Model['requests'][number]) => ({
  number: request.number,
  user: { id: request.author },
  created_at: '2026-11-22T07:00:00Z',
  merged_at: request.merged?.at ?? null,
  merge_commit_sha: request.merged?.as,
  head: { ref: `change-${request.number}`, sha: request.head, repo: { id: request.isFork ? 78 : 77 } },
  base: { ref: 'main', repo: REPO },
})

const proposedOf = ({ proposed }: Model, query: URLSearchParams): object[] =>
  proposed
    .filter(({ branch }) => query.get('head') === `acme:${branch}`)
    .map(({ number, branch }) => ({ number, head: { ref: branch } }))

const headOf = (run: PipelineModel): string => run.request?.head ?? run.commit

function runsOf(model: Model, query: URLSearchParams): object[] {
  const [event, commit, branch] = ['event', 'head_sha', 'branch'].map(name => query.get(name))
  return model.pipelines
    .map(run => ({
      id: run.id,
      event: EVENTS[run.event],
      head_sha: headOf(run),
      head_branch: run.request === undefined ? 'main' : `change-${run.request.number}`,
      path: PATH,
      run_attempt: 1,
      actor: { id: run.user },
      created_at: run.at,
      conclusion: run.jobs.every(({ isDone }) => isDone) ? 'success' : 'failure',
      repository: REPO,
      head_repository: { id: run.request?.isFork === true ? 78 : 77 },
    }))
    .filter(
      run =>
        (event === null || run.event === event) &&
        (commit === null || run.head_sha === commit) &&
        (branch === null || run.head_branch === branch),
    )
}

/** `plan` and `main` are uploaded as `plan`, `apply` as `apply`. */
const ARTIFACTS: Readonly<Record<string, string>> = { plan: 'plan', main: 'plan', apply: 'apply' }

const artifactsOf = (run: PipelineModel): object[] =>
  run.jobs.flatMap(({ id, name, at, files }) =>
    ARTIFACTS[name] === undefined || Object.keys(files).length === 0
      ? []
      : [
          {
            id,
            name: ARTIFACTS[name],
            size_in_bytes: 4_000,
            expired: false,
            created_at: at,
            workflow_run: { id: run.id, head_sha: headOf(run), repository_id: 77, head_repository_id: 77 },
          },
        ],
  )
