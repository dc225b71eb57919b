import type { ResourceDocument } from '../../wire/documents.ts'
import { placeOf } from '../access.ts'
import { reference } from '../documents.ts'
import { pageOf } from '../lists.ts'
import { oneOf, type ProjectRecord, PUT, type WorkspaceRecord } from '../records.ts'
import { answered, type Reply } from '../reply.ts'
import { isObject } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'

/** Keys and values that tag a project or workspace, kept as an attribute with this name (docs/service.md 12.5). */
export const TAG_BINDINGS = 'tag-bindings'

type Bindings = Readonly<Record<string, string>>
type Tagged = Pick<ProjectRecord, 'id' | 'kept'>

/** PATCH of the relationship replaces all of them; POST, and PATCH of the shorter path, add or change. */
export const tagBindingRoutes: readonly Route[] = [...routesOf('projects'), ...routesOf('workspaces')]

function routesOf<Kind extends 'projects' | 'workspaces'>(kind: Kind): Route[] {
  const path = `api/v2/${kind}/:${oneOf(kind)}`
  const own = (context: RequestContext) => list(documentsOf(TAG_BINDINGS, placeOf(kind, context)), context)
  const change = (context: RequestContext, keeps: boolean): RouteEffect => {
    const record = placeOf(kind, context)
    const bindings = {
      ...(keeps ? bindingsOf(record) : {}),
      ...namedBindings(context.call.document().data),
    }
    const after = { ...record, kept: { ...record.kept, [TAG_BINDINGS]: bindings } }
    return { changes: [PUT[kind](after)], reply: () => list(documentsOf(TAG_BINDINGS, after), context) }
  }
  return [`${path}/relationships/tag-bindings`, `${path}/tag-bindings`].flatMap((where, index): Route[] => [
    route('GET', where, own),
    route('POST', where, context => change(context, true)),
    route('PATCH', where, context => change(context, index === 1)),
  ])
}

/** Its own bindings. A workspace also has those of its project, unless it has another value for the key. */
export function effectiveBindings(record: ProjectRecord | WorkspaceRecord, context: RequestContext) {
  const above = 'project' in record ? context.store.directory.projects.get(record.project ?? '') : undefined
  const own = bindingsOf(record)
  const inherited = above === undefined ? [] : Object.entries(bindingsOf(above))
  const documents = documentsOf('effective-tag-bindings', {
    id: record.id,
    kept: { [TAG_BINDINGS]: { ...Object.fromEntries(inherited), ...own } },
  })
  return documents.map(one =>
    Object.hasOwn(own, String(one.attributes?.key))
      ? one
      : { ...one, links: { 'inherited-from': `/api/v2/projects/${above?.id}` } },
  )
}

export const list = (documents: readonly ResourceDocument[], context: RequestContext): Reply => {
  const { items, links, meta } = pageOf(documents, context)
  return answered({ data: items, links, meta })
}

/** The bindings in a request body. */
export function namedBindings(data: unknown): Bindings {
  if (!Array.isArray(data)) return {}
  const pairs = data.flatMap((one: unknown) => {
    const { key, value } = isObject(one) && isObject(one.attributes) ? one.attributes : {}
    return typeof key === 'string' ? [[key, typeof value === 'string' ? value : ''] as const] : []
  })
  return Object.fromEntries(pairs)
}

function bindingsOf({ kept }: Tagged): Bindings {
  const bindings = kept?.[TAG_BINDINGS]
  if (!isObject(bindings)) return {}
  return Object.fromEntries(
    Object.entries(bindings).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  )
}

const documentsOf = (type: string, record: Tagged): ResourceDocument[] =>
  Object.entries(bindingsOf(record)).map(([key, value]) => ({
    ...reference(type, `${record.id}-${key}`),
    attributes: { key, value },
  }))
