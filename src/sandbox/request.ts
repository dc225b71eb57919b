import type { ApiRequest } from '../wire/transport.ts'
import type { KeptAttributes } from './records.ts'
import {
  invalid,
  type JsonMap,
  malformed,
  notFound,
  type ParsedRequest,
  Refusal,
  type RefusedField,
  refuseIfAny,
  wrongAttribute,
} from './route.ts'
import { ASSUMED, MEDIA_TYPE } from './service-limits.ts'

/** The base of links in process, where no request names a host. `.invalid` never resolves. */
const IN_PROCESS_BASE = 'http://sandbox.invalid'

export function readCall(request: ApiRequest): ParsedRequest {
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

export const isObject = (value: unknown): value is JsonMap =>
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

function documentOf(request: ApiRequest): JsonMap {
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

/** A resource in the body of a request. Reading it collects everything that is wrong with it. */
export class Body {
  readonly id: unknown
  readonly attributes: JsonMap
  readonly relationships: JsonMap
  readonly problems: RefusedField[] = []
  readonly #at: string

  /** `at` is the JSON pointer of the resource. */
  constructor(value: unknown, type: string, at = '/data') {
    this.#at = at
    const resource = isObject(value) ? value : {}
    if (!isObject(value)) this.#malformed(`${at} must be an object`)
    else if (resource.type !== type) this.#malformed(`type must be "${type}"`, '/type')
    this.id = resource.id
    this.attributes = this.#object(resource, 'attributes')
    this.relationships = this.#object(resource, 'relationships')
  }

  /** Null counts as empty, because the service may show an empty text as null. */
  text(name: string): string | undefined {
    const value = this.attributes[name]
    if (value === undefined || typeof value === 'string') return value
    if (value === null && name !== 'name' && name !== 'key' && name !== 'category') return ''
    this.wrong(name, 'must be a string')
    return undefined
  }

  flag(name: string): boolean | undefined {
    const value = this.attributes[name]
    if (value === undefined || typeof value === 'boolean') return value
    this.wrong(name, 'must be true or false')
    return undefined
  }

  /** `data` of a relationship. */
  related(name: string): unknown {
    const relationship = this.relationships[name]
    return isObject(relationship) ? relationship.data : undefined
  }

  /** `data` of a to-many relationship; `undefined` without the relationship. */
  many(name: string): readonly unknown[] | undefined {
    if (this.relationships[name] === undefined) return undefined
    const many = this.related(name)
    if (Array.isArray(many)) return many
    this.misplaced(name, `${name} must contain an array under data`)
    return undefined
  }

  wrong(attribute: string, detail: string): void {
    this.problems.push(wrongAttribute(attribute, detail, this.#at))
  }

  misplaced(relationship: string, detail: string): void {
    this.#malformed(detail, `/relationships/${relationship}/data`)
  }

  /** A body may repeat the id of the path, and no other. */
  checkId(id: string): void {
    if (this.id !== undefined && this.id !== id) this.#malformed('id must be the one of the path', '/id')
  }

  #malformed(detail: string, place = ''): void {
    this.problems.push(malformed(detail, `${this.#at}${place}`))
  }

  #object(resource: JsonMap, name: string): JsonMap {
    const value = resource[name]
    if (isObject(value)) return value
    if (value !== undefined) this.#malformed(`${name} must be an object`, `/${name}`)
    return {}
  }
}

/** The attributes of each resource in a list. Anything else in it is ignored. */
export const attributesIn = (data: unknown): readonly JsonMap[] =>
  (Array.isArray(data) ? data : []).flatMap((one: unknown) =>
    isObject(one) && isObject(one.attributes) ? [one.attributes] : [],
  )

/** `data.type` is required and must be the type of the endpoint (docs/service.md 4.1, 4.6). */
export function readBody(call: ParsedRequest, type: string): Body {
  const body = new Body(call.document().data, type)
  refuseIfAny(body.problems)
  return body
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
      problems.push(malformed('id must be a non-empty string', `${at}/id`))
    } else ids.add(reference.id)
  }
  return [...ids]
}

/**
 * Attributes of a request without a meaning here (docs/service.md 12.5), added to earlier ones, so that a client reads what it
 * sent. `own`: attributes with a meaning, or that only the service writes.
 */
export function keptAttributes(
  attributes: JsonMap,
  before: KeptAttributes | undefined,
  own: readonly string[],
): KeptAttributes | undefined {
  const said = Object.entries(attributes).filter(([name]) => !own.includes(name))
  return said.length === 0 ? before : { ...before, ...Object.fromEntries(said) }
}
