import { namedWorkspaceOf, organizationOf, placeOf, requireLookUps } from '../access.ts'
import { idFrom } from '../clock-and-chance.ts'
import { pagedReply, pageOf } from '../list-pages.ts'
import { type AssignmentKind, oneOf, type PlaceRecord, type StoreChange } from '../records.ts'
import { attributesIn, type Body, isObject } from '../request.ts'
import { PLACE_DOCUMENTS, reference } from '../resource-documents.ts'
import {
  answered,
  done,
  type Reply,
  type RequestContext,
  type Route,
  type RouteEffect,
  route,
} from '../route.ts'
import type { Store } from '../store.ts'
import { placesOf, writtenPlace } from './organization-routes.ts'

const WORKSPACES = 'api/v2/organizations/:organization/workspaces'
const WORKSPACE = 'api/v2/workspaces/:workspace'

const workspaceOf = (context: RequestContext) => placeOf('workspaces', context)

/** Nothing here has resources, so a safe deletion always succeeds (docs/service.md 12.4). */
const ownRoutes: readonly Route[] = [
  route('GET', WORKSPACES, listWorkspaces),
  route('POST', WORKSPACES, createWorkspace),
  ...[
    { path: WORKSPACE, find: workspaceOf },
    { path: `${WORKSPACES}/:name`, find: namedWorkspaceOf },
  ].flatMap(({ path, find }): Route[] => {
    const remove = (context: RequestContext) =>
      done([{ type: 'remove-place', kind: 'workspaces', id: find(context).id }])
    return [
      route('GET', path, context => show(find, context)),
      route('PATCH', path, context => updateWorkspace(find(context), context)),
      route('DELETE', path, remove),
      route('POST', `${path}/actions/safe-delete`, remove),
    ]
  }),
  route('GET', `${WORKSPACE}/relationships/remote-state-consumers`, nothingOf),
  route('GET', `${WORKSPACE}/relationships/tags`, context => {
    const workspace = workspaceOf(context)
    return pagedReply(tagNames(workspace), name => tagDocument(name, workspace, context), context)
  }),
  route('POST', `${WORKSPACE}/relationships/tags`, context =>
    withTags(context, (had, named) => [...new Set([...had, ...named])]),
  ),
  route('DELETE', `${WORKSPACE}/relationships/tags`, context =>
    withTags(context, (had, named) => had.filter(name => !named.includes(name))),
  ),
]

/**
 * `search[name]` matches a part, `search[wildcard-name]` a beginning or an end (docs/service.md 12.3). `search[tags]` requires
 * all of these tags, `search[exclude-tags]` none of them.
 */
function listWorkspaces(context: RequestContext): Reply {
  requireLookUps(context)
  const { query } = context.call
  const part = (query['search[name]'] ?? '').toLowerCase()
  const project = query['filter[project][id]']
  const tags = textsOf(query['search[tags]'])
  const without = textsOf(query['search[exclude-tags]'])
  const all = placesOf(
    'workspaces',
    context,
    workspace =>
      tags.every(tag => tagNames(workspace).includes(tag)) &&
      !without.some(tag => tagNames(workspace).includes(tag)) &&
      workspace.name.toLowerCase().includes(part) &&
      matchesWildcard(workspace.name, query['search[wildcard-name]']) &&
      (project === undefined || workspace.project === project),
  )
  const sorted = query.sort === '-name' ? all.reverse() : all
  if (!asksForBindings(context)) return pagedReply(sorted, PLACE_DOCUMENTS.workspaces, context)
  const page = pageOf(sorted, context).items.flatMap(workspace => effectiveBindings(workspace, context))
  const { body, ...reply } = pagedReply(sorted, withBindings, context)
  return { ...reply, body: { ...(isObject(body) ? body : {}), included: page } }
}

const asksForBindings = ({ call }: RequestContext) =>
  textsOf(call.query.include).includes('effective_tag_bindings')

/** A workspace that refers to its tags, and those of its project. */
function withBindings(workspace: PlaceRecord, context: RequestContext) {
  const document = PLACE_DOCUMENTS.workspaces(workspace, context)
  const data = effectiveBindings(workspace, context).map(({ id, type }) => reference(type, id))
  return { ...document, relationships: { ...document.relationships, [EFFECTIVE]: { data } } }
}

