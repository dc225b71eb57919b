import { compareText } from '../model/diagnostic.ts'
import type { ObservedSet } from '../model/variable-set.ts'
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
import { isProjectId, isVariableSetId, isWorkspaceId } from './ids.ts'

/** A set as one answer shows it, and how much of it that is. What did not arrive is empty in `set`. */
export interface SetAnswer {
  readonly set: ObservedSet
  /** Every variable came with its attributes, as many as `var-count` says. */
  readonly variablesArrived: boolean
  /** Both assignment lists are there, as long as the counts say (fault-model F-37). */
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

/** Services older than 2023-03-24 know no projects (interface 9), so for those a missing list is an empty one. */
function arrived(
  ids: readonly string[] | undefined,
  count: number | undefined,
  known: 'always' | 'since 2023',
): boolean {
  if (ids === undefined) return count === undefined ? known === 'since 2023' : count === 0
  return count === undefined || count === ids.length
}

function organizationOf(resource: Resource): string | undefined {
  const related = relatedAt(resource, 'organization')
  return isMembers(related) && typeof related.id === 'string' ? related.id : undefined
}
