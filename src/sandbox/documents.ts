import type { Reference, ResourceDocument } from '../wire/documents.ts'
import { mayChange } from './access.ts'
import { ASSUMED, LIMITS } from './limits.ts'
import { linkBase } from './lists.ts'
import { hasMore, hasPriority, hasProjects, hasStacks, type Profile } from './profile.ts'
import type { SetRecord, VariableRecord, WrittenSettings } from './records.ts'
import type { RequestContext } from './service.ts'
import type { Store } from './store.ts'

export const reference = (type: string, id: string): Reference => ({ id, type })

/** How a set is shown in one kind of response. */
export interface SetShape {
  /** The state to read from; lists may lag behind. */
  readonly store: Store
  /** Interface 2.2: create and update responses embed variables; show and list refer to them. */
  readonly variables: 'references' | 'embedded'
  /** Interface 2.1: `updated-at` and the counts are present in show and list responses. */
  readonly counts: boolean
  /** The `relationshipLists` switch applies to lists only. */
  readonly truncated: boolean
}

export function setDocument(set: SetRecord, shape: SetShape, context: RequestContext): ResourceDocument {
  const { profile } = context
  const variables = shownVariables(set, shape)
  return {
    id: set.id,
    type: 'varsets',
    attributes: {
      name: set.name,
      ...described(set.description, profile),
      global: set.global,
      ...(hasPriority(profile) ? { priority: set.priority } : {}),
      ...(shape.counts ? countsOf(set, shape.store, profile) : {}),
      ...(hasMore(profile) ? { permissions: { 'can-update': mayChange(set, context) } } : {}),
    } satisfies Record<Exclude<keyof WrittenSettings, 'description' | 'priority'>, unknown>,
    relationships: {
      organization: { data: reference('organizations', set.organization) },
      ...(hasMore(profile) ? { parent: { data: parentOf(set) } } : {}),
      vars: {
        data:
          shape.variables === 'references'
            ? variables.map(variable => reference('vars', variable.id))
            : variables.map(variable => embeddedVariable(variable, context)),
      },
      workspaces: { data: shownIds(set.workspaces, shape).map(id => reference('workspaces', id)) },
      ...(hasProjects(profile)
        ? { projects: { data: shownIds(set.projects, shape).map(id => reference('projects', id)) } }
        : {}),
      ...(hasStacks(profile)
        ? { stacks: { data: shownIds(set.stacks, shape).map(id => reference('stacks', id)) } }
        : {}),
    },
    links: { self: `${linkBase(context.call, profile)}/api/v2/varsets/${set.id}` },
  }
}

export function shownVariables(set: SetRecord, shape: SetShape): VariableRecord[] {
  const variables = [...shape.store.variablesOf(set.id).values()]
  return shape.truncated ? variables.slice(0, LIMITS.truncatedList) : variables
}

export const shownIds = (ids: readonly string[], shape: SetShape): readonly string[] =>
  shape.truncated ? ids.slice(0, LIMITS.truncatedList) : ids

/** A variable of a set with its relationship and link (docs/service.md 2.2). `created-at` only where lists show it. */
export function variableDocument(
  variable: VariableRecord,
  set: SetRecord,
  context: RequestContext,
  options: { readonly created: boolean },
): ResourceDocument {
  const path = `${linkBase(context.call, context.profile)}/api/v2/varsets/${set.id}`
  return {
    id: variable.id,
    type: 'vars',
    attributes: variableAttributes(variable, context.profile, options.created),
    relationships: {
      varset: { data: reference('varsets', set.id), links: { related: path } },
    },
    links: { self: `${path}/relationships/vars/${variable.id}` },
  }
}

/** The other attributes depend on the profile. */
type AlwaysShown = Exclude<keyof VariableRecord, 'id' | 'value' | 'description' | 'createdAt' | 'versionId'>

export function variableAttributes(
  variable: VariableRecord,
  profile: Profile,
  created: boolean,
): Readonly<Record<string, unknown>> {
  return {
    key: variable.key,
    ...shownValue(variable, profile),
    sensitive: variable.sensitive,
    category: variable.category,
    hcl: variable.hcl,
    ...(created ? { 'created-at': variable.createdAt } : {}),
    ...described(variable.description, profile),
    ...(hasMore(profile) ? { 'version-id': variable.versionId } : {}),
  } satisfies Record<AlwaysShown, unknown>
}

const embeddedVariable = (variable: VariableRecord, context: RequestContext): ResourceDocument => ({
  id: variable.id,
  type: 'vars',
  attributes: variableAttributes(variable, context.profile, false),
})

const parentOf = (set: SetRecord): Reference =>
  set.ownerProject === undefined
    ? reference('organizations', set.organization)
    : reference('projects', set.ownerProject)

const countsOf = (set: SetRecord, store: Store, profile: Profile) => ({
  'updated-at': set.updatedAt,
  'var-count': store.variablesOf(set.id).size,
  'workspace-count': set.workspaces.length,
  ...(hasProjects(profile) ? { 'project-count': set.projects.length } : {}),
  ...(hasStacks(profile) ? { 'stack-count': set.stacks.length } : {}),
})

/** A sensitive value is never returned; the interface does not say what replaces it. */
function shownValue(variable: VariableRecord, profile: Profile): { readonly value?: string | null } {
  if (!variable.sensitive) return { value: variable.value }
  switch (profile.sensitiveValue) {
    case 'null':
      return { value: null }
    case 'empty':
      return { value: '' }
    case 'missing':
      return {}
    case 'mask':
      return { value: ASSUMED.mask }
  }
}

function described(description: string, profile: Profile): { readonly description?: string | null } {
  if (description !== '' || profile.emptyDescription === 'empty') return { description }
  return profile.emptyDescription === 'null' ? { description: null } : {}
}
