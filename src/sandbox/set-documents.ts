import type { ResourceDocument } from '../wire/documents.ts'
import { mayChange } from './access.ts'
import { has, hasKind, isOtf, type Profile } from './profile.ts'
import { type AssignmentKind, byKind, KINDS, oneOf, type SetRecord, UNWRITTEN_SET } from './records.ts'
import {
  PLACE_DOCUMENTS,
  reference,
  resource,
  variableAttributes,
  variableDocument,
} from './resource-documents.ts'
import { Refusal, type RequestContext } from './route.ts'
import { LIMITS } from './service-limits.ts'
import type { Store } from './store.ts'

/** How a set is shown in one kind of response. */
export interface SetShape {
  /** The state to read from; lists may lag behind. */
  readonly store: Store
  /** Responses to create and update contain the variables; show and list refer to them (docs/service.md 2.1). */
  readonly variables: 'references' | 'embedded'
  /** `updated-at` and the counts are in responses to show and list (docs/service.md 2.1). */
  readonly counts: boolean
  /** The `relationshipLists` switch applies to lists only. */
  readonly truncated: boolean
}

/** How the answer to a read shows a set; `embedded` is one reading of docs/service.md 4.11. */
export const shownSet = (
  include: ReadonlySet<string>,
  context: RequestContext,
  inList: boolean,
): SetShape => ({
  store: inList ? context.listed : context.store,
  variables: include.has('vars') && context.profile.includeVars === 'embedded' ? 'embedded' : 'references',
  counts: true,
  truncated: inList && context.profile.relationshipLists === 'truncated',
})

export function setDocument(set: SetRecord, shape: SetShape, context: RequestContext): ResourceDocument {
  const { profile } = context
  const counts = shape.counts && !isOtf(profile)
  const { organization, ownerProject } = set
  const variables = shownVariables(set, shape)
  const owner =
    ownerProject === undefined
      ? reference('organizations', organization)
      : reference('projects', ownerProject)
  const attributes: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(set).filter(([name]) => name in UNWRITTEN_SET)),
    priority: has('priority', profile) ? set.priority : undefined,
  }
  const relationships: Record<string, { readonly data: unknown }> = {
    organization: { data: reference('organizations', organization) },
  }
  if (counts) {
    attributes['updated-at'] = set.updatedAt
    attributes['var-count'] = shape.store.variablesOf(set.id).size
  }
  if (has('more', profile)) relationships.parent = { data: owner }
  relationships.vars = {
    data:
      shape.variables === 'references'
        ? variables.map(({ id }) => reference('vars', id))
        : variables.map(one => ({
            ...reference('vars', one.id),
            attributes: variableAttributes(one, profile, false),
          })),
  }
  for (const kind of KINDS) {
    if (!hasKind(kind, profile)) continue
    if (counts) attributes[COUNTS[kind]] = set[kind].length
    relationships[kind] = { data: shownIds(set, kind, shape).map(id => reference(kind, id)) }
  }
  if (has('more', profile)) attributes.permissions = { 'can-update': mayChange(set, context) }
  return resource('varsets', set.id, attributes, relationships, context)
}

const COUNTS = byKind(kind => `${oneOf(kind)}-count`)

const shownVariables = (set: SetRecord, { store, truncated }: SetShape) =>
  [...store.variablesOf(set.id).values()].slice(0, truncated ? LIMITS.truncatedList : undefined)

const shownIds = (set: SetRecord, kind: AssignmentKind, { truncated }: SetShape) =>
  set[kind].slice(0, truncated ? LIMITS.truncatedList : undefined)

const mayInclude = (kind: AssignmentKind, profile: Profile) =>
  hasKind(kind, profile) || (kind === 'stacks' && profile.server === 'enterprise')

/** The names in the `include` parameter; an unknown one is refused with 400 (docs/service.md 9.1). Empty means none. */
export function readInclude({ call, profile }: RequestContext): ReadonlySet<string> {
  if (isOtf(profile)) return new Set()
  const names = (call.query.include ?? '').split(',').filter(name => name !== '')
  const known: readonly string[] = ['vars', ...KINDS.filter(kind => mayInclude(kind, profile))]
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length === 0) return new Set(names)
  throw new Refusal(400, [
    {
      title: 'invalid include parameter',
      detail: `The include parameter does not accept "${unknown.join(', ')}"`,
      parameter: 'include',
    },
  ])
}

/** The resources that these sets refer to, each once, as a member of the answer; none if none were requested. */
export function includedOf(
  sets: readonly SetRecord[],
  names: ReadonlySet<string>,
  shape: SetShape,
  context: RequestContext,
): { readonly included?: readonly ResourceDocument[] } {
  if (names.size === 0) return {}
  const { profile, store } = context
  const variables = (set: SetRecord) =>
    shownVariables(set, shape).map(variable => variableDocument(variable, set, context, true))
  const withVariables = names.has('vars') && profile.includeVars === 'included'
  const places = (kind: AssignmentKind) =>
    [...new Set(sets.flatMap(set => shownIds(set, kind, shape)))].flatMap(id => {
      const place = store.directory.get(kind, id)
      return place === undefined ? [] : PLACE_DOCUMENTS[kind](place, context)
    })
  const kinds = KINDS.filter(kind => names.has(kind) && hasKind(kind, profile))
  return { included: [...(withVariables ? sets.flatMap(variables) : []), ...kinds.flatMap(places)] }
}
