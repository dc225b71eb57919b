import { parseJson } from '../model/parse-json.ts'
import type { ApiRequest, ApiResponse } from '../wire/transport.ts'
import { parseUrl } from './address.ts'
import { isMembers, type Members } from './document.ts'
import type { Encoded } from './encode.ts'
import { ApiError, type ErrorDetail } from './errors.ts'
import { isKnownPointer, isKnownReason } from './known-reasons.ts'

const MOST_DETAILS = 20
const LONGEST_DETAIL = 1000
const WITHHELD = '(the reason is withheld: the request carried a secret)'

/** What of the service's own words may be shown. */
export interface Showing {
  /** Takes the secrets of the run out of a text. */
  readonly hide?: ((text: string) => string) | undefined
  /** What was sent. Where it carried a secret, only words are shown that are known to repeat nothing. */
  readonly sent?: Pick<Encoded, 'variables' | 'hasSecret'> | undefined
}

/** The error for an answer outside 2xx. */
export function refusalOf(request: ApiRequest, response: ApiResponse, showing: Showing = {}): ApiError {
  const { status } = response
  return new ApiError(request, {
    status,
    sentence: sentenceOf(request.path, response, showing),
    details: detailsOf(response.body, showing),
    mayHaveHappened: request.method !== 'GET' && (isUncertain(status) || response.earlierAttempt === 'maybe'),
  })
}

/** Statuses that may come after the work was done. A 303 says so; the other redirects leave it open. */
const isUncertain = (status: number): boolean =>
  status < 400 || status === 408 || (status >= 500 && status !== 501 && status !== 505)

function sentenceOf(path: string, { status, headers }: ApiResponse, showing: Showing): string {
  if (status >= 300 && status < 400)
    return `redirected to ${targetHost(headers.location, showing)} (${status}), and redirects are not followed: give the address of the service itself`
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
function targetHost(location: string | undefined, { hide = itself, sent }: Showing): string {
  const base = 'http://same.invalid'
  const host = location === undefined ? undefined : parseUrl(location, base)?.host
  if (location === undefined || host === undefined) return 'an unknown place'
  if (host === 'same.invalid') return 'another path of the same host'
  return sent?.hasSecret === true || hide(location) !== location ? 'another host' : hide(host)
}

const itself = (text: string): string => text

/** `title`, `detail` and `source.pointer` where they are texts; the interface does not show the fields (docs/service.md 6). */
function detailsOf(body: string, { hide = itself, sent }: Showing): ErrorDetail[] {
  const isSafe = (text: string): boolean => sent?.hasSecret !== true || isKnownReason(text)
  return errorObjects(body).map(({ title, detail, source }) => {
    const reasons = [title, detail].map(value =>
      typeof value === 'string' && value !== '' ? value : undefined,
    )
    // What is cut off is not shown; it is cut after the secrets are out, or the half of one would stay.
    const [head, text] = reasons.map(one =>
      one === undefined || !isSafe(one) ? undefined : hide(one).slice(0, LONGEST_DETAIL),
    )
    const isWithheld = reasons.some(one => one !== undefined && !isSafe(one))
    const pointer = isMembers(source) && typeof source.pointer === 'string' ? source.pointer : ''
    const isPlace = sent?.hasSecret !== true || isKnownPointer(pointer, sent.variables)
    return {
      ...(head === undefined ? {} : { title: head }),
      ...(isWithheld ? { detail: WITHHELD } : text === undefined ? {} : { detail: text }),
      ...(pointer === '' || !isPlace ? {} : { pointer: hide(pointer).slice(0, LONGEST_DETAIL) }),
    }
  })
}

function errorObjects(body: string): Members[] {
  const document = parseJson(body)
  const errors = isMembers(document) ? document.errors : undefined
  return Array.isArray(errors) ? errors.slice(0, MOST_DETAILS).filter(isMembers) : []
}
