import { isObject } from './call.ts'
import type { KeptAttributes } from './records.ts'
import { malformed, type Problem, refuseIfAny, wrongAttribute } from './refusal.ts'

/** The resource of a request's body, with attributes and relationships that are objects for certain. */
export interface Body {
  readonly id: unknown
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, unknown>>
}

/** Interface 4: `data.type` is required and must be the endpoint's own. */
export function readBody(document: Readonly<Record<string, unknown>>, type: string): Body {
  const problems: Problem[] = []
  const body = readResource(document.data, type, '/data', problems)
  refuseIfAny(problems)
  return body
}

export function readResource(value: unknown, type: string, pointer: string, problems: Problem[]): Body {
  const resource = isObject(value) ? value : {}
  if (!isObject(value)) problems.push(malformed(`${pointer} must be an object`, pointer))
  else if (resource.type !== type) problems.push(malformed(`type must be "${type}"`, `${pointer}/type`))
  return {
    id: resource.id,
    attributes: objectAt(resource, 'attributes', pointer, problems),
    relationships: objectAt(resource, 'relationships', pointer, problems),
  }
}

/** `data` of a to-many relationship; undefined where the relationship is left out. */
export function readMany(body: Body, name: string, problems: Problem[]): readonly unknown[] | undefined {
  const relationship = body.relationships[name]
  if (relationship === undefined) return undefined
  const pointer = `/data/relationships/${name}/data`
  const many = isObject(relationship) ? relationship.data : undefined
  if (Array.isArray(many)) return many
  problems.push(malformed(`${name} must hold an array under data`, pointer))
  return undefined
}

/** Ids of references `{ type, id }`; other members of them are ignored (docs/service.md 9.1). Doubles count once. */
export function readReferences(
  references: readonly unknown[],
  type: string,
  pointer: string,
  problems: Problem[],
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

/** Null counts as empty: the service may itself show an empty text as null. */
export function readText(
  attributes: Body['attributes'],
  name: string,
  problems: Problem[],
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
  problems: Problem[],
): boolean | undefined {
  const value = attributes[name]
  if (value === undefined || typeof value === 'boolean') return value
  problems.push(wrongAttribute(name, `${titleOf(name)} must be true or false`))
  return undefined
}

/**
 * What a request says beside the attributes that mean something here (docs/service.md 12.5): added to what was kept, so that
 * a client reads what it sent. `own` are the names that mean something or that only the service writes.
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
  problems: Problem[],
): Readonly<Record<string, unknown>> {
  const value = resource[name]
  if (isObject(value)) return value
  if (value !== undefined) problems.push(malformed(`${name} must be an object`, `${pointer}/${name}`))
  return {}
}
