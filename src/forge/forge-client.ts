import { parseJson } from '../model/json.ts'
import type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
import { type ForgeName, type ForgeProject, member, numberAt } from './pull-request.ts'

/** Entries per page, the maximum of both forges. */
export const PAGE = 100

/** More pages than any conversation has. Ends the run against a forge whose list never ends. */
const MOST_PAGES = 200

export type ForgeQuery = Readonly<Record<string, string>>

/** What to do about a status. */
export type Hints = Readonly<Record<number, string>>

/** Returns `undefined` for a document of an unexpected form. */
type Decode<T> = (document: unknown) => T | undefined

type Asking = Omit<ApiRequest, 'headers' | 'body'> & {
  readonly body?: object
  /** The expected response is a redirect, whose target is not requested here. */
  readonly redirect?: boolean
}

export type Forge = ReturnType<typeof openForge>

/** The REST API of a forge, for one project. Every request rejects with a `ForgeError` or a `TransportError`. `transport` adds the token. */
export function openForge(transport: Transport, { forge, api, project }: ForgeProject, hints?: Hints) {
  const { title, accept, home, hasNext, hints: usual } = FORGES[forge]
  const root = new URL(api).pathname.replace(/\/$/, '')

  /** A successful response. Sends JSON. */
  const ask = async ({ body, redirect = false, ...rest }: Asking) => {
    const request: ApiRequest = {
      ...rest,
      headers: {
        accept,
        // GitHub requires a user agent.
        'user-agent': 'setpoint',
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    }
    const response = await transport(request)
    const isGood = redirect ? response.status === 302 : response.status >= 200 && response.status < 300
    if (!isGood) throw refusal(title, request, response, hints ?? usual)
    return { request, response }
  }

  /** The document of a response. Nothing is concluded from one of another form. */
  const answer = async <T>(asking: Asking, expected: string, decode: Decode<T>) => {
    const { request, response } = await ask(asking)
    const value = decode(parseJson(response.body))
    if (value !== undefined) return { value, headers: response.headers }
    throw new ForgeError(
      `The response of ${title} to ${request.method} ${request.path} is not ${expected}.`,
      200,
      'Check that the address is that of its REST API. A proxy may have responded instead.',
    )
  }

  const get = async <T>(path: string, expected: string, decode: Decode<T>, query: ForgeQuery = {}) =>
    (await answer({ method: 'GET', path, query }, expected, decode)).value

  /**
   * The entries of all pages. A page may be short although more follow, because entries that the token may not see are left out.
   * Rejects with an `IncompleteList` if the forge counts more entries than it lists.
   */
  const list = async <T>(
    path: string,
    decode: Decode<readonly T[]>,
    given: ForgeQuery = {},
    expected = 'a list',
  ): Promise<T[]> => {
    const found: T[] = []
    for (let page = 1; page <= MOST_PAGES; page++) {
      const query = { per_page: `${PAGE}`, page: `${page}`, ...given }
      const { value, headers } = await answer({ method: 'GET', path, query }, expected, document => {
        const entries = decode(document)
        return entries && { entries, total: numberAt(document, 'total_count') }
      })
      found.push(...value.entries)
      if (hasNext(headers) ?? value.entries.length === PAGE) continue
      if (value.total > found.length) throw new IncompleteList(title, path, found.length, value.total)
      return found
    }
    throw new ForgeError(
      `${title} lists more than ${PAGE * MOST_PAGES} entries.`,
      200,
      'Check that the address is that of its REST API.',
    )
  }
  return { root, home: `${root}/${home(project)}`, ask, answer, get, list }
}

/** Decodes each entry of a list, which may be a member of the document. */
export const each =
  <T>(read: (entry: unknown) => T, name?: string): Decode<readonly T[]> =>
  document => {
    const entries = name === undefined ? document : member(document, name)
    return Array.isArray(entries) ? entries.map(read) : undefined
  }

/** A forge refused a request, or its response is unexpected. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError'
  readonly status: number
  readonly hint: string

  constructor(message: string, status: number, hint: string) {
    super(message)
    this.status = status
    this.hint = hint
  }
}

/** A list whose end the forge does not return, so nothing can be concluded from what is not in it. */
export class IncompleteList extends ForgeError {
  constructor(title: string, path: string, listed: number, total: number) {
    super(`${title} lists only ${listed} of ${total} entries of ${path}.`, 200, 'Run the job again.')
  }
}

const FORGES = {
  github: {
    title: 'GitHub',
    accept: 'application/vnd.github+json',
    home: project => `repos/${project.split('/').map(encodeURIComponent).join('/')}`,
    hasNext: ({ link }) => (link === undefined ? undefined : /rel="?next/.test(link)),
    hints: {
      401: 'The token is wrong or expired. Replace SETPOINT_COMMENT_TOKEN, or GITHUB_TOKEN without it.',
      403: 'Give the job permissions: { pull-requests: write }. The token of a pull request from a fork is read-only.',
      404: 'Check the number of the pull request, and whether the token can read the repository.',
      422: 'GitHub rejected the text. Check whether the conversation is locked.',
    },
  },
  gitlab: {
    title: 'GitLab',
    accept: 'application/json',
    home: project => `projects/${encodeURIComponent(project)}`,
    hasNext: headers => (headers['x-next-page'] === undefined ? undefined : headers['x-next-page'] !== ''),
    hints: {
      401: 'The token is wrong or expired, or it is a CI_JOB_TOKEN, which cannot comment. Replace SETPOINT_COMMENT_TOKEN, or GITLAB_TOKEN without it.',
      403: 'Give the token the scope "api" and at least the role Reporter in this project.',
      404: 'Check the number of the merge request, and whether the token can read the project.',
    },
  },
} as const satisfies Record<
  ForgeName,
  {
    readonly title: string
    readonly accept: string
    /** The path of a project. */
    readonly home: (project: string) => string
    /** Whether the headers announce another page. `undefined` if they do not tell. */
    readonly hasNext: (headers: ApiResponse['headers']) => boolean | undefined
    readonly hints: Hints
  }
>

const MOST_WORDS = 300

/** The refusal of a forge in its own words, and what to do about it. */
function refusal(title: string, request: ApiRequest, response: ApiResponse, hints: Hints): ForgeError {
  const { status } = response
  const document = parseJson(response.body)
  const words = member(document, 'message') ?? member(document, 'error') ?? ''
  const said = (typeof words === 'string' ? words : JSON.stringify(words)).slice(0, MOST_WORDS)
  return new ForgeError(
    `${title} responded with ${status} to ${request.method} ${request.path}${said === '' ? '' : `: ${said}`}.`,
    status,
    hintFor(hints, response, said),
  )
}

function hintFor(hints: Hints, { status, headers }: ApiResponse, said: string): string {
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, because they could send the token elsewhere. Set the address that it leads to.'
  if (isLimited(status, headers, said)) return 'This token made too many requests. Run the job again later.'
  if (status >= 500) return 'The forge has an internal problem. Run the job again.'
  return hints[status] ?? 'Run the job again with --verbose to see each request.'
}

/** GitHub also responds with 403 to a token that made too many requests. */
const isLimited = (status: number, headers: ApiResponse['headers'], said: string): boolean =>
  status === 403 &&
  (headers['x-ratelimit-remaining'] === '0' ||
    headers['retry-after'] !== undefined ||
    /rate limit/i.test(said))
