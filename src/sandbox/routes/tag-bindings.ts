import { placeOf } from '../access.ts'
import { reference } from '../documents.ts'
import { pagedReply } from '../lists.ts'
import { oneOf, type ProjectRecord, PUT, type WorkspaceRecord } from '../records.ts'
import { attributesIn, isObject } from '../request.ts'
import { type Reply, type RequestContext, type Route, type RouteEffect, route } from '../route.ts'

/** Keys and values that tag a project or workspace, kept as an attribute with this name (docs/service.md 12.5). */
export const TAG_BINDINGS = 'tag-bindings'

type Bindings = Readonly<Record<string, string>>

export const tagBindingRoutes: readonly Route[] = [...routesOf('projects'), ...routesOf('workspaces')]

/** PATCH of the relationship replaces all of them; POST, and PATCH of the shorter path, add or change. */
function routesOf<Kind extends 'projects' | 'workspaces'>(kind: Kind): Route[] {
  const path = `api/v2/${kind}/:${oneOf(kind)}`
  const listOwn = (record: ProjectRecord, context: RequestContext): Reply =>
    pagedReply(documentsOf(TAG_BINDINGS, record.id, bindingsOf(record)), document => document, context)
  const change = (context: RequestContext, keeps: boolean): RouteEffect => {
    const record = placeOf(kind, context)
    const named = namedBindings(context.call.document().data)
    const bindings = keeps ? { ...bindingsOf(record), ...named } : named
    const after = { ...record, kept: { ...record.kept, [TAG_BINDINGS]: bindings } }
    return { changes: [PUT[kind](after)], reply: () => listOwn(after, context) }
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
export function effectiveBindings(record: ProjectRecord | WorkspaceRecord, { store }: RequestContext) {
  const above = 'project' in record ? store.directory.projects.get(record.project ?? '') : undefined
  const own = bindingsOf(record)
  const inherited = above === undefined ? {} : bindingsOf(above)
  return documentsOf('effective-tag-bindings', record.id, { ...inherited, ...own }).map(one =>
    Object.hasOwn(own, one.attributes.key)
      ? one
      : { ...one, links: { 'inherited-from': `/api/v2/projects/${above?.id}` } },
  )
}

/** The bindings in a request body. */
export const namedBindings = (data: unknown): Bindings =>
  Object.fromEntries(
    attributesIn(data).flatMap(({ key, value }) =>
      typeof key === 'string' ? [[key, typeof value === 'string' ? value : '']] : [],
    ),
  )

function bindingsOf({ kept }: ProjectRecord): Bindings {
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
