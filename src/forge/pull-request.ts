import { checkAddress, type Environment } from '../api/address.ts'
import { Token, tokenText } from '../api/client.ts'
import { type Checked, mistake } from '../model/diagnostic.ts'
import { listOf, parseJson } from '../model/json.ts'

export type ForgeName = 'github' | 'gitlab'

/** The project of a pipeline, with address and token of its forge. The token cannot be printed. */
export interface ForgeProject {
  readonly forge: ForgeName
  /** The API of the forge, such as `https://api.github.com` or `https://gitlab.example.com/api/v4`. */
  readonly api: string
  readonly token: Token
  /** `acme/sets`, or on GitLab the number or path of the project. */
  readonly project: string
}

/** The pull or merge request of a pipeline. */
export interface PullRequest extends ForgeProject {
  readonly number: number
}

/** Variables in which a forge describes the pull request of a pipeline. The first one that is set counts. */
const FORGE_VARIABLES = {
  github: {
    api: [['GITHUB_API_URL', '']],
    usualApi: 'https://api.github.com',
    project: ['GITHUB_REPOSITORY'],
    tokens: ['GITHUB_TOKEN', 'GH_TOKEN'],
    noToken: {
      comment:
        'Give the job its token with env: { GITHUB_TOKEN: ${{ github.token }} } and permissions: { pull-requests: write }.',
      read: 'Give the job its token: env: { GITHUB_TOKEN: ${{ github.token }} }, with permissions: { contents: read, pull-requests: read, actions: read }.',
      propose:
        'Create a token of an app or a bot with the permissions contents: write and pull-requests: write, and pass it as SETPOINT_BOT_TOKEN.',
    },
  },
  gitlab: {
    api: [
      ['CI_API_V4_URL', ''],
      ['CI_SERVER_URL', '/api/v4'],
    ],
    usualApi: 'https://gitlab.com/api/v4',
    project: ['CI_PROJECT_ID', 'CI_PROJECT_PATH'],
    tokens: ['GITLAB_TOKEN'],
    noToken: {
      comment:
        'CI_JOB_TOKEN cannot write comments. Create a project access token with the scope "api" and pass it as SETPOINT_COMMENT_TOKEN.',
      read: 'CI_JOB_TOKEN cannot read merge requests. Create a project access token with the scope "read_api" and pass it as SETPOINT_FORGE_TOKEN.',
      propose:
        'Create a project access token with the scope "api" and the role Developer, and pass it as SETPOINT_BOT_TOKEN.',
    },
  },
} as const

/** What a command does with the forge: the variable of its token, before those of the forge, and what is said without one. */
const PURPOSES = {
  comment: ['SETPOINT_COMMENT_TOKEN', 'There is no token for comments.'],
  read: ['SETPOINT_FORGE_TOKEN', 'There is no token for the forge.'],
  // Never the token of the job: what it proposes starts no pipeline.
  propose: ['SETPOINT_BOT_TOKEN', 'There is no token to propose a change with.'],
} as const

/**
 * Reads the environment of a pipeline. `event`: the text of the file that `GITHUB_EVENT_PATH` names. `number` is from a flag,
 * which overrides the environment. Everything that is missing is a diagnostic.
 */
export function readPullRequest(
  environment: Environment,
  event: string | undefined,
  number: number | undefined,
): Checked<PullRequest> {
  const { value: project, diagnostics } = readForgeProject(environment, 'comment')
  const forge = forgeIn(environment)
  if (forge === undefined) return { value: undefined, diagnostics }
  const found =
    number ??
    (forge === 'github' ? githubNumber(environment, event) : numberOf(environment.CI_MERGE_REQUEST_IID))
  if (found === undefined) return { value: undefined, diagnostics: [...diagnostics, NO_REQUEST] }
  return { value: project && { ...project, number: found }, diagnostics }
}

