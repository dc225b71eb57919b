import {
  listedOrganizationOf,
  placeOf,
  requireEffective,
  requireKind,
  seenSets,
  setOf,
  variableOf,
} from '../access.ts'
import { allInListOrder, compareCodePoints, inListOrder, pageFor, wholeLinks } from '../list-pages.ts'
import type { PlaceRecord, SetRecord, VariableRecord } from '../records.ts'
import { reference, variableDocument, workspaceVariableDocument } from '../resource-documents.ts'
import { answered, notFound, type Reply, type RequestContext, type Route, route } from '../route.ts'
import { includedOf, readInclude, setDocument, shownSet } from '../set-documents.ts'
import { type Store, slotOf } from '../store.ts'

const setListRoutes: readonly Route[] = [
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

const WORKSPACE = 'api/v2/workspaces/:workspace'
const VARIABLES = `${WORKSPACE}/varsets/:set/relationships/vars`

/** The variables that a workspace receives, after precedence (docs/service.md 12.2, 13). */
const effectiveVariableRoutes: readonly Route[] = [
  route('GET', `${WORKSPACE}/all-vars`, listEffective),
  route('GET', VARIABLES, context => {
    const { set, show } = locate(context)
    const data = [...context.store.variablesOf(set.id).values()].map(show)
    return answered({ data, links: wholeLinks(context) })
  }),
  route('GET', `${VARIABLES}/:variable`, context => {
    const { set, show } = locate(context)
    return answered({ data: show(variableOf(context, set.id)) })
  }),
]

/** The winners only. */
function listEffective(context: RequestContext): Reply {
  requireEffective(context)
  const workspace = placeOf('workspaces', context)
  const data = [...reachingVariables(workspace, context.store).values()].flatMap(([winner]) => {
    if (winner === undefined) return []
    const { variable, set } = winner
    return set === undefined
      ? workspaceVariableDocument(variable, workspace, context)
      : variableDocument(variable, set, context, true)
  })
  return answered({ data, links: wholeLinks(context) })
}

/** A set that does not apply to the workspace is not found there. */
function locate(context: RequestContext) {
  const workspace = placeOf('workspaces', context)
  const set = setOf(context)
  if (!setsReaching(workspace, context.store).has(set.id)) throw notFound()
  const reaching = reachingVariables(workspace, context.store)
  /** `overwriter`: the winner, if this one lost. `overwritten`: the losers, if it won. */
  const show = (variable: VariableRecord) => {
    const [winner, ...losers] = reaching.get(slotOf(variable)) ?? []
    const won = winner?.variable.id === variable.id
    const document = variableDocument(variable, set, context, true)
    const overwriter = won || winner === undefined ? null : reference('vars', winner.variable.id)
    const overwritten = won ? losers.map(loser => reference('vars', loser.variable.id)) : []
    return {
      ...document,
      relationships: {
        ...document.relationships,
        overwriter: { data: overwriter },
        overwritten: { data: overwritten },
      },
    }
  }
  return { set, show }
}

/** A variable that applies to a workspace; without `set` it belongs to the workspace itself. */
interface Reaching {
  readonly variable: VariableRecord
  readonly set: SetRecord | undefined
}

const OWN = 8

/** Everything that applies to the workspace; for each key and category the strongest first (docs/service.md 13). */
function reachingVariables(workspace: PlaceRecord, store: Store): Map<string, Reaching[]> {
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
  const slots = new Map<string, Reaching[]>()
  for (const { set } of sources) {
    for (const variable of store.variablesOf((set ?? workspace).id).values()) {
      const slot = slotOf(variable)
      const reaching = slots.get(slot) ?? []
      slots.set(slot, reaching)
      reaching.push({ variable, set })
    }
  }
  return slots
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

export const reachingRoutes: readonly Route[] = [...setListRoutes, ...effectiveVariableRoutes]
