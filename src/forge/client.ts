import type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
import { type ForgeName, member } from './pull-request.ts'

/** Comments a page; both forges allow no more. */
export const PAGE = 100

/** More pages than any conversation has. A forge that never comes to an end is wrong. */
const MOST_PAGES = 200

type Asking = Omit<ApiRequest, 'headers' | 'body'> & {
  readonly body?: object
  /** The answer is the address of something else, and not the thing itself. */
  readonly redirect?: boolean
}

/** Asks a forge: JSON in, an answer with a good status out, everything else as a `ForgeError`. */
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
        // GitHub answers nobody who does not say who they are.
        'user-agent': 'setpoint',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const response = await transport(request)
    const isGood = redirect ? response.status === 302 : response.status >= 200 && response.status < 300
    if (!isGood) throw refusal(forge, request, response, hints)
    return { request, response }
  }
}

export type Ask = ReturnType<typeof askOf>

/** The answer's document, where it has the form that `read` finds in it. */
export async function documentOf<T>(
  forge: ForgeName,
  asked: ReturnType<Ask>,
  expected: string,
  read: (document: unknown) => T | undefined,
): Promise<{ readonly value: T; readonly headers: ApiResponse['headers'] }> {
  const { request, response } = await asked
  const value = read(jsonOf(response.body))
  if (value === undefined) throw malformed(forge, request, expected)
  return { value, headers: response.headers }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The entries of every page. A page may be shorter than the others although more follow, where entries are left out that
 * the token may not see: so `hasNext` asks the headers, and only where they say nothing the length counts.
 */
export async function everyPage<T>(
  read: (page: number) => Promise<{ readonly value: readonly T[]; readonly headers: ApiResponse['headers'] }>,
  hasNext: (headers: ApiResponse['headers']) => boolean | undefined,
  tooMany: () => Error,
): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { value, headers } = await read(page)
    found.push(...value)
    if (!(hasNext(headers) ?? value.length === PAGE)) return found
  }
  throw tooMany()
}

/** A forge refused, or answered something else than it should. */
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

/** What the forge said, in its own words where it has some, and what to do about it. */
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

/** An answer with a good status that is not what was asked for: concluded is nothing from it. */
const malformed = (forge: ForgeName, request: ApiRequest, expected: string): ForgeError =>
  new ForgeError(
    `${NAMES[forge]} answered ${request.method} ${request.path} with something that is not ${expected}.`,
    200,
    'Is the address the one of its REST interface? A proxy in between may answer in its place.',
  )

const MOST_WORDS = 300

function wordsOf(body: string): string | undefined {
  try {
    const document: unknown = JSON.parse(body)
    const words = member(document, 'message') ?? member(document, 'error')
    const text = typeof words === 'string' ? words : words === undefined ? '' : JSON.stringify(words)
    return text === '' ? undefined : text.slice(0, MOST_WORDS)
  } catch {
    return undefined
  }
}

function hintFor(hints: Hints, { status, headers }: ApiResponse, said: string): string {
  if (status >= 300 && status < 400)
    return 'A redirect is not followed, for it could carry the token elsewhere. Set the address that it leads to.'
  if (status === 429 || isLimited(status, headers, said))
    return 'Too many requests for this token. Run the job again later.'
  if (status >= 500) return 'The forge has a problem of its own. Run the job again.'
  return hints[status] ?? 'Run the job again with --verbose to see each request.'
}

/** GitHub answers 403 too where a token asked too often. */
const isLimited = (status: number, headers: ApiResponse['headers'], said: string): boolean =>
  status === 403 &&
  (headers['x-ratelimit-remaining'] === '0' ||
    headers['retry-after'] !== undefined ||
    /rate limit/i.test(said))

/** What to do about a status. */
export type Hints = Readonly<Record<number, string>>

const HINTS: Readonly<Record<ForgeName, Hints>> = {
  github: {
    401: 'The token is wrong or expired: SETPOINT_COMMENT_TOKEN, else GITHUB_TOKEN.',
    403: 'The job needs permissions: { pull-requests: write }. The token of a pull request from a fork only reads.',
    404: 'There is no such pull request, or the token may not see the repository.',
    422: 'GitHub did not take the text. A conversation that is locked takes none.',
  },
  gitlab: {
    401: 'The token is wrong or expired, or it is a CI_JOB_TOKEN, which may not comment: SETPOINT_COMMENT_TOKEN, else GITLAB_TOKEN.',
    403: 'The token needs the scope "api" and at least the role Reporter in this project.',
    404: 'There is no such merge request, or the token may not see the project.',
  },
}
