import { isObject, parseJson } from '../model/json.ts'
import type { SetAttributes, VariableAttributes } from '../wire/documents.ts'
import type { ApiRequest, ApiResponse } from '../wire/transport.ts'
import { parseUrl } from './address.ts'
import type { Members } from './document.ts'
import type { Encoded } from './encode.ts'
import { ApiError, type ErrorDetail } from './errors.ts'
import { isServerFailure } from './statuses.ts'

const MOST_DETAILS = 20
const LONGEST_DETAIL = 1000
/** In place of a reason that may repeat a secret. */
export const WITHHELD = '(the reason is hidden, because the request contained a secret)'

/** Which words of the service may be shown. */
interface RefusalOptions {
  /** Removes the secrets of the run from a text. */
  readonly hide?: ((text: string) => string) | undefined
  /** What was sent. If it contained a secret, only words are shown that are known to repeat nothing of it. */
  readonly sent?: Pick<Encoded, 'variables' | 'hasSecret'> | undefined
}

/** The error for a response outside of 2xx. */
export function refusalOf(
  request: ApiRequest,
  response: ApiResponse,
  showing: RefusalOptions = {},
): ApiError {
  const { status } = response
  return new ApiError(request, {
    status,
    sentence: sentenceOf(request, response, showing),
    details: detailsOf(response.body, showing),
    mayHaveHappened:
      request.method !== 'GET' &&
      ((isUncertain(status) && !isCertainRefusal(response)) || response.earlierAttempt === 'maybe'),
    refusesKey: refusesKey(response.body),
    refusesInPlace: givesOneOf(IN_PLACE, response.body),
  })
}

/** Statuses that a service or proxy may send although the request was carried out. */
const isUncertain = (status: number): boolean => status < 400 || isServerFailure(status)

function sentenceOf(
  { method, path }: ApiRequest,
  { status, headers }: ApiResponse,
  showing: RefusalOptions,
): string {
  if (status >= 300 && status < 400)
    return `redirected to ${targetHost(headers.location, showing)} (${status}); redirects are not followed, so use the address of the service itself`
  if (status === 401) return 'the token is not valid (401)'
  if (status === 403) return 'the token lacks the permission (403)'
  if (status === 429) return 'too many requests (429)'
  if (status !== 404) return `the service responded with ${status}`
  const organization = /^\/api\/v2\/organizations\/([^/]+)\//.exec(path)?.[1]
  if (organization === undefined)
    return 'not found, or the token lacks the permission to see or change it (404)'
  const named = `the organization "${decodeURIComponent(organization)}"`
  return method === 'GET'
    ? `${named} was not found (404)`
    : `${named} or what the request names in it was not found, or the token lacks the permission (404)`
}

/** The host alone, because the rest of the address may repeat what was sent (docs/fault-model.md F-08). */
function targetHost(location: string | undefined, { hide = itself, sent }: RefusalOptions): string {
  const base = 'http://same.invalid'
  const host = location === undefined ? undefined : parseUrl(location, base)?.host
  if (location === undefined || host === undefined) return 'an unknown address'
  if (host === 'same.invalid') return 'another path of the same host'
  return sent?.hasSecret === true || hide(location) !== location ? 'another host' : hide(host)
}

const itself = (text: string): string => text

/** `title`, `detail` and `source.pointer`, as far as they are strings. The interface does not define them (docs/service.md 6). */
function detailsOf(body: string, { hide = itself, sent }: RefusalOptions): ErrorDetail[] {
  const isSafe = (text: string): boolean => sent?.hasSecret !== true || isKnownReason(text)
  return errorObjects(body).map(({ title, detail, source }) => {
    const reasons = [title, detail].map(value =>
      typeof value === 'string' && value !== '' ? value : undefined,
    )
    // Cut after the secrets are removed, or half of one could remain.
    const [head, text] = reasons.map(one =>
      one === undefined || !isSafe(one) ? undefined : hide(one).slice(0, LONGEST_DETAIL),
    )
    const isWithheld = reasons.some(one => one !== undefined && !isSafe(one))
    const pointer = isObject(source) && typeof source.pointer === 'string' ? source.pointer : ''
    const isPlace = sent?.hasSecret !== true || isKnownPointer(pointer, sent.variables)
    return {
      title: head,
      detail: isWithheld ? WITHHELD : text,
      pointer: isPlace && pointer !== '' ? hide(pointer).slice(0, LONGEST_DETAIL) : undefined,
    }
  })
}

function errorObjects(body: string): Members[] {
  const document = parseJson(body)
  const errors = isObject(document) ? document.errors : undefined
  return Array.isArray(errors) ? errors.slice(0, MOST_DETAILS).filter(isObject) : []
}

