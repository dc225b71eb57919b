import type { ApiRequest, ApiResponse } from '../wire/transport.ts'
import { isMembers, type Members } from './document.ts'
import { ApiError, type ErrorDetail } from './errors.ts'
import { parseJson } from './parse-json.ts'

const MOST_DETAILS = 20
const LONGEST_DETAIL = 1000
const WITHHELD = '(withheld: it repeats a part of a secret)'

type Betrays = (text: string) => boolean

/**
 * The error for an answer outside 2xx. `betrays` says which of the service's words repeat a secret that we sent; those
 * are withheld.
 */
export function refusalOf(
  request: ApiRequest,
  response: ApiResponse,
  betrays: Betrays = () => false,
): ApiError {
  const { status } = response
  return new ApiError(request, {
    status,
    sentence: sentenceOf(request.path, response, betrays),
    details: detailsOf(response.body, betrays),
    mayHaveHappened: request.method !== 'GET' && (isUncertain(status) || response.earlierAttempt === 'maybe'),
  })
}

/** Statuses that may come after the work was done. A 303 says so; the other redirects leave it open. */
const isUncertain = (status: number): boolean =>
  status < 400 || status === 408 || (status >= 500 && status !== 501 && status !== 505)

function sentenceOf(path: string, { status, headers }: ApiResponse, betrays: Betrays): string {
  if (status >= 300 && status < 400)
    return `redirected to ${targetHost(headers.location, betrays)} (${status}), and redirects are not followed: give the address of the service itself`
  if (status === 401) return 'the token is not valid (401)'
  if (status === 403) return 'the token lacks the permission (403)'
  if (status === 429) return 'too many requests (429)'
  if (status !== 404) return `the service answered ${status}`
  const organization = /^\/api\/v2\/organizations\/([^/]+)\//.exec(path)?.[1]
  return organization === undefined
    ? 'not found, or the token lacks the permission to see or change it (404)'
    : `the organization "${decodeURIComponent(organization)}" was not found, or the token lacks the permission for it (404)`
}

/** The host alone: the rest of the address may carry what was sent (docs/fault-model.md F-08). */
function targetHost(location: string | undefined, betrays: Betrays): string {
  const base = 'http://same.invalid'
  if (location === undefined || !URL.canParse(location, base)) return 'an unknown place'
  const { host } = new URL(location, base)
  if (host === 'same.invalid') return 'another path of the same host'
  return betrays(host) ? WITHHELD : host
}

/** `title`, `detail` and `source.pointer` where they are texts; the interface does not show the fields (docs/service.md 6). */
function detailsOf(body: string, betrays: Betrays): ErrorDetail[] {
  const shown = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || value === '') return undefined
    // What is cut off is not shown and need not be looked at: a service may answer with megabytes.
    const text = value.slice(0, LONGEST_DETAIL)
    return betrays(text) ? WITHHELD : text
  }
  return errorObjects(body).map(({ title, detail, source }) => {
    const [head, text, pointer] = [
      shown(title),
      shown(detail),
      isMembers(source) ? shown(source.pointer) : undefined,
    ]
    return {
      ...(head === undefined ? {} : { title: head }),
      ...(text === undefined ? {} : { detail: text }),
      ...(pointer === undefined ? {} : { pointer }),
    }
  })
}

function errorObjects(body: string): Members[] {
  const document = parseJson(body)
  const errors = isMembers(document) ? document.errors : undefined
  return Array.isArray(errors) ? errors.slice(0, MOST_DETAILS).filter(isMembers) : []
}
