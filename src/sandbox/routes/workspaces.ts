import { namedWorkspaceOf, organizationOf, requireLookUps, workspaceOf } from '../access.ts'
import { workspaceDocument } from '../directory-documents.ts'
import { reference } from '../documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import type { StoreChange, WorkspaceRecord } from '../records.ts'
import { answered, emptyAnswer, malformed, type RefusedField, type Reply, refuseIfAny } from '../reply.ts'
import { type Body, isObject, keptAttributes, readBody, readMany, readText } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import { placeNameProblems } from '../set-rules.ts'
import { effectiveBindings, list, namedBindings, TAG_BINDINGS } from './tag-bindings.ts'

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

const NAMED = 'api/v2/organizations/:organization/workspaces/:name'
/** Attributes with a meaning, or that only the service writes. */
const OWN = [
  'name',
  'description',
  'execution-mode',
  'operations',
  'resource-count',
  'locked',
  'created-at',
  'updated-at',
  'permissions',
]

/**
 * Changes and deletes workspaces by id and by name. Nothing here has resources, so a safe deletion always succeeds
 * (docs/service.md 12.4).
 */
export const workspaceWriteRoutes: readonly Route[] = [
  route('POST', 'api/v2/organizations/:organization/workspaces', createWorkspace),
  ...[
    { path: WORKSPACE, find: workspaceOf },
    { path: NAMED, find: namedWorkspaceOf },
  ].flatMap(({ path, find }): Route[] => [
    route('PATCH', path, context => updateWorkspace(find(context), context)),
    route('DELETE', path, context => removal(find(context))),
    route('POST', `${path}/actions/safe-delete`, context => removal(find(context))),
  ]),
  route('POST', `${WORKSPACE}/relationships/tags`, context =>
    withTags(context, (had, named) => [...new Set([...had, ...named])]),
  ),
  route('DELETE', `${WORKSPACE}/relationships/tags`, context =>
    withTags(context, (had, named) => had.filter(name => !named.includes(name))),
  ),
]

function createWorkspace(context: RequestContext): RouteEffect {
  const { name: organization } = organizationOf(context)
  const standard = context.store.directory.named('projects', organization, 'Default Project')
  return written(
    {
      id: context.newId('ws'),
      organization,
      name: '',
      description: '',
      executionMode: 'remote',
      ...(standard === undefined ? {} : { project: standard.id }),
      createdAt: context.at,
      updatedAt: context.at,
    },
    context,
    201,
  )
}

function updateWorkspace(before: WorkspaceRecord, context: RequestContext): RouteEffect {
  const { changes, reply } = written(before, context, 200)
  return { changes: changes.flatMap(change => [change, ...leaving(before, change, context)]), reply }
}

/** A project's set applies to workspaces of that project only (docs/service.md 10.3). */
function leaving(before: WorkspaceRecord, change: StoreChange, { store }: RequestContext): StoreChange[] {
  if (change.type !== 'put-workspace' || change.workspace.project === before.project) return []
  return [...store.setsAssignedTo(before.id)].flatMap(set => {
    const owner = store.sets.get(set)?.ownerProject
    if (owner === undefined || owner === change.workspace.project) return []
    return { type: 'unassign', set, kind: 'workspaces', ids: [before.id] }
  })
}

function written(before: WorkspaceRecord, context: RequestContext, status: number): RouteEffect {
  const body = readBody(context.call.document(), 'workspaces')
  const { attributes } = body
  const problems: RefusedField[] = []
  const name = readText(attributes, 'name', problems) ?? before.name
  const local = attributes.operations === false ? 'local' : before.executionMode
  const tags = readMany(body, 'tags', problems)
  const bindings = readMany(body, TAG_BINDINGS, problems)
  const workspace: WorkspaceRecord = {
    ...before,
    name,
    description: readText(attributes, 'description', problems) ?? before.description,
    executionMode: readText(attributes, 'execution-mode', problems) || local,
    ...keptAttributes(
      {
        ...attributes,
        ...(tags === undefined ? {} : { 'tag-names': namesOf(tags) }),
        ...(bindings === undefined ? {} : { [TAG_BINDINGS]: namedBindings(bindings) }),
      },
      before,
      OWN,
    ),
    ...projectFor(body, before, context, problems),
    updatedAt: context.at,
  }
  refuseIfAny([...problems, ...placeNameProblems('workspaces', workspace, context)])
  return {
    changes: [{ type: 'put-workspace', workspace }],
    reply: () => answered({ data: workspaceDocument(workspace, context) }, status),
  }
}

const removal = ({ id }: WorkspaceRecord): RouteEffect => ({
  changes: [{ type: 'remove-workspace', id }],
  reply: () => emptyAnswer(),
})

function withTags(
  context: RequestContext,
  next: (had: readonly string[], named: readonly string[]) => readonly string[],
): RouteEffect {
  const workspace = workspaceOf(context)
  const { data } = context.call.document()
  const kept = { ...workspace.kept, 'tag-names': next(tagNames(workspace), namesOf(data)) }
  return {
    changes: [{ type: 'put-workspace', workspace: { ...workspace, kept } }],
    reply: () => emptyAnswer(),
  }
}

export function tagNames({ kept }: WorkspaceRecord): readonly string[] {
  const names = kept?.['tag-names']
  return Array.isArray(names) ? names.filter(name => typeof name === 'string') : []
}

/** Tags are identified by name, not by id (docs/service.md 12.5). */
function namesOf(tags: unknown): string[] {
  if (!Array.isArray(tags)) return []
  return tags.flatMap(tag => {
    const name: unknown = isObject(tag) && isObject(tag.attributes) ? tag.attributes.name : undefined
    return typeof name === 'string' ? name : []
  })
}

function projectFor(
  body: Body,
  { organization }: WorkspaceRecord,
  context: RequestContext,
  problems: RefusedField[],
): { readonly project?: string } {
  const relationship = body.relationships.project
  if (relationship === undefined) return {}
  const target = isObject(relationship) ? relationship.data : undefined
  const id = isObject(target) && typeof target.id === 'string' ? target.id : ''
  if (context.store.directory.projects.get(id)?.organization === organization) return { project: id }
  problems.push(malformed('project must be one of the organization', '/data/relationships/project/data'))
  return {}
}
