import pLimit from 'p-limit'
import { byKey, type DecodedVariables, decodeVariables } from './decode-variable.ts'
import { countOf, isMembers, listOf, type Members, membersOf } from './document.ts'
import type { Query } from './encode.ts'
import { IncompleteListingError, MalformedResponseError, unlessStatus } from './errors.ts'

/** `size` undefined leaves the choice to the service, which takes 20 (docs/service.md 7). */
export interface PageRequest {
  readonly number: number
  readonly size: number | undefined
}

/** One page of a list, with what the service says about the whole list (docs/service.md 2.3). */
export interface Page<T> {
  readonly entries: readonly T[]
  readonly number: number
  /** The actual size, which may differ from the requested one (docs/fault-model.md F-32). */
  readonly size: number
  readonly totalPages: number
  readonly totalCount: number
}

export function decodePage<T>(
  document: Members,
  asked: number,
  decode: (value: unknown, at: string) => T,
): Page<T> {
  const at = 'meta.pagination'
  const pagination = membersOf(membersOf(document.meta, 'meta').pagination, at)
  const number = countOf(pagination, 'current-page', at)
  if (number !== asked)
    throw new MalformedResponseError(`${at}.current-page is ${number} instead of ${asked}`)
  const totalCount = countOf(pagination, 'total-count', at)
  const size = countOf(pagination, 'page-size', at)
  if (size === 0 && totalCount > 0) throw new MalformedResponseError(`${at}.page-size is 0`)
  return {
    entries: listOf(document.data, 'data').map((value, index) => decode(value, `data[${index}]`)),
    number,
    size,
    totalPages: countOf(pagination, 'total-pages', at),
    totalCount,
  }
}

/** A list as one pass over its pages shows it. */
export interface Listing<T> {
  readonly entries: readonly T[]
  readonly pages: number
}

/** A pass that contradicts itself: the list changed in between, or the service does not show all of it. */
export class InconsistentListError extends Error {
  override readonly name = 'InconsistentListError'
}

export type ReadPage<T> = (page: PageRequest) => Promise<Page<T>>

/** The maximum of the known real service. The first response reports a smaller one (docs/fault-model.md F-32). */
export const LARGEST_PAGE = 100
const PAGES_AT_ONCE = 8
/** A million entries at the largest size. A service that claims more would keep a run busy for ever. */
const MOST_PAGES = 10_000
/** How often a list is read before the run gives up (docs/fault-model.md F-30). */
export const MOST_PASSES = 5

/**
 * One pass: the first page has the number of pages, the others are read in parallel. Throws an `InconsistentListError` unless all pages
 * have the same totals, no id is a duplicate, and the pages have as many entries as the service counts.
 */
export async function readPages<T>(read: ReadPage<T>, idOf: (entry: T) => string): Promise<Listing<T>> {
  const first = await readFirstPage(read)
  const checked = (page: Page<T>): Page<T> => {
    if (page.totalCount !== first.totalCount || page.size !== first.size)
      throw new InconsistentListError('the totals differ from page to page')
    const due = Math.max(0, Math.min(page.size, page.totalCount - (page.number - 1) * page.size))
    // Checked for each page at once, so that a false count causes no further requests.
    if (page.entries.length !== due)
      throw new InconsistentListError(
        `page ${page.number} has ${page.entries.length} entries instead of ${due}`,
      )
    return page
  }
  checked(first)
  const others = await mapBounded(numbersAfterFirst(first), PAGES_AT_ONCE, async number =>
    checked(await read({ number, size: first.size })),
  )
  const pages = [first, ...others]
  const entries = pages.flatMap(page => page.entries)
  const ids = new Set(entries.map(idOf))
  if (ids.size !== entries.length) throw new InconsistentListError('an entry is on two pages')
  if (ids.size !== first.totalCount)
    throw new InconsistentListError(`the service lists ${ids.size} entries and counts ${first.totalCount}`)
  return { entries, pages: pages.length }
}

/** A service may refuse the size instead of reducing it. Then it chooses the size itself. */
const readFirstPage = async <T>(read: ReadPage<T>): Promise<Page<T>> =>
  (await unlessRefused(read({ number: 1, size: LARGEST_PAGE }))) ?? read({ number: 1, size: undefined })

/** As many pages as the count needs, and at most one more, whatever `total-pages` says (docs/fault-model.md F-31). */
function numbersAfterFirst({ totalCount, totalPages, size }: Page<unknown>): number[] {
  const needed = size === 0 ? 1 : Math.max(1, Math.ceil(totalCount / size))
  if (needed > MOST_PAGES) throw new InconsistentListError(`the service counts ${totalCount} entries`)
  const pages = Math.min(Math.max(totalPages, needed), needed + 1)
  return Array.from({ length: pages - 1 }, (_, index) => index + 2)
}

/** Repeats an inconsistent pass, up to `MOST_PASSES` in total. Rejects with an `IncompleteListingError`. */
export async function untilConsistent<T>(pass: () => Promise<T>): Promise<T> {
  for (let passes = 1; ; passes++) {
    try {
      return await pass()
    } catch (error) {
      if (!(error instanceof InconsistentListError)) throw error
      if (passes === MOST_PASSES) throw new IncompleteListingError(error.message, passes)
    }
  }
}