/**
 * Reasons that the service is known to give, word for word. They repeat nothing of the request; of any other reason that cannot be known.
 * They contain the actual limits, because a number can be a secret.
 */
const REASONS = [
  'bad request',
  'conflict',
  'forbidden',
  'internal server error',
  'invalid attribute',
  'invalid request',
  'malformed request',
  'not found',
  'too many requests',
  'unauthorized',
  'unprocessable entity',
  'unsupported media type',
  'Category cannot be updated for a sensitive variable',
  'Category is not included in the list',
  'Description is too long (maximum is 512 characters)',
  'Hcl cannot be updated for a sensitive variable',
  "Key can't be blank",
  'Key cannot be updated for a sensitive variable',
  'Key has already been taken',
  'Key is invalid',
  'Key is too long (maximum is 128 characters)',
  "Name can't be blank",
  'Name has already been taken',
  'Name is invalid',
  'Sensitive cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.',
  "Value can't be blank",
  'Value cannot contain newlines in environment variables',
  'Value is invalid',
  'Value is too long (maximum is 256 KB)',
  'Value is too long (maximum is 262144 bytes)',
  'Value is too long (maximum is 262144 characters)',
  "You have exceeded the API's rate limit.",
]

/** Reasons that a server of others gives, also with 500 (docs/service.md#servers-that-others-wrote): it has changed nothing, and never will. */
const REFUSALS = [
  'access to the resource is not permitted',
  'cannot change a sensitive variable to a non-sensitive variable',
  'changing HCL mode on a sensitive variable is not allowed',
  'changing the key of a sensitive variable is not allowed',
  'maximum variable description size (512 chars) exceeded',
  'maximum variable key size (128 chars) exceeded',
  'maximum variable value size of 256 KB exceeded',
  'resource already exists',
  'resource not found',
  'variable conflicts with another variable with the same name and type',
]

/** What that server was doing, before its reason. */
const DOING =
  /^(?:(?:checking for conflicts|creating variable|creating variable set|listing global variables|listing variables|retrieving variable set|updating variable|updating variable set): )+/

/** Case and a final full stop do not matter. */
const spelt = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '')

const refusals: ReadonlySet<string> = new Set(REFUSALS.map(spelt))
const known: ReadonlySet<string> = new Set([...REASONS.map(spelt), ...refusals])

const isKnownReason = (text: string): boolean => known.has(spelt(text).replace(DOING, ''))

/** A failure that is a refusal by its reason: the request was not carried out, and another attempt gets the same. */
export const isCertainRefusal = ({ body }: Pick<ApiResponse, 'body'>): boolean => givesOneOf(refusals, body)

/** A sensitive variable cannot get another key. Some servers refuse the key that it has, too. */
const refusesKey = (body: string): boolean =>
  givesOneOf(KEY_REFUSED, body) ||
  errorObjects(body).some(({ source }) => isObject(source) && source.pointer === '/data/attributes/key')

const givesOneOf = (reasons: ReadonlySet<string>, body: string): boolean =>
  errorObjects(body).some(
    ({ detail }) => typeof detail === 'string' && reasons.has(spelt(detail).replace(DOING, '')),
  )

const KEY_REFUSED: ReadonlySet<string> = new Set(
  [
    'changing the key of a sensitive variable is not allowed',
    'Key cannot be updated for a sensitive variable',
  ].map(spelt),
)

const IN_PLACE: ReadonlySet<string> = new Set([
  ...KEY_REFUSED,
  ...[
    'Category cannot be updated for a sensitive variable',
    'Hcl cannot be updated for a sensitive variable',
    'cannot change a sensitive variable to a non-sensitive variable',
    'changing HCL mode on a sensitive variable is not allowed',
  ].map(spelt),
])

/** Whether a pointer names a member of a request body that had so many `variables`. */
function isKnownPointer(pointer: string, variables: number): boolean {
  const [place = '', ...more] = pointer.match(/\d+/g) ?? ['0']
  return (
    more.length === 0 && place.length <= 4 && Number(place) < Math.max(1, variables) && POINTER.test(pointer)
  )
}

/** The attributes that a request may have. */
const ATTRIBUTES = {
  name: true,
  description: true,
  global: true,
  priority: true,
  key: true,
  value: true,
  category: true,
  hcl: true,
  sensitive: true,
} as const satisfies Record<keyof SetAttributes | keyof VariableAttributes, true>

const POINTER = new RegExp(
  `^/data(?:/relationships/vars(?:/data(?:/\\d+)?)?)?(?:/(?:id|type|attributes(?:/(?:${Object.keys(ATTRIBUTES).join('|')}))?))?$`,
)
