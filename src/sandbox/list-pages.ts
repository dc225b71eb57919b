import type { Pagination } from '../wire/documents.ts'
import type { Server } from './profile.ts'
import type { SetRecord } from './records.ts'
import { answered, invalid, type ParsedRequest, type Reply, type RequestContext } from './route.ts'
import { LIMITS } from './service-limits.ts'
import type { Store } from './store.ts'

/** Unicode code point order, which the service uses for names (docs/service.md 13); `<` compares UTF-16 units. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const left = one.charCodeAt(index)
    const right = other.charCodeAt(index)
    if (left !== right) return rankOf(left) - rankOf(right)
  }
  return one.length - other.length
}

/** Surrogates encode code points above every single unit. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}

/** Sets in the order of lists, which the interface does not define. */
export function inListOrder(ids: Iterable<string>, context: RequestContext): SetRecord[] {
  const sets = [...ids].flatMap(id => context.listed.sets.get(id) ?? [])
  const isByName = context.server.listOrder === 'name'
  const keyOf = (set: SetRecord) => (isByName ? set.name : set.updatedAt)
  return sets.sort(
    (one, other) => compareCodePoints(keyOf(one), keyOf(other)) || compareCodePoints(one.id, other.id),
  )
}

const ordered = new WeakMap<
  Store,
  Map<string, { readonly revision: number; readonly sets: readonly SetRecord[] }>
>()

/** All sets of an organization in list order, sorted once per state. */
export function allInListOrder(organization: string, context: RequestContext): readonly SetRecord[] {
  const { listed } = context
  const known = ordered.get(listed) ?? new Map()
  ordered.set(listed, known)
  const last = known.get(organization)
  if (last?.revision === listed.revision) return last.sets
  const sets = inListOrder(listed.setsOf(organization), context)
  known.set(organization, { revision: listed.revision, sets })
  return sets
}

/** What the form of a list depends on. */
type ListRequest = Pick<RequestContext, 'call' | 'server'>

interface ListPage<T> {
  readonly items: readonly T[]
  /** docs/service.md 2.3. */
  readonly meta: { readonly pagination: Pagination }
  readonly links: Readonly<Record<string, string | null>>
}

/** A page past the end is empty, with the requested number, the last page before it, and the true total (docs/service.md 9.4). */
export function pageOf<T>(all: readonly T[], asked: ListRequest): ListPage<T> {
  const size = pageSize(asked)
  const number = positive(asked.call, 'page[number]') ?? 1
  const pages = Math.max(1, Math.ceil(all.length / size))
  const previous = number > 1 ? Math.min(number - 1, pages) : null
  const next = number < pages ? number + 1 : null
  const link = (page: number) => linkTo(asked, { 'page[number]': page, 'page[size]': size })
  return {
    items: all.slice((number - 1) * size, number * size),
    meta: {
      pagination: {
        'current-page': number,
        'page-size': size,
        'prev-page': previous,
        'next-page': next,
        'total-pages': pages,
        'total-count': all.length,
      },
    },
    links: {
      self: link(number),
      first: link(1),
      prev: previous === null ? null : link(previous),
      next: next === null ? null : link(next),
      last: link(pages),
    },
  }
}

/** One page of a list of places or organizations, each record as its document. */
export function pagedReply<T>(
  all: readonly T[],
  document: (record: T, context: RequestContext) => unknown,
  context: RequestContext,
): Reply {
  const { items, rest } = pageFor('places', all, context)
  return answered({ data: items.map(record => document(record, context)), ...rest })
}

type ListKind = 'sets' | 'variables' | 'places'

/** How a list tells its pages, if it has any. */
interface ListForm {
  readonly whole?: true
  readonly links?: true
  readonly meta?: 'complete' | 'no-size'
}

const COUNTED: ListForm = { links: true, meta: 'complete' }

function formOf(kind: ListKind, { call, server }: ListRequest): ListForm {
  switch (kind) {
    case 'sets':
      return server.setLists === 'counted' ? COUNTED : { whole: true }
    case 'places':
      return server.placeLists === 'counted' ? COUNTED : { meta: 'no-size' }
    case 'variables':
      return variableForm(
        server,
        Object.keys(call.query).some(name => name.startsWith('page[')),
      )
  }
}

function variableForm({ variableLists }: Server, isPaged: boolean): ListForm {
  switch (variableLists) {
    case 'whole':
      return isPaged ? { links: true } : { whole: true, links: true }
    case 'counted':
      return COUNTED
    case 'linked':
      return { links: true }
    case 'bare':
      return { whole: true }
  }
}

/** What a list shows of its records, and beside them. */
export function pageFor<T>(kind: ListKind, all: readonly T[], asked: ListRequest) {
  const form = formOf(kind, asked)
  if (form.whole) return { items: all, rest: form.links && { links: wholeLinks(asked) } }
  const { items, links, meta } = pageOf(all, asked)
  const { 'page-size': _, ...unsized } = meta.pagination
  return {
    items,
    rest: {
      ...(form.links && { links }),
      ...(form.meta && { meta: form.meta === 'complete' ? meta : { pagination: unsized } }),
    },
  }
}

/** The links of a list that is never paged. */
export function wholeLinks(asked: ListRequest): Readonly<Record<string, string | null>> {
  const self = `${linkBase(asked)}${asked.call.path}`
  return { self, first: self, prev: null, next: null, last: self }
}

/** Where foreign links lead. No client may follow them. */
const FOREIGN_BASE = 'https://elsewhere.invalid'

export function linkBase({ call, server }: ListRequest): string {
  return server.links === 'own' ? call.base : FOREIGN_BASE
}

const pageSize = ({ call, server }: ListRequest): number =>
  Math.min(positive(call, 'page[size]') ?? LIMITS.defaultPageSize, server.largestPage)

function positive(call: ParsedRequest, name: string): number | undefined {
  const text = call.query[name]
  if (text === undefined || text === '') return undefined
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw wrongParameter(name, `${name} must be a number from 1 up`)
  return Number(text)
}

const wrongParameter = (parameter: string, detail: string) =>
  invalid({ title: 'invalid parameter', detail, parameter })

/** Brackets in parameter names travel percent-encoded (docs/service.md 3). */
function linkTo(asked: ListRequest, page: Readonly<Record<string, number>>): string {
  const query = Object.entries({ ...asked.call.query, ...page })
    .map(([name, value]) => `${encodeText(name)}=${encodeText(String(value))}`)
    .join('&')
  return `${linkBase(asked)}${asked.call.path}?${query}`
}

/** A lone surrogate has no percent-encoding; it becomes the replacement character. */
const encodeText = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
