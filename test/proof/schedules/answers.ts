import type { ApiResponse } from '../../../src/wire/transport.ts'
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
