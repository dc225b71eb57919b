import { isObject, parseJson } from '../model/json.ts'
import type { ApiResponse } from '../wire/transport.ts'
import { MalformedResponseError } from './errors.ts'

export type Members = Readonly<Record<string, unknown>>

/** A resource object with a valid form; its attributes are unchecked. `at` is its place in the document, for errors. */
export interface Resource<Id extends string = string> {
  readonly id: Id
  readonly attributes: Members
  readonly relationships: Members
  readonly at: string
}

/**
 * Reads a JSON:API document and checks content type and syntax. Node's own syntax error quotes the text, so it is not passed on
 * (docs/fault-model.md F-12).
 */
export function readDocument(response: ApiResponse): Members {
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(response.headers['content-type'] ?? ''))
    throw new MalformedResponseError('the content type is not JSON')
  const value = parseJson(response.body)
  if (value === undefined) throw new MalformedResponseError('the body is not JSON')
  return membersOf(value, 'the document')
}

export function membersOf(value: unknown, at: string): Members {
  if (!isObject(value)) throw new MalformedResponseError(`${at} is not an object`)
  return value
}

export function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedResponseError(`${at} is not a list`)
  return value
}

/** A resource object of the given type, with an id that `isId` accepts. */
export function resourceOf<Id extends string>(
  value: unknown,
  type: string,
  isId: (text: string) => text is Id,
  at: string,
): Resource<Id> {
  const resource = membersOf(value, at)
  if (resource.type !== type) throw new MalformedResponseError(`${at}.type is not "${type}"`)
  if (typeof resource.id !== 'string') throw new MalformedResponseError(`${at}.id is not a string`)
  // An id becomes a segment of paths and a key of an inventory.
  if (!isId(resource.id)) throw unknownForm(at, resource.id)
  return {
    id: resource.id,
    attributes: optionalMembers(resource.attributes, `${at}.attributes`),
    relationships: optionalMembers(resource.relationships, `${at}.relationships`),
    at,
  }
}

/** Characters of an id in a message. */
const LONGEST_SHOWN = 80

function unknownForm(at: string, id: string): MalformedResponseError {
  const shown = JSON.stringify(id.slice(0, LONGEST_SHOWN))
  const form = 'an id of this type: its prefix, "-", and letters, digits, "_" or "-"'
  return new MalformedResponseError(
    `${at}.id is ${shown} and not ${form}`,
    undefined,
    `${at}.id is not ${form}`,
  )
}

const optionalMembers = (value: unknown, at: string): Members =>
  value === undefined || value === null ? {} : membersOf(value, at)

export function textAt({ attributes, at }: Resource, name: string): string {
  const value = attributes[name]
  if (typeof value !== 'string') throw new MalformedResponseError(`${at}.attributes.${name} is not a string`)
  return value
}

/** Null, missing and "" are equal (docs/service.md 15.1). */
export function optionalTextAt(resource: Resource, name: string): string {
  const value = resource.attributes[name]
  return value === undefined || value === null ? '' : textAt(resource, name)
}

export function flagAt({ attributes, at }: Resource, name: string): boolean {
  const value = attributes[name]
  if (typeof value !== 'boolean')
    throw new MalformedResponseError(`${at}.attributes.${name} is not a boolean`)
  return value
}

/** False if an older service does not have the attribute. */
export function optionalFlagAt(resource: Resource, name: string): boolean {
  const value = resource.attributes[name]
  return value === undefined || value === null ? false : flagAt(resource, name)
}

export function countOf(members: Members, name: string, at: string): number {
  const value = members[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new MalformedResponseError(`${at}.${name} is not a non-negative integer`)
  return value
}

export const optionalCountAt = ({ attributes, at }: Resource, name: string): number | undefined =>
  attributes[name] === undefined || attributes[name] === null
    ? undefined
    : countOf(attributes, name, `${at}.attributes`)

/** The `data` of a relationship, or `undefined` if the relationship or its data is missing. */
export function relatedAt({ relationships, at }: Resource, name: string): unknown {
  const relationship = relationships[name]
  return relationship === undefined || relationship === null
    ? undefined
    : membersOf(relationship, `${at}.relationships.${name}`).data
}

/** Unsorted ids of a to-many relationship, or `undefined` if it is missing. */
export function relatedIds<Id extends string>(
  resource: Resource,
  name: string,
  isId: (text: string) => text is Id,
): readonly Id[] | undefined {
  const related = relatedAt(resource, name)
  if (related === undefined) return undefined
  const at = `${resource.at}.relationships.${name}.data`
  const ids = new Set<Id>()
  for (const [index, value] of listOf(related, at).entries()) {
    ids.add(resourceOf(value, name, isId, `${at}[${index}]`).id)
  }
  return [...ids]
}

/** The id of a to-one relationship of that type, or `undefined` for another type, null or a missing one. */
export function relatedId<Id extends string>(
  resource: Resource,
  name: string,
  type: string,
  isId: (text: string) => text is Id,
): Id | undefined {
  const related = relatedAt(resource, name)
  if (!isObject(related) || related.type !== type) return undefined
  return resourceOf(related, type, isId, `${resource.at}.relationships.${name}.data`).id
}
