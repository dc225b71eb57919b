import { MEDIA_TYPE } from '../wire/documents.ts'
import type { ApiRequest } from '../wire/transport.ts'
import type { Encoded } from './encode.ts'

/** The content type goes with every request (docs/service.md 3), with those without a body too. */
const HEADERS = {
  accept: MEDIA_TYPE,
  'content-type': MEDIA_TYPE,
  'cache-control': 'no-cache',
  'user-agent': 'setpoint',
} as const

/** A path under `/api/v2/`: every segment is percent-encoded, so that no name or id can steer the request. */
export function pathOf(...segments: readonly string[]): string {
  const encoded = segments.map(segment => {
    if (/^\.{0,2}$/.test(segment))
      throw new RangeError('a path segment may not be empty, one dot or two dots')
    return encodeURIComponent(segment)
  })
  return `/api/v2/${encoded.join('/')}`
}

export type Query = Readonly<Record<string, string | undefined>>

export const getRequest = (path: string, query: Query = {}): ApiRequest & { readonly method: 'GET' } => ({
  method: 'GET',
  path,
  query: Object.fromEntries(Object.entries(query).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]]))),
  headers: HEADERS,
  repeatable: true,
})

/** `repeatable`: may it be sent again where its answer was lost (docs/fault-model.md 8.1)? */
export const writeRequest = (
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  repeatable: boolean,
  encoded?: Encoded,
): ApiRequest & { readonly method: 'POST' | 'PATCH' | 'DELETE' } => ({
  method,
  path,
  headers: HEADERS,
  repeatable,
  ...(encoded === undefined ? {} : { body: encoded.body }),
})
