import type { ResourceDocument } from '../wire/documents.ts'
import { mayChange } from './access.ts'
import { hasKind, type Server } from './profile.ts'
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
  /** Only lists shorten their references. */
  readonly truncated: boolean
}

/** How the answer to a read shows a set; `embedded` is one reading of docs/service.md 4.11. */
export const shownSet = (
  include: ReadonlySet<string>,
  context: RequestContext,
  inList: boolean,
): SetShape => ({
  store: inList ? context.listed : context.store,
  variables: include.has('vars') && context.server.include === 'embedded' ? 'embedded' : 'references',
  counts: true,
  truncated: inList && context.server.references === 'two',
})

export function setDocument(set: SetRecord, shape: SetShape, context: RequestContext): ResourceDocument {
  const { server } = context
  const counts = shape.counts && server.counts !== 'no'
  const { organization, ownerProject } = set
  const variables = shownVariables(set, shape)
  const owner =
    ownerProject === undefined
      ? reference('organizations', organization)
      : reference('projects', ownerProject)
  const attributes: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(set).filter(([name]) => name in UNWRITTEN_SET)),
    priority: server.priority === 'no' ? undefined : set.priority,
  }
  const relationships: Record<string, { readonly data: unknown }> = {
    organization: { data: reference('organizations', organization) },
  }
  if (counts) {
    if (server.counts === 'yes') attributes['updated-at'] = set.updatedAt
    attributes['var-count'] = shape.store.variablesOf(set.id).size
  }
  if (server.owners !== 'no') relationships.parent = { data: owner }
  relationships.vars = {
    data:
      shape.variables === 'references'
        ? variables.map(({ id }) => reference('vars', id))
        : variables.map(one => ({
            ...reference('vars', one.id),
            attributes: variableAttributes(one, server, false),
          })),
  }
  for (const kind of KINDS) {
    if (!hasKind(kind, server)) continue
    if (counts) attributes[COUNTS[kind]] = set[kind].length
    relationships[kind] = { data: shownIds(set, kind, shape).map(id => reference(kind, id)) }
  }
  if (server.owners === 'yes') attributes.permissions = { 'can-update': mayChange(set, context) }
  return resource('varsets', set.id, attributes, relationships, context)
}

const COUNTS = byKind(kind => `${oneOf(kind)}-count`)

const shownVariables = (set: SetRecord, { store, truncated }: SetShape) =>
  [...store.variablesOf(set.id).values()].slice(0, truncated ? LIMITS.truncatedList : undefined)

const shownIds = (set: SetRecord, kind: AssignmentKind, { truncated }: SetShape) =>
  set[kind].slice(0, truncated ? LIMITS.truncatedList : undefined)

const mayInclude = (kind: AssignmentKind, server: Server) =>
  hasKind(kind, server) || (kind === 'stacks' && server.stacks === 'a word')

/** The names in the `include` parameter; an unknown one is refused with 400 (docs/service.md 9.1). Empty means none. */
export function readInclude({ call, server }: RequestContext): ReadonlySet<string> {
  if (server.include === 'ignored') return new Set()
  const names = (call.query.include ?? '').split(',').filter(name => name !== '')
  const known: readonly string[] = ['vars', ...KINDS.filter(kind => mayInclude(kind, server))]
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
  const { server, store } = context
  const variables = (set: SetRecord) =>
    shownVariables(set, shape).map(variable => variableDocument(variable, set, context, true))
  const withVariables = names.has('vars') && server.include === 'included'
  const places = (kind: AssignmentKind) =>
    [...new Set(sets.flatMap(set => shownIds(set, kind, shape)))].flatMap(id => {
      const place = store.directory.get(kind, id)
      return place === undefined ? [] : PLACE_DOCUMENTS[kind](place, context)
    })
  const kinds = KINDS.filter(kind => names.has(kind) && hasKind(kind, server))
  return { included: [...(withVariables ? sets.flatMap(variables) : []), ...kinds.flatMap(places)] }
}