function show(find: (context: RequestContext) => PlaceRecord, context: RequestContext): Reply {
  requireLookUps(context)
  const workspace = find(context)
  const isWanted = asksForBindings(context)
  const document = isWanted
    ? withBindings(workspace, context)
    : PLACE_DOCUMENTS.workspaces(workspace, context)
  const vars = { data: [...context.store.variablesOf(workspace.id).keys()].map(id => reference('vars', id)) }
  const relationships = { ...document.relationships, vars }
  const included = isWanted ? effectiveBindings(workspace, context) : undefined
  return answered({ data: { ...document, relationships }, included })
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
  const isOpen = pattern.endsWith('*')
  if (pattern.startsWith('*')) return isOpen ? name.includes(bare) : name.endsWith(bare)
  return isOpen ? name.startsWith(bare) : name === bare
}

function createWorkspace(context: RequestContext): RouteEffect {
  const { name: organization } = organizationOf(context)
  return written(
    {
      id: context.newId('ws'),
      organization,
      name: '',
      description: '',
      executionMode: 'remote',
      project: context.store.directory.named('projects', organization, 'Default Project')?.id,
      createdAt: context.at,
      updatedAt: context.at,
    },
    context,
  )
}

function updateWorkspace(before: PlaceRecord, context: RequestContext): RouteEffect {
  const { changes, reply, place } = written(before, context)
  return { changes: [...changes, ...leaving(before, place, context)], reply }
}

/** A project's set applies to workspaces of that project only (docs/service.md 10.3). */
function leaving({ id, project }: PlaceRecord, after: PlaceRecord, { store }: RequestContext): StoreChange[] {
  if (after.project === project) return []
  return [...store.setsAssignedTo(id)].flatMap(set => {
    const owner = store.sets.get(set)?.ownerProject
    if (owner === undefined || owner === after.project) return []
    return { type: 'unassign', set, kind: 'workspaces', ids: [id] }
  })
}

const written = (before: PlaceRecord, context: RequestContext) =>
  writtenPlace('workspaces', before, context, body => {
    const local = body.attributes.operations === false ? 'local' : before.executionMode
    const tags = body.many('tags')
    const bindings = body.many(TAG_BINDINGS)
    return {
      executionMode: body.text('execution-mode') || local,
      kept: {
        ...(tags && { 'tag-names': namesOf(tags, before, context) }),
        ...(bindings && { [TAG_BINDINGS]: namedBindings(bindings) }),
      },
      project: projectFor(body, before, context),
      updatedAt: context.at,
    }
  })

function projectFor(body: Body, { organization, project }: PlaceRecord, { store }: RequestContext) {
  if (body.relationships.project === undefined) return project
  const target = body.related('project')
  const id = isObject(target) && typeof target.id === 'string' ? target.id : ''
  if (store.directory.get('projects', id)?.organization !== organization) {
    body.misplaced('project', 'project must be one of the organization')
  }
  return id
}

function withTags(
  context: RequestContext,
  next: (had: readonly string[], named: readonly string[]) => readonly string[],
): RouteEffect {
  const workspace = workspaceOf(context)
  const named = namesOf(context.call.document().data, workspace, context)
  const kept = { ...workspace.kept, 'tag-names': next(tagNames(workspace), named) }
  return done([{ type: 'put-place', kind: 'workspaces', place: { ...workspace, kept } }])
}

function tagNames({ kept }: PlaceRecord): readonly string[] {
  const names = kept?.['tag-names']
  return Array.isArray(names) ? names.filter(name => typeof name === 'string') : []
}

/** Tags belong to the organization, and are there as long as one of its workspaces has them. */
const tagId = (name: string, organization: string) => idFrom('tag', `${organization}/${name}`)

const tagged = ({ organization }: PlaceRecord, { directory }: Store) =>
  [...directory.idsOf(organization, 'workspaces')].flatMap(id => directory.get('workspaces', id) ?? [])

