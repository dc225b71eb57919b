import type { ResourceDocument } from '../wire/documents.ts'
import { projectDocument, stackDocument, workspaceDocument } from './directory-documents.ts'
import { type SetShape, shownIds, shownVariables, variableDocument } from './documents.ts'
import { hasProjects, hasStacks } from './profile.ts'
import type { AssignmentKind, PlaceRecords, SetRecord } from './records.ts'
import { Refusal } from './reply.ts'
import type { RequestContext } from './service.ts'
import { hasKind } from './set-rules.ts'

/** The names in the `include` parameter; an unknown one is refused with 400 (docs/service.md 9.1). Empty means none. */
export function readInclude(context: RequestContext): ReadonlySet<string> {
  const names = (context.call.query.include ?? '').split(',').filter(name => name !== '')
  const { profile } = context
  const known = [
    'vars',
    'workspaces',
    ...(hasStacks(profile) || profile.stacks === 'enterprise' ? ['stacks'] : []),
    ...(hasProjects(profile) ? ['projects'] : []),
  ]
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

/** The resources that these sets refer to, each once, as a member of the answer; none if none were requested. */
export function includedOf(
  sets: readonly SetRecord[],
  names: ReadonlySet<string>,
  shape: SetShape,
  context: RequestContext,
): { readonly included?: readonly ResourceDocument[] } {
  if (names.size === 0) return {}
  const { profile, store } = context
  const included: ResourceDocument[] = []
  if (names.has('vars') && profile.includeVars === 'included') {
    for (const set of sets) {
      for (const variable of shownVariables(set, shape)) {
        included.push(variableDocument(variable, set, context, { created: true }))
      }
    }
  }
  const add = <Kind extends AssignmentKind>(
    kind: Kind,
    places: ReadonlyMap<string, PlaceRecords[Kind]>,
    document: (place: PlaceRecords[Kind], context: RequestContext) => ResourceDocument,
  ) => {
    if (!names.has(kind) || !hasKind(kind, profile)) return
    for (const id of new Set(sets.flatMap(set => shownIds(set[kind], shape)))) {
      const place = places.get(id)
      if (place !== undefined) included.push(document(place, context))
    }
  }
  add('workspaces', store.directory.workspaces, workspaceDocument)
  add('projects', store.directory.projects, projectDocument)
  add('stacks', store.directory.stacks, stackDocument)
  return { included }
}
