import { listedOrganizationOf, placeOf, requireEffective, requireKind, seenSets } from '../access.ts'
import { allInListOrder, compareCodePoints, inListOrder, pageFor, wholeLinks } from '../list-pages.ts'
import type { PlaceRecord, SetRecord, VariableRecord } from '../records.ts'
import { variableDocument, workspaceVariableDocument } from '../resource-documents.ts'
import { answered, type Reply, type RequestContext, type Route, route } from '../route.ts'
import { includedOf, readInclude, setDocument, shownSet } from '../set-documents.ts'
import { type Store, slotOf } from '../store.ts'

export const reachingRoutes: readonly Route[] = [
  route('GET', 'api/v2/organizations/:organization/varsets', listOfOrganization),
  route('GET', 'api/v2/projects/:project/varsets', listOfProject),
  route('GET', 'api/v2/workspaces/:workspace/varsets', context =>
    list(inListOrder(setsReaching(placeOf('workspaces', context), context.listed), context), context),
  ),
  route('GET', 'api/v2/workspaces/:workspace/applicable-varsets', listApplicable),
  route('GET', 'api/v2/workspaces/:workspace/all-vars', listEffective),
]

/** `filter[global]` and `scope` are the known real service's (docs/service.md 10.6). */
function listOfOrganization(context: RequestContext): Reply {
  const { 'filter[global]': global, scope } = context.call.query
  const all = allInListOrder(listedOrganizationOf(context), context)
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
  requireKind('projects', context)
  requireEffective(context)
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
  requireEffective(context)
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

/** Its own sets, its project's, and the global ones (docs/service.md 4.5). */
const setsReaching = ({ id, project, organization }: PlaceRecord, store: Store) =>
  new Set([
    ...store.setsAssignedTo(id),
    ...(project === undefined ? [] : store.setsAssignedTo(project)),
    ...store.globalSetsOf(organization),
  ])

function list(sets: readonly SetRecord[], context: RequestContext): Reply {
  const include = readInclude(context)
  const wanted = context.server.search === 'yes' ? (context.call.query.q ?? '').toLowerCase() : ''
  const seen = seenSets(sets, context)
  const found = wanted === '' ? seen : seen.filter(set => set.name.toLowerCase().includes(wanted))
  const { items, rest } = pageFor('sets', found, context)
  const shape = shownSet(include, context, true)
  return answered({
    data: items.map(set => setDocument(set, shape, context)),
    ...includedOf(items, include, shape, context),
    ...rest,
  })
}

/** The variables that a workspace receives, after precedence (docs/service.md 12.2, 13). */
function listEffective(context: RequestContext): Reply {
  requireEffective(context)
  const workspace = placeOf('workspaces', context)
  const data = [...winnersOf(workspace, context.store)].map(({ variable, set }) =>
    set === undefined
      ? workspaceVariableDocument(variable, workspace, context)
      : variableDocument(variable, set, context, true),
  )
  return answered({ data, links: wholeLinks(context) })
}

/** A variable that applies to a workspace; without `set` it belongs to the workspace itself. */
interface Reaching {
  readonly variable: VariableRecord
  readonly set: SetRecord | undefined
}

const OWN = 8

/** The strongest of what applies to the workspace, for each key and category (docs/service.md 13). */
function winnersOf(workspace: PlaceRecord, store: Store): Iterable<Reaching> {
  const sets = [...setsReaching(workspace, store)].flatMap(id => store.sets.get(id) ?? [])
  const sources = [undefined, ...sets].map(set => ({
    set,
    rank: set === undefined ? OWN : rankOf(set, workspace),
  }))
  // No document says which of two sets with one name wins. Their creation order, which no client sees, must not decide here.
  sources.sort(
    (one, other) =>
      one.rank - other.rank ||
      compareCodePoints(one.set?.name ?? '', other.set?.name ?? '') ||
      compareCodePoints(one.set?.id ?? '', other.set?.id ?? ''),
  )
  const winners = new Map<string, Reaching>()
  for (const { set } of sources)
    for (const variable of store.variablesOf((set ?? workspace).id).values()) {
      const slot = slotOf(variable)
      if (!winners.has(slot)) winners.set(slot, { variable, set })
    }
  return winners.values()
}

/** The table of docs/workspaces.md#who-wins. A set that applies in several ways has its best rank (docs/service.md 15.4). */
function rankOf(set: SetRecord, workspace: PlaceRecord): number {
  const byWorkspace = set.workspaces.includes(workspace.id)
  const byProject = workspace.project !== undefined && set.projects.includes(workspace.project)
  const projectOwned = set.ownerProject !== undefined
  const ranks = set.priority
    ? [set.global && 1, byProject && (projectOwned ? 4 : 2), byWorkspace && (projectOwned ? 5 : 3)]
    : [byWorkspace && (projectOwned ? 9 : 11), byProject && (projectOwned ? 10 : 12), set.global && 13]
  return Math.min(...ranks.filter(rank => rank !== false))
}
