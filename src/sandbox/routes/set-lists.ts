import { organizationOf, placeOf, seenSets } from '../access.ts'
import { allInListOrder, inListOrder, pageOf } from '../lists.ts'
import { hasKind, hasSearch } from '../profile.ts'
import type { SetRecord, WorkspaceRecord } from '../records.ts'
import { answered, notFound, type Reply } from '../reply.ts'
import { type RequestContext, type Route, route } from '../service.ts'
import { includedOf, readInclude, setDocument, shownSet } from '../set-documents.ts'
import type { Store } from '../store.ts'

export const setListRoutes: readonly Route[] = [
  route('GET', 'api/v2/organizations/:organization/varsets', listOfOrganization),
  route('GET', 'api/v2/projects/:project/varsets', listOfProject),
  route('GET', 'api/v2/workspaces/:workspace/varsets', context =>
    list(inListOrder(setsReaching(placeOf('workspaces', context), context.listed), context), context),
  ),
  route('GET', 'api/v2/workspaces/:workspace/applicable-varsets', listApplicable),
]

/** `filter[global]` and `scope` are the known real service's (docs/service.md 10.6). */
function listOfOrganization(context: RequestContext): Reply {
  const { 'filter[global]': global, scope } = context.call.query
  const all = allInListOrder(organizationOf(context).name, context)
  return list(
    all.filter(
      set =>
        (global === undefined || String(set.global) === global) &&
        (scope !== 'owned' || set.ownerProject === undefined),
    ),
    context,
  )
}

function listOfProject(context: RequestContext): Reply {
  if (!hasKind('projects', context.profile)) throw notFound()
  const { id, organization } = placeOf('projects', context)
  const { listed } = context
  const applied = listed.setsAssignedTo(id)
  const shared = [...applied, ...listed.globalSetsOf(organization)]
  const owned = [...listed.setsOf(organization)].filter(set => listed.sets.get(set)?.ownerProject === id)
  const inOrder = (ids: Iterable<string>) => inListOrder(new Set(ids), context)
  switch (context.call.query.scope) {
    case 'applied':
      return list(inOrder(applied), context)
    case 'owned':
      return list(inOrder(owned), context)
    case 'shared':
      return list(
        inOrder(shared).filter(set => set.ownerProject === undefined),
        context,
      )
    default:
      return list(inOrder([...shared, ...owned]), context)
  }
}

/** Sets that could still be applied to the workspace (docs/service.md 12.2). */
function listApplicable(context: RequestContext): Reply {
  const workspace = placeOf('workspaces', context)
  const reaching = setsReaching(workspace, context.listed)
  return list(
    allInListOrder(workspace.organization, context).filter(
      ({ id, ownerProject }) =>
        !reaching.has(id) && (ownerProject === undefined || ownerProject === workspace.project),
    ),
    context,
  )
}

/** Interface 4.1, endpoint 7: its own sets, its project's, and the global ones. */
export const setsReaching = ({ id, project, organization }: WorkspaceRecord, store: Store) =>
  new Set([
    ...store.setsAssignedTo(id),
    ...(project === undefined ? [] : store.setsAssignedTo(project)),
    ...store.globalSetsOf(organization),
  ])

function list(sets: readonly SetRecord[], context: RequestContext): Reply {
  const include = readInclude(context)
  const wanted = hasSearch(context.profile) ? (context.call.query.q ?? '').toLowerCase() : ''
  const seen = seenSets(sets, context)
  const found = wanted === '' ? seen : seen.filter(set => set.name.toLowerCase().includes(wanted))
  const { items, links, meta } = pageOf(found, context)
  const shape = shownSet(include, context, true)
  return answered({
    data: items.map(set => setDocument(set, shape, context)),
    ...includedOf(items, include, shape, context),
    links,
    meta,
  })
}
