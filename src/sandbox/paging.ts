import type { Pagination } from '../wire/documents.ts'
import type { Call } from './call.ts'
import { FOREIGN_BASE, LIMITS } from './limits.ts'
import type { Profile } from './profile.ts'
import { invalid } from './refusal.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** Interface 2.3. */
  readonly meta: { readonly pagination: Pagination }
  readonly links: Readonly<Record<string, string | null>>
}

/** A page past the end is empty, with the number that was asked for and the true total (docs/service.md 9.4). */
export function pageOf<T>(all: readonly T[], call: Call, profile: Profile): Page<T> {
  const size = pageSize(call, profile)
  const number = positive(call, 'page[number]') ?? 1
  const pages = Math.max(1, Math.ceil(all.length / size))
  const previous = number > 1 && number <= pages ? number - 1 : null
  const next = number < pages ? number + 1 : null
  const link = (page: number) => linkTo(call, profile, { 'page[number]': page, 'page[size]': size })
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

/**
 * How a list of variables is shown, in the parts of its document. The interface (docs/service.md 2.3, 4.9) has links and no `meta` there,
 * and says nothing of parameters; the `listVariables` axis has what services make of that.
 */
export function variablePage<T>(
  all: readonly T[],
  call: Call,
  profile: Profile,
): Pick<Page<T>, 'items'> & { readonly rest: Partial<Pick<Page<T>, 'links' | 'meta'>> } {
  const form = profile.listVariables
  if (form === 'refuse' && Object.keys(call.query).some(name => name.startsWith('page[')))
    throw wrongParameter('page', 'this list takes no page parameters')
  if (form === 'refuse' || form === 'whole') return { items: all, rest: { links: wholeLinks(call, profile) } }
  const { 'page[size]': _, ...unsized } = call.query
  const asked = form === 'pages-20' ? { ...call, query: unsized } : call
  const { items, links, meta } = pageOf(all, asked, profile)
  return {
    items,
    rest: {
      ...(form === 'pages-meta' || form === 'pages-bare' ? {} : { links }),
      ...(form === 'pages-meta' || form === 'pages-both' ? { meta } : {}),
    },
  }
}

/** Links of a list that is never split. */
export function wholeLinks(call: Call, profile: Profile): Readonly<Record<string, string | null>> {
  const self = `${linkBase(call, profile)}${call.path}`
  return { self, first: self, prev: null, next: null, last: self }
}

export function linkBase(call: Call, profile: Profile): string {
  if (profile.links === 'absolute') return call.base
  return profile.links === 'relative' ? '' : FOREIGN_BASE
}

function pageSize(call: Call, profile: Profile): number {
  const asked = positive(call, 'page[size]') ?? LIMITS.defaultPageSize
  const maximum = profile.pageSize.endsWith('-100') ? LIMITS.maximumPageSize : LIMITS.smallPageSize
  if (asked > maximum && profile.pageSize.startsWith('refuse')) {
    throw wrongParameter('page[size]', `page[size] must not be above ${maximum}`)
  }
  return Math.min(asked, maximum)
}

function positive(call: Call, name: string): number | undefined {
  const text = call.query[name]
  if (text === undefined || text === '') return undefined
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw wrongParameter(name, `${name} must be a number from 1 up`)
  return Number(text)
}

const wrongParameter = (parameter: string, detail: string) =>
  invalid({ title: 'invalid parameter', detail, parameter })

/** Brackets in parameter names travel percent-encoded (docs/service.md 3). */
function linkTo(call: Call, profile: Profile, page: Readonly<Record<string, number>>): string {
  const query = Object.entries({ ...call.query, ...page })
    .map(([name, value]) => `${encodeText(name)}=${encodeText(String(value))}`)
    .join('&')
  return `${linkBase(call, profile)}${call.path}?${query}`
}

/** A lone surrogate has no percent-encoding; it becomes the replacement character. */
const encodeText = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
