import { parseJson } from '../model/parse-json.ts'
import type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
import { type ForgeName, member } from './pull-request.ts'

/** Comments per page, the maximum of both forges. */
export const PAGE = 100

/** More pages than any conversation has. Ends the run against a forge whose list never ends. */
const MOST_PAGES = 200

export type ForgeQuery = Readonly<Record<string, string>>

type Asking = Omit<ApiRequest, 'headers' | 'body'> & {
  readonly body?: object
  /** The expected response is a redirect, whose target is not requested here. */
  readonly redirect?: boolean
}

/** Sends JSON to a forge. Returns successful responses and rejects with a `ForgeError` for all others. */
export function askOf(forge: ForgeName, transport: Transport, accept: string, hints?: Hints) {
  return async ({
    body,
    redirect = false,
    ...rest
  }: Asking): Promise<{ readonly request: ApiRequest; readonly response: ApiResponse }> => {
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
    if (!isGood) throw refusal(forge, request, response, hints)
    return { request, response }
  }
}

export type Ask = ReturnType<typeof askOf>

/** The document of a response, as `read` decodes it. `read` returns `undefined` for an unexpected form. */
export async function documentOf<T>(
  forge: ForgeName,
  asked: ReturnType<Ask>,
  expected: string,
  read: (document: unknown) => T | undefined,
): Promise<{ readonly value: T; readonly headers: ApiResponse['headers'] }> {
  const { request, response } = await asked
  const value = read(parseJson(response.body))
  if (value === undefined) throw malformed(forge, request, expected)
  return { value, headers: response.headers }
}

/** The entries of all pages. A page may be short although more follow, because entries that the token may not see are left out. */
export async function everyPage<T>(
  forge: ForgeName,
  read: (page: number) => Promise<{ readonly value: readonly T[]; readonly headers: ApiResponse['headers'] }>,
): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { value, headers } = await read(page)
    found.push(...value)
    if (!(HAS_NEXT[forge](headers) ?? value.length === PAGE)) return found
  }
  throw new ForgeError(
    `${NAMES[forge]} lists more than ${PAGE * MOST_PAGES} entries.`,
    200,
    'Check that the address is that of its REST API.',
  )
}

/** Whether the headers announce another page. `undefined` if they do not tell. */
const HAS_NEXT: Readonly<Record<ForgeName, (headers: ApiResponse['headers']) => boolean | undefined>> = {
  github: ({ link }) => (link === undefined ? undefined : /rel="?next/.test(link)),
  gitlab: headers => (headers['x-next-page'] === undefined ? undefined : headers['x-next-page'] !== ''),
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

const NAMES = { github: 'GitHub', gitlab: 'GitLab' } as const satisfies Record<ForgeName, string>

/** The refusal of a forge in its own words, and what to do about it. */
function refusal(
  forge: ForgeName,
  request: ApiRequest,
  response: ApiResponse,
  hints: Hints = HINTS[forge],
): ForgeError {
  const { status } = response
  const said = wordsOf(response.body)
  const words = said === undefined ? '' : `: ${said}`
  return new ForgeError(
    `${NAMES[forge]} answered ${status} to ${request.method} ${request.path}${words}.`,
    status,
    hintFor(hints, response, said ?? ''),
  )
}

/** A successful response of another form. Nothing is concluded from it. */
const malformed = (forge: ForgeName, request: ApiRequest, expected: string): ForgeError =>
  new ForgeError(
    `The response of ${NAMES[forge]} to ${request.method} ${request.path} is not ${expected}.`,
    200,
    'Check that the address is that of its REST API. A proxy may have responded in its place.',
  )

const MOST_WORDS = 300

function wordsOf(body: string): string | undefined {
  const document = parseJson(body)
  const words = member(document, 'message') ?? member(document, 'error')
  const text = typeof words === 'string' ? words : words === undefined ? '' : JSON.stringify(words)
  return text === '' ? undefined : text.slice(0, MOST_WORDS)
}

function hintFor(hints: Hints, { status, headers }: ApiResponse, said: string): string {
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, because they could send the token elsewhere. Set the address that it leads to.'
  if (status === 429 || isLimited(status, headers, said))
    return 'This token made too many requests. Run the job again later.'
  if (status >= 500) return 'The forge has an internal problem. Run the job again.'
  return hints[status] ?? 'Run the job again with --verbose to see each request.'
}

/** GitHub also responds with 403 to a token that made too many requests. */
const isLimited = (status: number, headers: ApiResponse['headers'], said: string): boolean =>
  status === 403 &&
  (headers['x-ratelimit-remaining'] === '0' ||
    headers['retry-after'] !== undefined ||
    /rate limit/i.test(said))

/** What to do about a status. */
export type Hints = Readonly<Record<number, string>>

const HINTS: Readonly<Record<ForgeName, Hints>> = {
  github: {
    401: 'The token is wrong or expired. Replace SETPOINT_COMMENT_TOKEN, or GITHUB_TOKEN without it.',
    403: 'Give the job permissions: { pull-requests: write }. The token of a pull request from a fork is read-only.',
    404: 'Check the number of the pull request, and whether the token can read the repository.',
    422: 'GitHub rejected the text. Check whether the conversation is locked.',
  },
  gitlab: {
    401: 'The token is wrong or expired, or it is a CI_JOB_TOKEN, which cannot comment. Replace SETPOINT_COMMENT_TOKEN, or GITLAB_TOKEN without it.',
    403: 'Give the token the scope "api" and at least the role Reporter in this project.',
    404: 'Check the number of the merge request, and whether the token can read the project.',
  },
}