function tagDocument(name: string, workspace: PlaceRecord, { store }: RequestContext) {
  const { organization } = workspace
  const all = tagged(workspace, store).filter(one => tagNames(one).includes(name))
  return {
    ...reference('tags', tagId(name, organization)),
    attributes: { name, 'created-at': all[0]?.createdAt, 'instance-count': all.length },
    relationships: { organization: { data: reference('organizations', organization) } },
  }
}

/** Tags in a body, by name or by the id that a list shows (docs/service.md 12.4). */
function namesOf(tags: unknown, workspace: PlaceRecord, { store }: RequestContext): string[] {
  const known = tagged(workspace, store).flatMap(tagNames)
  return (Array.isArray(tags) ? tags : []).flatMap((tag: unknown) => {
    const { id, attributes } = isObject(tag) ? tag : {}
    const name = isObject(attributes) ? attributes.name : undefined
    return typeof name === 'string'
      ? name
      : (known.find(one => tagId(one, workspace.organization) === id) ?? [])
  })
}

/** Keys and values that tag a project or workspace, kept as an attribute with this name (docs/service.md 12.5). */
const TAG_BINDINGS = 'tag-bindings'
const EFFECTIVE = 'effective-tag-bindings'

type Bindings = Readonly<Record<string, string>>

const tagBindingRoutes: readonly Route[] = [...routesOf('projects'), ...routesOf('workspaces')]

/** PATCH of the relationship replaces all of them; POST, and PATCH of the shorter path, add or change. */
function routesOf(kind: AssignmentKind): Route[] {
  const path = `api/v2/${kind}/:${oneOf(kind)}`
  const listOwn = (record: PlaceRecord, context: RequestContext): Reply =>
    pagedReply(documentsOf(TAG_BINDINGS, record.id, bindingsOf(record)), document => document, context)
  const change = (context: RequestContext, keeps: boolean): RouteEffect => {
    const record = placeOf(kind, context)
    const named = namedBindings(context.call.document().data)
    const bindings = keeps ? { ...bindingsOf(record), ...named } : named
    const after = { ...record, kept: { ...record.kept, [TAG_BINDINGS]: bindings } }
    return { changes: [{ type: 'put-place', kind, place: after }], reply: () => listOwn(after, context) }
  }
  return [
    ...[`${path}/relationships/tag-bindings`, `${path}/tag-bindings`].flatMap((where, index): Route[] => [
      route('GET', where, context => listOwn(placeOf(kind, context), context)),
      route('POST', where, context => change(context, true)),
      route('PATCH', where, context => change(context, index === 1)),
    ]),
    route('GET', `${path}/effective-tag-bindings`, context =>
      pagedReply(effectiveBindings(placeOf(kind, context), context), document => document, context),
    ),
  ]
}

/** Its own bindings. A workspace also has those of its project, unless it has another value for the key. */
function effectiveBindings(record: PlaceRecord, { store }: RequestContext) {
  const above = store.directory.get('projects', record.project ?? '')
  const own = bindingsOf(record)
  const inherited = above === undefined ? {} : bindingsOf(above)
  return documentsOf(EFFECTIVE, record.id, { ...inherited, ...own }).map(one =>
    Object.hasOwn(own, one.attributes.key)
      ? one
      : { ...one, links: { 'inherited-from': `/api/v2/projects/${above?.id}` } },
  )
}

/** The bindings in a request body. */
const namedBindings = (data: unknown): Bindings =>
  Object.fromEntries(
    attributesIn(data).flatMap(({ key, value }) =>
      typeof key === 'string' ? [[key, typeof value === 'string' ? value : '']] : [],
    ),
  )

function bindingsOf({ kept }: PlaceRecord): Bindings {
  const bindings = kept?.[TAG_BINDINGS]
  if (!isObject(bindings)) return {}
  return Object.fromEntries(
    Object.entries(bindings).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  )
}

const documentsOf = (type: string, owner: string, bindings: Bindings) =>
  Object.entries(bindings).map(([key, value]) => ({
    ...reference(type, `${owner}-${key}`),
    attributes: { key, value },
  }))

export const workspaceRoutes: readonly Route[] = [...ownRoutes, ...tagBindingRoutes]
