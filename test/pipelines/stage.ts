import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { zipOf } from '../forge/routes.ts'
import { aDirectory, type Ran, run, type Surroundings } from '../support/program.ts'
import { githubAnswer } from './stage-github.ts'
import { gitlabAnswer } from './stage-gitlab.ts'
import type { Files, ForgeKind, Model, PipelineModel, RequestModel } from './stage-model.ts'

export const READ = 'reads'
export const AUTHOR = 5
export const COLLEAGUE = 6

export interface JobOptions {
  /** It ends before its first line: nothing is installed. */
  readonly isDead?: boolean
  readonly env?: Files
  readonly argv?: readonly string[]
  /** Who starts it on GitLab. */
  readonly user?: number
  readonly io?: Surroundings['io']
  /** What the runner has left in the directory of the checkout. */
  readonly leftover?: Files
}

export interface JobRun extends Ran {
  readonly name: string
  readonly files: Files
  readonly outputs: string
  readonly summary: string
}

/** A repository with a sandbox and a forge. Each job has a checkout of its own, as far as it needs one, and only the tokens of its row. */
export async function aStage(kind: ForgeKind, files: Files) {
  const sandbox = await createSandbox({
    seed: { organizations: [{ name: 'acme' }] },
    tokens: [{ token: READ, permission: 'read-variables' }],
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const origin = aDirectory(files)
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', ...words], {
      cwd: origin,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  git('init', '--quiet', '--initial-branch=main')
  const parents = new Map<string, string[]>()
  const commit = (...from: readonly string[]): string => {
    git('add', '--all', '--force')
    git('commit', '--quiet', '--allow-empty', '--message=change')
    const made = git('rev-parse', 'HEAD')
    parents.set(made, [...from])
    return made
  }
  const first = commit()
  let minute = 0
  const now = (): string => new Date(Date.UTC(2026, 10, 22, 8, minute++)).toISOString()
  let id = 900
  const model: Model = {
    kind,
    url: '',
    tip: first,
    parents,
    requests: [],
    pipelines: [],
    comments: [],
    issues: [],
    branches: new Map(),
    proposed: [],
    failures: [],
    seen: [],
    now,
  }
  await serve(model)

  const write = (changes: Readonly<Record<string, string | undefined>>): void => {
    for (const [path, text] of Object.entries(changes)) {
      rmSync(join(origin, path), { recursive: true, force: true })
      if (text === undefined) continue
      mkdirSync(dirname(join(origin, path)), { recursive: true })
      writeFileSync(join(origin, path), text)
    }
  }
  const start = (
    event: PipelineModel['event'],
    at: string,
    more: Partial<PipelineModel> = {},
  ): PipelineModel => {
    const pipeline = {
      id: id++,
      event,
      commit: at,
      user: AUTHOR,
      at: now(),
      jobs: [],
      approvals: [],
      ...more,
    }
    model.pipelines.push(pipeline)
    return pipeline
  }
  /** A pull request with these changes, from the tip of main, and its pipeline. */
  const propose = (
    changes: Readonly<Record<string, string | undefined>>,
    more: { isFork?: boolean } = {},
  ) => {
    const number = 7 + model.requests.length
    git('checkout', '--quiet', '-B', `change-${number}`, model.tip)
    write(changes)
    const head = commit(model.tip)
    const request: RequestModel = {
      number,
      head,
      files: Object.keys(changes),
      author: AUTHOR,
      isFork: more.isFork ?? false,
      approvals: [],
    }
    model.requests.push(request)
    // GitHub tests the merge; GitLab here the last commit itself.
    const tested = kind === 'github' ? mergeOf(head, `test-${number}`) : head
    return { request, pipeline: start('pull', tested, { request }) }
  }
  const mergeOf = (head: string, branch: string): string => {
    git('checkout', '--quiet', '-B', branch, model.tip)
    git('merge', '--quiet', '--no-ff', '--message=merge', head)
    const made = git('rev-parse', 'HEAD')
    parents.set(made, [model.tip, head])
    return made
  }
  const merge = (request: RequestModel, user = AUTHOR): PipelineModel => {
    const as = mergeOf(request.head, 'merging')
    request.merged = { as, at: now() }
    git('checkout', '--quiet', '-B', 'main', as)
    model.tip = as
    return start('push', as, { user })
  }
  const push = (changes: Readonly<Record<string, string | undefined>>): PipelineModel => {
    git('checkout', '--quiet', '-B', 'main', model.tip)
    write(changes)
    model.tip = commit(model.tip)
    return start('push', model.tip)
  }
  git('checkout', '--quiet', '-B', 'main', first)
  /** A commit of main with links. */
  const links = (targets: Files): void => {
    for (const [path, target] of Object.entries(targets)) {
      mkdirSync(dirname(join(origin, path)), { recursive: true })
      symlinkSync(target, join(origin, path))
    }
    model.tip = commit(model.tip)
  }

  const checkout = (pipeline: PipelineModel, leftover: Files = {}): string => {
    const cwd = join(aDirectory(), 'checkout')
    execFileSync('git', ['clone', '--quiet', origin, cwd], { stdio: 'ignore' })
    execFileSync('git', ['checkout', '--quiet', '--detach', pipeline.commit], { cwd, stdio: 'ignore' })
    execFileSync('git', ['fetch', '--quiet', 'origin', 'main'], { cwd, stdio: 'ignore' })
    for (const [path, text] of Object.entries(leftover)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    }
    return cwd
  }

  /** Runs a job as its forge does: the results of the jobs before, the program, its own results. */
  const job = async (pipeline: PipelineModel, name: string, options: JobOptions = {}): Promise<JobRun> => {
    const cwd = checkout(pipeline, options.leftover)
    const temp = aDirectory()
    const prefix = name.startsWith('acme-') ? 'acme-' : ''
    const role = name.slice(prefix.length)
    const step = STEPS[role] ?? 'plan'
    const jobId = id++
    const resultsOf = (one: string): Files =>
      pipeline.jobs.findLast(({ name: other }) => other === one)?.files ?? {}
    const before = (BEFORE[role] ?? []).map(one => `${prefix}${one}`)
    if (kind === 'github')
      for (const one of before)
        for (const [path, text] of Object.entries(resultsOf(one)))
          place(join(temp, 'setpoint/in', path), text)
    else
      for (const one of before)
        for (const [path, text] of Object.entries(resultsOf(one)))
          place(join(cwd, '.setpoint-ci', one, path), text)
    const own = kind === 'github' ? join(temp, 'setpoint/out') : join(cwd, '.setpoint-ci', name)
    const outputs = join(temp, 'outputs')
    const summary = join(temp, 'summary')
    writeFileSync(outputs, '')
    writeFileSync(summary, '')
    const env: Record<string, string> = {
      PATH: process.env.PATH ?? '',
      TFE_ADDRESS: url,
      ...(kind === 'github' ? githubEnv(pipeline, name, temp, cwd) : gitlabEnv(pipeline, name, cwd, jobId)),
      ...tokensOf(step, pipeline),
      ...options.env,
    }
    model.starter = options.user ?? pipeline.user
    let ran: Ran = { code: 137, stdout: '', stderr: '' }
    if (options.isDead !== true)
      ran = await run(['ci', step, ...(options.argv ?? [])], { cwd, env, io: options.io }).catch(() => ran)
    const files = filesIn(own)
    const isDone = ran.code === 0
    const user = options.user ?? pipeline.user
    pipeline.jobs.push({ id: jobId, name, isDone, user, at: now(), files })
    const said = readFileSync(outputs, 'utf8')
    return { ...ran, name, files, outputs: said, summary: readFileSync(summary, 'utf8') }
  }

  const githubEnv = (
    pipeline: PipelineModel,
    name: string,
    temp: string,
    cwd: string,
  ): Record<string, string> => {
    const { request } = pipeline
    const payload = {
      repository: { default_branch: 'main' },
      ...(request && {
        pull_request: {
          number: request.number,
          head: { repo: { full_name: request.isFork ? 'mallory/sets' : 'acme/sets' } },
        },
      }),
    }
    const event = join(temp, 'event.json')
    writeFileSync(event, JSON.stringify(payload))
    const ref = request === undefined ? 'refs/heads/main' : `refs/pull/${request.number}/merge`
    const names = { pull: 'pull_request', push: 'push', web: 'workflow_dispatch', schedule: 'schedule' }
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: model.url,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/sets',
      GITHUB_EVENT_NAME: names[pipeline.event],
      GITHUB_EVENT_PATH: event,
      GITHUB_REF: ref,
      GITHUB_SHA: pipeline.commit,
      GITHUB_JOB: name,
      GITHUB_RUN_ID: `${pipeline.id}`,
      GITHUB_WORKFLOW_REF: `acme/sets/.github/workflows/setpoint.yml@${ref}`,
      GITHUB_WORKSPACE: cwd,
      RUNNER_TEMP: temp,
      GITHUB_OUTPUT: join(temp, 'outputs'),
      GITHUB_STEP_SUMMARY: join(temp, 'summary'),
    }
  }
  const gitlabEnv = (
    pipeline: PipelineModel,
    name: string,
    cwd: string,
    jobId: number,
  ): Record<string, string> => {
    const { request } = pipeline
    const sources = { pull: 'merge_request_event', push: 'push', web: 'web', schedule: 'schedule' }
    return {
      GITLAB_CI: 'true',
      CI_API_V4_URL: `${model.url}/api/v4`,
      CI_PROJECT_ID: '77',
      CI_PROJECT_DIR: cwd,
      CI_PIPELINE_SOURCE: sources[pipeline.event],
      CI_PIPELINE_ID: `${pipeline.id}`,
      CI_PIPELINE_URL: `https://gitlab.example/acme/sets/-/pipelines/${pipeline.id}`,
      CI_JOB_NAME: name,
      CI_JOB_ID: `${jobId}`,
      CI_COMMIT_SHA: pipeline.commit,
      CI_DEFAULT_BRANCH: 'main',
      CI_JOB_TOKEN: 'job-token',
      ...(request === undefined
        ? { CI_COMMIT_BRANCH: 'main' }
        : { CI_MERGE_REQUEST_IID: `${request.number}`, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' }),
    }
  }
  const tokensOf = (step: string, pipeline: PipelineModel): Record<string, string> => {
    const isMain = pipeline.request === undefined
    const services: Readonly<Record<string, Files>> = {
      plan: kind === 'github' ? { TFE_TOKEN: READ } : { TFE_TOKEN_READ: READ },
      apply: { TFE_TOKEN: sandbox.token },
    }
    const service = services[step] ?? {}
    const noService = pipeline.request?.isFork === true
    const forge: Files =
      kind === 'github'
        ? { GITHUB_TOKEN: step === 'report' ? 'github-writes' : 'github-reads' }
        : {
            ...(isMain ? { SETPOINT_FORGE_TOKEN: 'gitlab-reads' } : {}),
            SETPOINT_COMMENT_TOKEN: 'gitlab-writes',
          }
    return { ...(noService ? {} : service), ...forge }
  }
  /** A workspace that somebody makes. */
  const workspace = async (name: string): Promise<void> => {
    await fetch(`${url}/api/v2/organizations/acme/workspaces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'workspaces', attributes: { name } } }),
    })
  }
  const variableOf = (name: string) =>
    (sandbox.snapshot().sets ?? []).find(one => one.name === name)?.variables?.[0]
  /** The value of the only variable of a set. */
  const textOfSet = (name: string): string | undefined => variableOf(name)?.value
  /** Somebody changes that value by hand. */
  const change = async (name: string, value: string): Promise<void> => {
    const found = (sandbox.snapshot().sets ?? []).find(one => one.name === name)
    const path = `/api/v2/varsets/${found?.id}/relationships/vars/${variableOf(name)?.id}`
    const changed = await fetch(`${url}${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'vars', id: variableOf(name)?.id, attributes: { value } } }),
    })
    if (!changed.ok) throw new Error(`the value was not changed: ${changed.status}`)
  }
  const transport: Transport = (request, signal) =>
    sandbox.transport(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${sandbox.token}` } },
      signal,
    )
  return {
    kind,
    url,
    workspace,
    links,
    valueOf: textOfSet,
    change,
    transport,
    model,
    sandbox,
    origin,
    git,
    propose,
    merge,
    push,
    start,
    job,
    write,
  }
}

export type Stage = Awaited<ReturnType<typeof aStage>>

const STEPS: Readonly<Record<string, string>> = {
  plan: 'plan',
  main: 'plan',
  report: 'report',
  apply: 'apply',
  approve: 'apply',
  reported: 'report',
  'reported-approved': 'report',
}

/** The jobs whose results a job gets. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  report: ['plan', 'main'],
  apply: ['main'],
  approve: ['main'],
  reported: ['apply'],
  'reported-approved': ['approve'],
}

function place(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function filesIn(directory: string): Files {
  if (!existsSync(directory)) return {}
  const names = readdirSync(directory, { withFileTypes: true }).filter(one => one.isFile())
  return Object.fromEntries(names.map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')]))
}

/** The forge of a model, over HTTP. Each request is kept with its token. */
async function serve(model: Model): Promise<void> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://forge')
    const method = request.method ?? ''
    const path = decodeURIComponent(pathname)
    const job = request.headers['job-token']
    const token =
      request.headers.authorization?.replace(/^Bearer /, '') ?? (typeof job === 'string' ? job : '')
    model.seen.push({ method, path, token })
    const asked = { method, path, query: searchParams, body: text === '' ? {} : JSON.parse(text) }
    const at = model.failures.findIndex(one => one.method === method && one.path.test(path))
    const [failure] = at < 0 ? [] : model.failures.splice(at, 1)
    const answer =
      failure !== undefined && failure.isDone !== true
        ? { status: failure.status, body: { message: 'a failure of this test' } }
        : path.startsWith('/store/')
          ? { bytes: archiveOf(model, Number(path.slice(7))) }
          : (model.kind === 'github' ? githubAnswer : gitlabAnswer)(model, asked)
    const status = failure?.status ?? answer?.status ?? (answer === undefined ? 404 : 200)
    const { body, bytes, headers = {} } = answer ?? { body: { message: 'Not Found' } }
    response.writeHead(status, {
      'content-type': bytes === undefined ? 'application/json' : 'application/zip',
      ...headers,
    })
    response.end(bytes ?? (body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise<void>(done => void server.close(() => done())))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  model.url = `http://127.0.0.1:${address.port}`
}

const archiveOf = ({ pipelines }: Model, id: number): Buffer => {
  const found = pipelines.flatMap(({ jobs }) => jobs).find(job => job.id === id)
  return zipOf(Object.entries(found?.files ?? {}).map(([name, text]) => ({ name, text })))
}

/** The names of the sets of the service. */
export const setsOf = (sandbox: Sandbox): string[] =>
  (sandbox.snapshot().sets ?? [])
    .map(({ name }) => name)
    .filter(name => !name.startsWith('setpoint-inventory'))
    .toSorted()
