import {
  isProjectId,
  type ProjectId,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type WorkspaceId,
} from '../model/ids.ts'
import { isObject } from '../model/json.ts'
import { organizationOf } from './decode-set.ts'
import { listOf, type Members, membersOf, relatedAt, relatedId, resourceOf, textAt } from './document.ts'
import { MalformedResponseError } from './errors.ts'

/** A workspace, project or Stack of a look-up. */
export interface TargetEntry<Id extends string> {
  readonly id: Id
  readonly name: string
  readonly organization?: string
  readonly project?: ProjectId
}

export function targetEntry<K extends TargetKind>(
  kind: K,
  value: unknown,
  at: string,
): TargetEntry<TargetIds[K]> {
  const resource = resourceOf(value, kind, TARGETS[kind].isId, at)
  return {
    id: resource.id,
    name: textAt(resource, 'name'),
    organization: organizationOf(resource),
    project: relatedId(resource, 'project', 'projects', isProjectId),
  }
}

/** A workspace of the list, with its tags. */
export interface TaggedWorkspace extends TargetEntry<WorkspaceId> {
  /** Values by key, its own and those of its project. The value of a tag without one is empty. */
  readonly tags: ReadonlyMap<string, string>
  /** The service shows no values of tags. */
  readonly withoutValues?: true
  /** The service shows no tags. */
  readonly withoutTags?: true
}

/** Keys and values of the tags in `included`, by id. Other types are ignored. */
export function includedTags(document: Members): ReadonlyMap<string, readonly [string, string]> {
  const found = new Map<string, readonly [string, string]>()
  if (!Array.isArray(document.included)) return found
  for (const value of document.included as readonly unknown[]) {
    if (!isObject(value) || value.type !== BINDINGS || typeof value.id !== 'string') continue
    const { key, value: text } = isObject(value.attributes) ? value.attributes : {}
    if (typeof key === 'string') found.set(value.id, [key, typeof text === 'string' ? text : ''])
  }
  return found
}

/** A tag that is referred to and not included makes the response malformed: the workspace might be one that is selected. */
export function taggedWorkspace(
  value: unknown,
  at: string,
  included: ReadonlyMap<string, readonly [string, string]>,
): TaggedWorkspace {
  const entry = targetEntry('workspaces', value, at)
  const resource = resourceOf(value, 'workspaces', TARGETS.workspaces.isId, at)
  const { 'tag-names': names } = resource.attributes
  const tags = new Map<string, string>()
  for (const name of Array.isArray(names) ? names : []) if (typeof name === 'string') tags.set(name, '')
  const bindings = relatedAt(resource, BINDINGS)
  if (bindings === undefined)
    return { ...entry, tags, withoutValues: true, ...(!Array.isArray(names) && { withoutTags: true }) }
  const place = `${at}.relationships.${BINDINGS}.data`
  for (const [index, one] of listOf(bindings, place).entries()) {
    const { id } = membersOf(one, `${place}[${index}]`)
    const tag = typeof id === 'string' ? included.get(id) : undefined
    if (tag === undefined) throw new MalformedResponseError(`${place}[${index}] is not included`)
    tags.set(...tag)
  }
  return { ...entry, tags }
}

const BINDINGS = 'effective-tag-bindings'
