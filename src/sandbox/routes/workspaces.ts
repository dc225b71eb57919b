import { namedWorkspaceOf, organizationOf, requireLookUps, workspaceOf } from '../access.ts'
import { workspaceDocument } from '../directory-documents.ts'
import { reference } from '../documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import type { WorkspaceRecord } from '../records.ts'
import { answered, type Reply } from '../reply.ts'
import { type RequestContext, type Route, route } from '../service.ts'
import { effectiveBindings, list } from './tag-bindings.ts'
import { tagNames } from './workspace-writes.ts'

const WORKSPACES = 'api/v2/organizations/:organization/workspaces'
const WORKSPACE = 'api/v2/workspaces/:workspace'

export const workspaceRoutes: readonly Route[] = [
  route('GET', WORKSPACES, listWorkspaces),
  route('GET', `${WORKSPACES}/:name`, context => show(namedWorkspaceOf, context)),
  route('GET', WORKSPACE, context => show(workspaceOf, context)),
  route('GET', `${WORKSPACE}/effective-tag-bindings`, context =>
    list(effectiveBindings(workspaceOf(context), context), context),
  ),
  route('GET', `${WORKSPACE}/relationships/remote-state-consumers`, nothingOf),
]

/**
 * `search[name]` matches a part, `search[wildcard-name]` a beginning or an end (docs/service.md 12.3). `search[tags]` requires
 * all of these tags, `search[exclude-tags]` none of them.
 */
function listWorkspaces(context: RequestContext): Reply {
  requireLookUps(context)
  const { name: organization } = organizationOf(context)
  const { directory } = context.store
  const { query } = context.call
  const part = (query['search[name]'] ?? '').toLowerCase()
  const project = query['filter[project][id]']
  const tags = textsOf(query['search[tags]'])
  const without = textsOf(query['search[exclude-tags]'])
  const all = [...directory.idsOf(organization, 'workspaces')]
    .flatMap(id => directory.workspaces.get(id) ?? [])
    .filter(
      workspace =>
        tags.every(tag => tagNames(workspace).includes(tag)) &&
        !without.some(tag => tagNames(workspace).includes(tag)) &&
        workspace.name.toLowerCase().includes(part) &&
        matchesWildcard(workspace.name, query['search[wildcard-name]']) &&
        (project === undefined || workspace.project === project),
    )
    .sort((one, other) => compareCodePoints(one.name, other.name))
  return pagedReply(query.sort === '-name' ? all.reverse() : all, workspaceDocument, context)
}

function show(find: (context: RequestContext) => WorkspaceRecord, context: RequestContext): Reply {
  requireLookUps(context)
  const workspace = find(context)
  const document = workspaceDocument(workspace, context)
  const vars = { data: [...context.store.variablesOf(workspace.id).keys()].map(id => reference('vars', id)) }
  const data = { ...document, relationships: { ...document.relationships, vars } }
  if (!textsOf(context.call.query.include).includes('effective_tag_bindings')) return answered({ data })
  const included = effectiveBindings(workspace, context)
  const bindings = { data: included.map(({ id, type }) => reference(type, id)) }
  const relationships = { ...data.relationships, 'effective-tag-bindings': bindings }
  return answered({ data: { ...data, relationships }, included })
}

/** State consumers, which data sources request and the sandbox does not keep (docs/service.md 14.2). */
function nothingOf(context: RequestContext): Reply {
  workspaceOf(context)
  return pagedReply([], String, context)
}

const textsOf = (list: string | undefined) => (list ?? '').split(',').filter(text => text !== '')

function matchesWildcard(name: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '') return true
  const bare = pattern.replace(/^\*/, '').replace(/\*$/, '')
  const open = { start: pattern.startsWith('*'), end: pattern.endsWith('*') }
  if (open.start && open.end) return name.includes(bare)
  if (open.start) return name.endsWith(bare)
  return open.end ? name.startsWith(bare) : name === bare
}
