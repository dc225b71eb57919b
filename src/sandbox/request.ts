import type { ApiRequest } from '../wire/transport.ts'
import { ASSUMED, IN_PROCESS_BASE, MEDIA_TYPE } from './limits.ts'
import type { KeptAttributes } from './records.ts'
import {
  invalid,
  malformed,
  notFound,
  Refusal,
  type RefusedField,
  refuseIfAny,
  wrongAttribute,
} from './reply.ts'

/** A parsed request. */
export interface Call {
  readonly method: string
  /** Decoded segments of the path. */
  readonly segments: readonly string[]
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Scheme and host for links. */
  readonly base: string
  /** The bearer token; `undefined` without one. */
  readonly token: string | undefined
  /**
   * Parses the body on the first call. Throws for another media type, for anything but JSON, and for anything but an object.
   */
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

/** The scheme ignores case (RFC 9110, 11.1). */
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

/** The resource in the body of a request. Attributes and relationships are objects. */
export interface Body {
  readonly id: unknown
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, unknown>>
}

/** Interface 4: `data.type` is required and must be the type of the endpoint. */
export function readBody(document: Readonly<Record<string, unknown>>, type: string): Body {
  const problems: RefusedField[] = []
  const body = readResource(document.data, type, '/data', problems)
  refuseIfAny(problems)
  return body
}

export function readResource(value: unknown, type: string, pointer: string, problems: RefusedField[]): Body {
  const resource = isObject(value) ? value : {}
  if (!isObject(value)) problems.push(malformed(`${pointer} must be an object`, pointer))
  else if (resource.type !== type) problems.push(malformed(`type must be "${type}"`, `${pointer}/type`))
  return {
    id: resource.id,
    attributes: objectAt(resource, 'attributes', pointer, problems),
    relationships: objectAt(resource, 'relationships', pointer, problems),
  }
}

/** `data` of a to-many relationship; `undefined` without the relationship. */
export function readMany(body: Body, name: string, problems: RefusedField[]): readonly unknown[] | undefined {
  const relationship = body.relationships[name]
  if (relationship === undefined) return undefined
  const pointer = `/data/relationships/${name}/data`
  const many = isObject(relationship) ? relationship.data : undefined
  if (Array.isArray(many)) return many
  problems.push(malformed(`${name} must hold an array under data`, pointer))
  return undefined
}

/** Ids of references `{ type, id }`, each once. Other members of references are ignored (docs/service.md 9.1). */
export function readReferences(
  references: readonly unknown[],
  type: string,
  pointer: string,
  problems: RefusedField[],
): string[] {
  const ids = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const at = `${pointer}/${index}`
    if (!isObject(reference)) problems.push(malformed('A reference must be an object', at))
    else if (reference.type !== type) problems.push(malformed(`type must be "${type}"`, `${at}/type`))
    else if (typeof reference.id !== 'string' || reference.id === '') {
      problems.push(malformed('id must be a text that is not empty', `${at}/id`))
    } else ids.add(reference.id)
  }
  return [...ids]
}

/** Null counts as empty, because the service may show an empty text as null. */
export function readText(
  attributes: Body['attributes'],
  name: string,
  problems: RefusedField[],
): string | undefined {
  const value = attributes[name]
  if (value === undefined || typeof value === 'string') return value
  if (value === null && name !== 'name' && name !== 'key' && name !== 'category') return ''
  problems.push(wrongAttribute(name, `${titleOf(name)} must be a text`))
  return undefined
}

export function readFlag(
  attributes: Body['attributes'],
  name: string,
  problems: RefusedField[],
): boolean | undefined {
  const value = attributes[name]
  if (value === undefined || typeof value === 'boolean') return value
  problems.push(wrongAttribute(name, `${titleOf(name)} must be true or false`))
  return undefined
}

/**
 * Attributes of a request without a meaning here (docs/service.md 12.5), added to earlier ones, so that a client reads what it
 * sent. `own`: attributes with a meaning, or that only the service writes.
 */
export function keptAttributes(
  attributes: Body['attributes'],
  before: { readonly kept?: KeptAttributes } | undefined,
  own: readonly string[],
): { readonly kept?: KeptAttributes } {
  const said = Object.entries(attributes).filter(([name]) => !own.includes(name))
  const kept = { ...before?.kept, ...Object.fromEntries(said) }
  return Object.keys(kept).length === 0 ? {} : { kept }
}

export const titleOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

function objectAt(
  resource: Readonly<Record<string, unknown>>,
  name: string,
  pointer: string,
  problems: RefusedField[],
): Readonly<Record<string, unknown>> {
  const value = resource[name]
  if (isObject(value)) return value
  if (value !== undefined) problems.push(malformed(`${name} must be an object`, `${pointer}/${name}`))
  return {}
}
