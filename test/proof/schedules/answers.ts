import type { ApiRequest, ApiResponse } from '../../../src/wire/transport.ts'
import type { VirtualTime } from './time.ts'

const JSON_API = { 'content-type': 'application/vnd.api+json' }
export const errors = (status: number, title: string): ApiResponse => ({
  status,
  headers: JSON_API,
  body: JSON.stringify({ errors: [{ status: `${status}`, title }] }),
})
export const failure = (status: number): ApiResponse => errors(status, 'server error')
export const ABSENT = errors(404, 'not found')
export const UNAUTHORIZED = errors(401, 'unauthorized')
export const EMPTY: ApiResponse = { status: 200, headers: {}, body: '' }
export const HTML: ApiResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!DOCTYPE html><title>Sign in</title>',
}

interface ListBody {
  data: unknown[]
  meta?: { pagination: Record<string, number> }
}

/** One entry is missing, and the totals agree with that, so nothing in the response reveals it. */
export function shortened(response: ApiResponse, time: VirtualTime): ApiResponse {
  if (response.status !== 200) return response
  const body = JSON.parse(response.body) as ListBody
  if (body.data.length === 0) return response
  body.data.splice(time.pick(body.data.length), 1)
  const pagination = body.meta?.pagination
  if (pagination !== undefined) pagination['total-count'] = (pagination['total-count'] ?? 1) - 1
  return { ...response, body: JSON.stringify(body) }
}

/** Answers of a service that does not act, by what they look like. */
export const GARBLED_BEFORE: readonly ((request: ApiRequest) => ApiResponse)[] = [
  () => ({ status: 204, headers: {}, body: '' }),
  () => ({ status: 200, headers: JSON_API, body: 'null' }),
  () => ({ status: 200, headers: JSON_API, body: '{"data":{}}' }),
  ({ body = '{}' }) => ({ status: 200, headers: JSON_API, body }),
]

/** What happens to the body of a response on its way. */
export const GARBLED_AFTER: readonly ((body: string) => string)[] = [
  body => body.replace(/"id":"(varset|var)-.{3}/g, '"id":"$1-ZZZ'),
  body => body.replace('{', '{"data":null,'),
  body => body.replace('{', '{"__proto__":{"data":{"polluted":true}},'),
  body => `\ufeff${body}`,
  body => body.replace(/}$/, `,"x":${'['.repeat(90_000)}${']'.repeat(90_000)}}`),
  body => body.replace(/"([a-z]+-(?:count|size|pages))":\d+/g, '"$1":1e999'),
  body => body.replace(/"total-count":(\d+)/, (_, count) => `"total-count":${Number(count) + 1}`),
  body => body.replace(/"total-count":\d+/, '"total-count":1000000'),
]

const status = (code: number, headers: Readonly<Record<string, string>> = {}): ApiResponse => {
  const response = errors(code, 'no')
  return { ...response, headers: { ...response.headers, ...headers } }
}

/** Statuses that a service of this interface does not send before, or after, it acts. */
export const ODD_BEFORE: readonly ApiResponse[] = [
  status(307, { location: 'https://elsewhere.invalid/x' }),
  status(423),
  status(429, { 'retry-after': '99999999999' }),
  status(429, { 'retry-after': '-1' }),
]
export const ODD_AFTER: readonly ((good: ApiResponse) => ApiResponse)[] = [
  () => status(303, { location: '/' }),
  () => status(404),
  () => status(408),
  good => ({ ...good, status: 202 }),
]

/** The response asks to wait before the next request. */
export const paced = (good: ApiResponse): ApiResponse => ({
  ...good,
  headers: { ...good.headers, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' },
})

/** A request as a service understands it that overlooks the variables of a new set and the priority of any. */
export const withoutParts = ({ body, ...request }: ApiRequest): ApiRequest => ({
  ...request,
  ...(body === undefined
    ? {}
    : {
        body: body
          .replace('"relationships":{"vars"', '"relationships":{"other"')
          .replace('"priority":true', '"priority":false'),
      }),
})
