import { checkAddress, type Environment } from '../api/address.ts'
import { Token, tokenText } from '../api/token.ts'
import { type Checked, type Diagnostic, mistake } from '../model/diagnostic.ts'
import { parseJson } from '../model/parse-json.ts'

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
      'Give the job its token with env: { GITHUB_TOKEN: ${{ github.token }} } and permissions: { pull-requests: write }.',
  },
  gitlab: {
    api: [
      ['CI_API_V4_URL', ''],
      ['CI_SERVER_URL', '/api/v4'],
    ],
    project: ['CI_PROJECT_ID', 'CI_PROJECT_PATH'],
    tokens: ['SETPOINT_COMMENT_TOKEN', 'GITLAB_TOKEN'],
    noToken:
      'CI_JOB_TOKEN cannot write comments. Create a project access token with the scope "api" and pass it as SETPOINT_COMMENT_TOKEN.',
  },
} as const satisfies Record<ForgeName, ForgeVariables>

interface PipelineContext {
  readonly environment: Environment
  /** The text of the file that `GITHUB_EVENT_PATH` names. */
  readonly event?: string
  /** From a flag, which overrides the environment. */
  readonly number?: number
}

/** Reads the environment of a pipeline. Everything that is missing is a diagnostic. */
export function readPullRequest({ environment, event, number }: PipelineContext): Checked<PullRequest> {
  const { value: project, diagnostics } = readForgeProject(environment)
  const forge = forgeIn(environment)
  if (forge === undefined) return { value: undefined, diagnostics }
  const inPipeline = forge === 'github' ? githubNumber(environment, event) : gitlabNumber(environment)
  const found = number ?? inPipeline
  const missing = found === undefined ? [mistake('bad-usage', NO_REQUEST, WHICH_REQUEST)] : []
  if (project === undefined || found === undefined)
    return { value: undefined, diagnostics: [...diagnostics, ...missing] }
  return { value: { ...project, number: found }, diagnostics }
}

/** Variables with the token of a read-only command, and the hint if there is none. */
export type ReadingToken = Readonly<Record<ForgeName, Pick<ForgeVariables, 'tokens' | 'noToken'>>>

/** Reads the project of a pipeline. `reading` replaces the variables of the token for a read-only command. */
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
      ? [mistake('bad-usage', `${signs.project[0]} is not set.`, NOT_A_PIPELINE)]
      : []),
    ...(from === undefined
      ? [mistake('no-token', reading === undefined ? NO_TOKEN : NO_READING_TOKEN, signs.noToken)]
      : []),
    ...(from !== undefined && token === undefined
      ? [
          mistake(
            'no-token',
            `${from} contains a character that is not allowed in a token.`,
            'Check it for a space or a line break.',
          ),
        ]
      : []),
  ]
  if (api.value === undefined || project === undefined || token === undefined)
    return { value: undefined, diagnostics }
  return { value: { forge, api: api.value.url, token: new Token(token), project }, diagnostics }
}

const DEFAULT_API = { github: 'https://api.github.com', gitlab: 'https://gitlab.com/api/v4' } as const

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

const gitlabNumber = ({ CI_MERGE_REQUEST_IID }: Environment): number | undefined =>
  numberOf(CI_MERGE_REQUEST_IID)

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

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const NO_TOKEN = 'There is no token for comments.'
const NO_READING_TOKEN = 'There is no token for the forge.'
const NOT_A_PIPELINE = 'Run this in a pipeline of the forge, which sets it.'
const NO_REQUEST = 'This pipeline does not belong to a pull or merge request.'
const WHICH_REQUEST = 'Run it for pull requests only, or name one with --number N.'
const NO_FORGE = mistake(
  'bad-usage',
  'This is not a pipeline of GitHub or GitLab.',
  'Elsewhere, set GITHUB_REPOSITORY or CI_PROJECT_ID, a token and --number. All names are in docs/ci.md.',
)
