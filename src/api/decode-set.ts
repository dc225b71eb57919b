import { compareText } from '../model/diagnostic.ts'
import { isProjectId, isVariableSetId, isWorkspaceId } from '../model/ids.ts'
import type { ObservedSet, OtherReach } from '../model/variable-set.ts'
import { includedVariables, variablesOf } from './decode-variable.ts'
import {
  flagAt,
  isMembers,
  type Members,
  optionalCountAt,
  optionalFlagAt,
  optionalTextAt,
  type Resource,
  relatedAt,
  relatedId,
  relatedIds,
  resourceOf,
  textAt,
} from './document.ts'

/** A set as one answer shows it, and how much of it that is. What did not arrive is empty in `set`. */
export interface SetAnswer {
  readonly set: ObservedSet
  /** Every variable came with its attributes, as many as `var-count` says. */
  readonly variablesArrived: boolean
  /** Both assignment lists are there, as long as the counts say (docs/fault-model.md F-37). */
  readonly assignmentsArrived: boolean
  readonly variableCount?: number
  /** The organization that the answer says it belongs to; answers of writes do not say. */
  readonly organization?: string
}

/** The set under `data` of a document. */
export const decodeSet = (document: Members, tool: string): SetAnswer =>
  decodeSetAt(document.data, 'data', includedVariables(document), tool)

export function decodeSetAt(
  value: unknown,
  at: string,
  included: ReadonlyMap<string, Members>,
  tool: string,
): SetAnswer {
  const resource = resourceOf(value, 'varsets', isVariableSetId, at)
  const variableCount = optionalCountAt(resource, 'var-count')
  const decoded = variablesOf(resource, included, variableCount, tool)
  const workspaces = relatedIds(resource, 'workspaces', isWorkspaceId)
  const projects = relatedIds(resource, 'projects', isProjectId)
  const parent = relatedId(resource, 'parent', 'projects', isProjectId)
  const others = othersOf(resource)
  const updatedAt = resource.attributes['updated-at']
  const organization = organizationOf(resource)
  return {
    set: {
      id: resource.id,
      name: textAt(resource, 'name'),
      description: optionalTextAt(resource, 'description'),
      global: flagAt(resource, 'global'),
      priority: optionalFlagAt(resource, 'priority'),
      variables: decoded?.variables ?? [],
      foreignVariables: decoded?.foreignVariables ?? [],
      workspaces: (workspaces ?? []).toSorted(compareText),
      projects: (projects ?? []).toSorted(compareText),
      ...(parent === undefined ? {} : { parent }),
      ...(others.length === 0 ? {} : { others }),
      ...(typeof updatedAt === 'string' ? { updatedAt } : {}),
    },
    variablesArrived: decoded !== undefined,
    assignmentsArrived:
      arrived(workspaces, optionalCountAt(resource, 'workspace-count'), 'always') &&
      arrived(projects, optionalCountAt(resource, 'project-count'), 'since 2023'),
    ...(variableCount === undefined ? {} : { variableCount }),
    ...(organization === undefined ? {} : { organization }),
  }
}

/** Services older than 2023-03-24 know no projects (docs/service.md 8), so for those a missing list is an empty one. */
function arrived(
  ids: readonly string[] | undefined,
  count: number | undefined,
  known: 'always' | 'since 2023',
): boolean {
  if (ids === undefined) return count === undefined ? known === 'since 2023' : count === 0
  return count === undefined || count === ids.length
}

export function organizationOf(resource: Resource): string | undefined {
  const related = relatedAt(resource, 'organization')
  return isMembers(related) && typeof related.id === 'string' ? related.id : undefined
}

const KNOWN_COUNTS = ['var-count', 'workspace-count', 'project-count', 'stack-count']
const KNOWN_RELATIONS = ['vars', 'workspaces', 'projects', 'stacks']

/** Whatever else the service counts for the set or relates to it. Newer services have more than this client knows. */
function othersOf({ attributes, relationships }: Resource): OtherReach[] {
  const found = new Map<string, number>()
  const add = (what: string, count: number): void => {
    if (count > 0) found.set(what, Math.max(count, found.get(what) ?? 0))
  }
  const counted = (name: string): number => {
    const count = Math.ceil(Number(attributes[name]))
    return Number.isSafeInteger(count) ? count : 0
  }
  const related = (name: string): number => {
    const relationship = relationships[name]
    const data = isMembers(relationship) ? relationship.data : undefined
    return Array.isArray(data) ? data.length : 0
  }
  add('stacks', Math.max(counted('stack-count'), related('stacks')))
  for (const name of Object.keys(attributes))
    if (name.endsWith('-count') && !KNOWN_COUNTS.includes(name)) add(name, counted(name))
  for (const name of Object.keys(relationships)) if (!KNOWN_RELATIONS.includes(name)) add(name, related(name))
  return [...found].map(([what, count]) => ({ what, count })).sort((a, b) => compareText(a.what, b.what))
}
