import { checkAddress, type Environment } from '../api/address.ts'
import { Token, tokenText } from '../api/token.ts'
import type { Checked, Diagnostic } from '../model/diagnostic.ts'

export type ForgeName = 'github' | 'gitlab'

/** The project that a pipeline belongs to, and how to be let in. The token cannot be printed. */
export interface ForgeProject {
  readonly forge: ForgeName
  /** The forge's interface, such as `https://api.github.com` or `https://gitlab.example.com/api/v4`. */
  readonly api: string
  readonly token: Token
  /** `acme/sets`; of GitLab the project's number or its path. */
  readonly project: string
}

/** The pull or merge request that a pipeline belongs to. */
export interface PullRequest extends ForgeProject {
  readonly number: number
}

/** Where a forge says in a pipeline's environment what its pull request is. The first variable that is set counts. */
interface ForgeVariables {
  readonly api: readonly (readonly [variable: string, after: string])[]
  readonly project: readonly string[]
  readonly tokens: readonly string[]
  readonly noToken: string
}

const FORGE_VARIABLES = {
  github: {
    api: [['GITHUB_API_URL', '']],
    project: ['GITHUB_REPOSITORY'],
    tokens: ['SETPOINT_COMMENT_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'],
    noToken:
      'Hand the job its token: env: { GITHUB_TOKEN: ${{ github.token }} }, with permissions: { pull-requests: write }.',
  },
  gitlab: {
    api: [
      ['CI_API_V4_URL', ''],
      ['CI_SERVER_URL', '/api/v4'],
    ],
    project: ['CI_PROJECT_ID', 'CI_PROJECT_PATH'],
    tokens: ['SETPOINT_COMMENT_TOKEN', 'GITLAB_TOKEN'],
    noToken:
      'CI_JOB_TOKEN may not write comments. Make a project access token with the scope "api" and hand it down as SETPOINT_COMMENT_TOKEN.',
  },
} as const satisfies Record<ForgeName, ForgeVariables>

interface PipelineContext {
  readonly environment: Environment
  /** The text of the file that `GITHUB_EVENT_PATH` names. */
  readonly event?: string
  /** Said by a flag: it counts before what the environment says. */
  readonly number?: number
}

/** What the environment of a pipeline says; what it does not say is a diagnostic each. */
export function readPullRequest({ environment, event, number }: PipelineContext): Checked<PullRequest> {
  const { value: project, diagnostics } = readForgeProject(environment)
  const forge = forgeIn(environment)
  if (forge === undefined) return { value: undefined, diagnostics }
  const inPipeline = forge === 'github' ? githubNumber(environment, event) : gitlabNumber(environment)
  const found = number ?? inPipeline
  const missing = found === undefined ? [problem('bad-usage', NO_REQUEST, WHICH_REQUEST)] : []
  if (project === undefined || found === undefined)
    return { value: undefined, diagnostics: [...diagnostics, ...missing] }
  return { value: { ...project, number: found }, diagnostics }
}

/** Where the token of a command that only reads stands, and what to do where it does not. */
export type ReadingToken = Readonly<Record<ForgeName, Pick<ForgeVariables, 'tokens' | 'noToken'>>>

/** The project that the environment of a pipeline names. `reading`: for a token that only reads, which goes by other names. */
export function readForgeProject(environment: Environment, reading?: ReadingToken): Checked<ForgeProject> {
  const forge = forgeIn(environment)
  if (forge === undefined) return { value: undefined, diagnostics: [NO_FORGE] }
  const signs: ForgeVariables = { ...FORGE_VARIABLES[forge], ...reading?.[forge] }
  const written = signs.api.find(([name]) => environment[name])
  const text = written === undefined ? DEFAULT_API[forge] : `${environment[written[0]]}${written[1]}`
  const api = checkAddress(text, written?.[0] ?? 'default')
  const project = signs.project.map(name => environment[name]).find(found => found)
  const from = signs.tokens.find(name => environment[name])
  const token = from === undefined ? undefined : tokenText(environment[from] ?? '')
  const diagnostics: Diagnostic[] = [
    ...api.diagnostics,
    ...(project === undefined
      ? [problem('bad-usage', `${signs.project[0]} is not set.`, NOT_A_PIPELINE)]
      : []),
    ...(from === undefined
      ? [problem('no-token', reading === undefined ? NO_TOKEN : NO_READING_TOKEN, signs.noToken)]
      : []),
    ...(from !== undefined && token === undefined
      ? [
          problem(
            'no-token',
            `${from} holds a character that no token has.`,
            'Look for a space or a line break.',
          ),
        ]
      : []),
  ]
  if (api.value === undefined || project === undefined || token === undefined)
    return { value: undefined, diagnostics }
  return { value: { forge, api: api.value.url, token: new Token(token), project }, diagnostics }
}

const DEFAULT_API = { github: 'https://api.github.com', gitlab: 'https://gitlab.com/api/v4' } as const

/** A runner of GitLab may run inside an action of GitHub, and never the other way round. */
function forgeIn(environment: Environment): ForgeName | undefined {
  if (environment.GITLAB_CI === 'true') return 'gitlab'
  if (environment.GITHUB_ACTIONS === 'true') return 'github'
  if (environment.GITHUB_REPOSITORY) return 'github'
  return environment.CI_PROJECT_ID ? 'gitlab' : undefined
}

/**
 * Where a browser shows the files of the commit that a pipeline is about, up to a file's path: `https://github.com/acme/sets/blob/…/`.
 * Of a pull request its own commit, for the one that a forge merges to try it does not last. `undefined` where the environment does not
 * say it, or says anything that is no such address.
 */
export function sourceBaseUrl(environment: Environment, event: string | undefined): string | undefined {
  const gitlab = forgeIn(environment) === 'gitlab'
  const head = event === undefined ? undefined : member(member(parsed(event), 'pull_request'), 'head')
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

const gitlabNumber = ({ CI_MERGE_REQUEST_IID }: Environment): number | undefined =>
  numberOf(CI_MERGE_REQUEST_IID)

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined

/** The events of GitHub that belong to one pull request: the request itself, a comment on it, a workflow run for it. */
function numberInEvent(text: string): number | undefined {
  const event = parsed(text)
  const issue = member(event, 'issue')
  const [ofRun] = listOf(member(member(event, 'workflow_run'), 'pull_requests'))
  const candidates = [
    member(event, 'pull_request'),
    ...(member(issue, 'pull_request') === undefined ? [] : [issue]),
    ofRun,
  ]
  return candidates.map(found => numberOf(String(member(found, 'number')))).find(found => found !== undefined)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined

/** A text or nothing, for what is only compared. */
export const textAt = (value: unknown, name: string): string => {
  const text = member(value, name)
  return typeof text === 'string' ? text : ''
}

/** A number, or one that equals none. */
export const numberAt = (value: unknown, name: string): number => {
  const number = member(value, name)
  return typeof number === 'number' ? number : Number.NaN
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const problem = (code: Diagnostic['code'], message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code,
  message,
  hint,
})

const NO_TOKEN = 'There is no token to comment with.'
const NO_READING_TOKEN = 'There is no token to ask the forge with.'
const NOT_A_PIPELINE = 'The forge sets it in its pipelines.'
const NO_REQUEST = 'This pipeline belongs to no pull or merge request.'
const WHICH_REQUEST = 'Run it for pull requests only, or say which one: --number N.'
const NO_FORGE = problem(
  'bad-usage',
  'This is no pipeline of GitHub or GitLab.',
  'Elsewhere set GITHUB_REPOSITORY or CI_PROJECT_ID, a token, and --number; docs/ci.md has all names.',
)