/** Reads the project of a pipeline, with the token for a purpose. */
export function readForgeProject(
  environment: Environment,
  purpose: keyof typeof PURPOSES,
): Checked<ForgeProject> {
  const forge = forgeIn(environment)
  if (forge === undefined) return { value: undefined, diagnostics: [NO_FORGE] }
  const { noToken, usualApi, ...variables } = FORGE_VARIABLES[forge]
  const [own, missing] = PURPOSES[purpose]
  const written = variables.api.find(([name]) => environment[name])
  const text = written === undefined ? usualApi : `${environment[written[0]]}${written[1]}`
  const api = checkAddress(text, written?.[0] ?? 'default')
  const project = variables.project.map(name => environment[name]).find(found => found)
  const others = purpose === 'propose' ? [] : variables.tokens
  const from = [own, ...others].find(name => environment[name])
  const token = from && tokenText(environment[from] ?? '')
  const diagnostics = [...api.diagnostics]
  if (project === undefined)
    diagnostics.push(mistake('bad-usage', `${variables.project[0]} is not set.`, NOT_A_PIPELINE))
  if (from === undefined) diagnostics.push(mistake('no-token', missing, noToken[purpose]))
  else if (token === undefined)
    diagnostics.push(
      mistake(
        'no-token',
        `${from} contains a character that is not allowed in a token.`,
        'Check it for a space or a line break.',
      ),
    )
  if (api.value === undefined || project === undefined || token === undefined)
    return { value: undefined, diagnostics }
  return { value: { forge, api: api.value.url, token: new Token(token), project }, diagnostics }
}

/** GitLab comes first: its runner may run inside an action of GitHub, but not the other way round. */
function forgeIn(environment: Environment): ForgeName | undefined {
  if (environment.GITLAB_CI === 'true') return 'gitlab'
  if (environment.GITHUB_ACTIONS === 'true') return 'github'
  if (environment.GITHUB_REPOSITORY) return 'github'
  return environment.CI_PROJECT_ID ? 'gitlab' : undefined
}

/**
 * The URL of the files of a pipeline's commit, up to the path of a file: `https://github.com/acme/sets/blob/…/`. For a pull request that is
 * its own commit, because the merge commit of the forge is temporary. `undefined` if the environment has none, or a malformed one.
 */
export function sourceBaseUrl(environment: Environment, event: string | undefined): string | undefined {
  const gitlab = forgeIn(environment) === 'gitlab'
  const head = event === undefined ? undefined : member(member(parseJson(event), 'pull_request'), 'head')
  const commit = gitlab
    ? environment.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || environment.CI_COMMIT_SHA
    : (member(head, 'sha') ?? environment.GITHUB_SHA)
  const project = gitlab
    ? environment.CI_PROJECT_URL
    : `${environment.GITHUB_SERVER_URL}/${environment.GITHUB_REPOSITORY}`
  if (typeof commit !== 'string' || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return undefined
  if (project === undefined || !/^https?:\/\/[\w.-]+(?::\d{1,5})?(?:\/[\w.-]+){2,20}$/.test(project))
    return undefined
  if (/\/\.{1,2}(?:\/|$)/.test(project)) return undefined
  return `${project}${gitlab ? '/-' : ''}/blob/${commit}/`
}

function githubNumber(environment: Environment, event: string | undefined): number | undefined {
  const inRef = /^refs\/pull\/(\d{1,9})\//.exec(environment.GITHUB_REF ?? '')?.[1]
  return numberOf(inRef) ?? (event === undefined ? undefined : numberInEvent(event))
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined

/** GitHub events about one pull request: the request itself, a comment on it, or a workflow run for it. */
function numberInEvent(text: string): number | undefined {
  const event = parseJson(text)
  const issue = member(event, 'issue')
  const [ofRun] = listOf(member(member(event, 'workflow_run'), 'pull_requests'))
  const candidates = [
    member(event, 'pull_request'),
    ...(member(issue, 'pull_request') === undefined ? [] : [issue]),
    ofRun,
  ]
  return candidates.map(found => numberOf(String(member(found, 'number')))).find(found => found !== undefined)
}

export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined

/** A string, or '' for anything else. For values that are only compared. */
export const textAt = (value: unknown, name: string): string => {
  const text = member(value, name)
  return typeof text === 'string' ? text : ''
}

/** A number, or NaN for anything else. */
export const numberAt = (value: unknown, name: string): number => {
  const number = member(value, name)
  return typeof number === 'number' ? number : Number.NaN
}

/** Milliseconds, or NaN, which is neither before nor after another moment. */
export const timeAt = (value: unknown, name: string): number => Date.parse(textAt(value, name))

const NOT_A_PIPELINE = 'Run this in a pipeline of the forge, which sets it.'
const NO_REQUEST = mistake(
  'bad-usage',
  'This pipeline does not belong to a pull or merge request.',
  'Run it for pull requests only, or name one in GITHUB_REF or CI_MERGE_REQUEST_IID (setpoint comment: with --number N).',
)
const NO_FORGE = mistake(
  'bad-usage',
  'This is not a pipeline of GitHub or GitLab.',
  'Elsewhere, set GITHUB_REPOSITORY or CI_PROJECT_ID, a token, and the request in GITHUB_REF or CI_MERGE_REQUEST_IID (setpoint comment: --number). All names are in docs/ci.md.',
)
