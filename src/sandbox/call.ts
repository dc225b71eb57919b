import type { ApiRequest } from '../wire/transport.ts'
import { ASSUMED, IN_PROCESS_BASE, MEDIA_TYPE } from './limits.ts'
import { invalid, malformed, notFound, Refusal } from './refusal.ts'

/** A request, taken apart. */
export interface Call {
  readonly method: string
  /** Decoded segments of the path. */
  readonly segments: readonly string[]
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Scheme and host for links. */
  readonly base: string
  /** The bearer token; undefined where there is none. */
  readonly token: string | undefined
  /** Parses the body when it is first asked for; refuses another media type, no JSON, and no object. */
  readonly document: () => Readonly<Record<string, unknown>>
}

export function readCall(request: ApiRequest): Call {
  const query: Record<string, string> = Object.assign(Object.create(null), request.query)
  return {
    method: request.method,
    segments: segmentsOf(request.path),
    path: request.path,
    query,
    base: baseOf(request.headers),
    token: tokenOf(request.headers),
    document: () => documentOf(request),
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function segmentsOf(path: string): string[] {
  try {
    return path.split('/').slice(1).map(decodeURIComponent)
  } catch {
    throw notFound()
  }
}

/** The scheme is a word without regard to case (RFC 9110, 11.1). */
function tokenOf(headers: Readonly<Record<string, string>>): string | undefined {
  const authorization = headers.authorization ?? ''
  const separator = authorization.indexOf(' ')
  if (authorization.slice(0, separator).toLowerCase() !== 'bearer') return undefined
  return authorization.slice(separator + 1).trim() || undefined
}

function baseOf(headers: Readonly<Record<string, string>>): string {
  const host = headers.host
  return host !== undefined && /^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : IN_PROCESS_BASE
}

function documentOf(request: ApiRequest): Readonly<Record<string, unknown>> {
  const body = request.body ?? ''
  if (body === '') throw invalid(malformed('The request has no body', ''))
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== MEDIA_TYPE) {
    throw new Refusal(ASSUMED.wrongMediaType, [
      { title: 'unsupported media type', detail: `The body must be ${MEDIA_TYPE}` },
    ])
  }
  const document = parse(body)
  if (!isObject(document)) throw invalid(malformed('The body is not a JSON object', ''))
  return document
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalid(malformed('The body is not JSON', ''))
  }
}
