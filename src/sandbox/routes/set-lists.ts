import { organizationOf, projectOf, seenSets, workspaceOf } from '../access.ts'
import { setDocument } from '../documents.ts'
import { includedOf, readInclude, shownSet } from '../include.ts'
import { allInListOrder, inListOrder, pageOf } from '../lists.ts'
import { hasProjects, hasSearch } from '../profile.ts'
import type { SetRecord, WorkspaceRecord } from '../records.ts'
import { answered, notFound, type Reply } from '../reply.ts'
import { type RequestContext, type Route, route } from '../service.ts'

export const setListRoutes: readonly Route[] = [
  route('GET', 'api/v2/organizations/:organization/varsets', listOfOrganization),
  route('GET', 'api/v2/projects/:project/varsets', listOfProject),
  route('GET', 'api/v2/workspaces/:workspace/varsets', context =>
    list(inListOrder(setsReaching(workspaceOf(context), context), context), context),
  ),
  route('GET', 'api/v2/workspaces/:workspace/applicable-varsets', listApplicable),
]

/** `filter[global]` and `scope` are the known real service's (docs/service.md 10.6). */
function listOfOrganization(context: RequestContext): Reply {
  const organization = organizationOf(context)
  const all = allInListOrder(organization.name, context)
  const onlyGlobal = context.call.query['filter[global]']
  const owned = context.call.query.scope === 'owned'
  return list(
    onlyGlobal === undefined && !owned
      ? all
      : all.filter(
          set =>
            (onlyGlobal === undefined || String(set.global) === onlyGlobal) &&
            (!owned || set.ownerProject === undefined),
        ),
    context,
  )
}

function listOfProject(context: RequestContext): Reply {
  if (!hasProjects(context.profile)) throw notFound()
  const project = projectOf(context)
  const { listed } = context
  const applied = listed.setsAssignedTo(project.id)
  const global = listed.globalSetsOf(project.organization)
  const owned = [...listed.setsOf(project.organization)].filter(
    id => listed.sets.get(id)?.ownerProject === project.id,
  )
  switch (context.call.query.scope) {
    case 'applied':
      return list(inListOrder(applied, context), context)
    case 'owned':
      return list(inListOrder(owned, context), context)
    case 'shared':
      return list(
        inListOrder(new Set([...applied, ...global]), context).filter(set => set.ownerProject === undefined),
        context,
      )
    default:
      return list(inListOrder(new Set([...applied, ...global, ...owned]), context), context)
  }
}

/** Sets that could still be applied to the workspace (docs/service.md 12.2). */
function listApplicable(context: RequestContext): Reply {
  const workspace = workspaceOf(context)
  const reaching = setsReaching(workspace, context)
  return list(
    allInListOrder(workspace.organization, context).filter(
      set =>
        !reaching.has(set.id) && (set.ownerProject === undefined || set.ownerProject === workspace.project),
    ),
    context,
  )
}

/** Interface 4.1, endpoint 7: its own sets, its project's, and the global ones. */
function setsReaching(workspace: WorkspaceRecord, { listed }: RequestContext): Set<string> {
  return new Set([
    ...listed.setsAssignedTo(workspace.id),
    ...(workspace.project === undefined ? [] : listed.setsAssignedTo(workspace.project)),
    ...listed.globalSetsOf(workspace.organization),
  ])
}

function list(sets: readonly SetRecord[], context: RequestContext): Reply {
  const { profile } = context
  const include = readInclude(context)
  const wanted = hasSearch(profile) ? (context.call.query.q ?? '').toLowerCase() : ''
  const seen = seenSets(sets, context)
  const found = wanted === '' ? seen : seen.filter(set => set.name.toLowerCase().includes(wanted))
  const page = pageOf(found, context.call, profile)
  const shape = shownSet(include, context, true)
  return answered({
    data: page.items.map(set => setDocument(set, shape, context)),
    ...includedOf(page.items, include, shape, context),
    links: page.links,
    meta: page.meta,
  })
}