/** Like `Promise.all` over `map`, with at most `most` at once. After the first rejection nothing new is started. */
export function mapBounded<T, R>(
  entries: readonly T[],
  most: number,
  act: (entry: T) => Promise<R>,
): Promise<R[]> {
  const limit = pLimit(most)
  return limit.map(entries, entry =>
    act(entry).catch(error => {
      limit.clearQueue()
      throw error
    }),
  )
}

/** One page of a list of variables. The interface has `links.next` only; services use other ways as well. */
export interface VariablesPage extends DecodedVariables {
  /** The parameters of the next page, by link or number. `none`: this is the last page. `unsaid`: the response does not tell. */
  readonly next: Query | 'none' | 'unsaid'
  readonly totalCount?: number
}

export function decodeVariablesPage(document: Members, tool: string): VariablesPage {
  const decoded = decodeVariables(listOf(document.data, 'data'), 'data', tool)
  const { links, meta } = document
  const linked = isMembers(links) ? links.next : undefined
  const pagination = isMembers(meta) && isMembers(meta.pagination) ? meta.pagination : undefined
  const count = (name: string): number | undefined =>
    pagination?.[name] === undefined || pagination[name] === null
      ? undefined
      : countOf(pagination, name, 'meta.pagination')
  const totalCount = count('total-count')
  const number = count('next-page')
  const byNumber = number === undefined ? undefined : { [NUMBER]: String(number) }
  const byLink = typeof linked === 'string' ? pageParameters(linked) : undefined
  const silent = linked === undefined && pagination === undefined
  return {
    ...decoded,
    next: byLink ?? byNumber ?? (silent ? 'unsaid' : 'none'),
    totalCount,
  }
}

/** Uses only the page parameters: a link may name another host or path, because of a proxy or by malice. */
function pageParameters(link: string): Query {
  const query = link.slice(link.indexOf('?') + 1).replace(/#.*$/s, '')
  return Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => name.startsWith('page[')))
}

const NUMBER = 'page[number]'
const SIZE = { 'page[size]': String(LARGEST_PAGE) }
/** The page size of a service that pages unasked (docs/service.md 7). A shorter list without page data is complete. */
const USUAL_PAGE = 20
/** Far more pages than a set can fill. A service that announces more would keep a run busy for ever. */
const MOST_VARIABLE_PAGES = 1000

/**
 * Reads all pages of a list of variables. `count` is the number of variables if it is known; a total in the list itself takes precedence.
 * Takes one request per page, and one more if the service refuses the size, or does not tell whether a list of 20 or more is complete.
 * Throws an `InconsistentListError` if the pages contradict each other or the count.
 */
export async function readVariables(
  read: (query: Query) => Promise<VariablesPage>,
  count?: number,
): Promise<DecodedVariables> {
  const { first, size } = await readFirst(read)
  const variables = new Map(first.variables.map(variable => [variable.id, variable]))
  const foreign = new Map(first.foreignVariables.map(variable => [variable.id, variable]))
  let page = first
  for (let number = 2; ; number++) {
    if (number > MOST_VARIABLE_PAGES)
      throw new InconsistentListError(`more than ${MOST_VARIABLE_PAGES} pages of variables`)
    const known = variables.size + foreign.size
    const total = page.totalCount ?? count
    const announced = typeof page.next === 'object'
    const doubtful = total === undefined ? page.next === 'unsaid' && known >= USUAL_PAGE : known < total
    if (!announced && !doubtful) break
    const query = { ...size, [NUMBER]: String(number), ...(typeof page.next === 'object' ? page.next : {}) }
    const next = await unlessRefused(read(query))
    if (next === undefined && announced)
      throw new InconsistentListError('the service refuses a page that it announced')
    if (next === undefined) break
    for (const variable of next.variables) variables.set(variable.id, variable)
    for (const variable of next.foreignVariables) foreign.set(variable.id, variable)
    const fresh = variables.size + foreign.size - known
    const length = next.variables.length + next.foreignVariables.length
    // A service without pages shows the whole list again, even if it announces pages.
    if (fresh === 0 && (!announced || known === total)) break
    if (fresh < length) throw new InconsistentListError('a variable is on two pages')
    page = next
  }
  const known = variables.size + foreign.size
  const total = page.totalCount ?? count
  if (total !== undefined && total !== known)
    throw new InconsistentListError(`the service lists ${known} variables and counts ${total}`)
  return {
    variables: [...variables.values()].sort(byKey),
    foreignVariables: [...foreign.values()].sort(byKey),
  }
}

/** The interface has no page parameters there. If the service refuses the size, the request is sent without it. */
async function readFirst(
  read: (query: Query) => Promise<VariablesPage>,
): Promise<{ readonly first: VariablesPage; readonly size: Query }> {
  const sized = await unlessRefused(read(SIZE))
  return sized === undefined ? { first: await read({}), size: {} } : { first: sized, size: SIZE }
}

const unlessRefused = <T>(reading: Promise<T>): Promise<T | undefined> => unlessStatus(reading, 400, 422)
