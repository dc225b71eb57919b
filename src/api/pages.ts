import pLimit from 'p-limit'
import { isObject } from '../model/json.ts'
import { byKey, type DecodedVariables, decodeVariables } from './decode-variable.ts'
import { countOf, listOf, type Members, membersOf } from './document.ts'
import type { Query } from './encode.ts'
import { IncompleteListingError, MalformedResponseError, unlessStatus } from './errors.ts'

/** `size` undefined leaves the choice to the service, which takes 20 (docs/service.md 7). */
export interface PageRequest {
  readonly number: number
  readonly size: number | undefined
}

/** One page of a list, with what the service says about the whole list (docs/service.md 2.3). */
export interface CountedPage<T> {
  readonly entries: readonly T[]
  readonly number: number
  /** The actual size, which may differ from the requested one (docs/fault-model.md F-32). */
  readonly size: number
  readonly totalPages: number
  readonly totalCount: number
}

/** A page of a service that says nothing about the whole list (docs/service.md 15.14). */
interface BarePage<T> {
  readonly entries: readonly T[]
  readonly totalCount?: undefined
}

export type Page<T> = CountedPage<T> | BarePage<T>

/** Page data are there or not. A part of them is an error, because it shows that something is missing. */
export function decodePage<T>(
  document: Members,
  asked: PageRequest,
  decode: (value: unknown, at: string) => T,
): Page<T> {
  const entries = listOf(document.data, 'data').map((value, index) => decode(value, `data[${index}]`))
  const at = 'meta.pagination'
  const found = isAbsent(document.meta) ? undefined : membersOf(document.meta, 'meta').pagination
  if (isAbsent(found)) {
    if (isObject(document.links) && typeof document.links.next === 'string')
      throw new MalformedResponseError(`links.next announces another page, but ${at} is missing`)
    return { entries }
  }
  const pagination = membersOf(found, at)
  const number = countOf(pagination, 'current-page', at)
  if (number !== asked.number)
    throw new MalformedResponseError(`${at}.current-page is ${number} instead of ${asked.number}`)
  const totalCount = countOf(pagination, 'total-count', at)
  const size = isAbsent(pagination['page-size']) ? sizeOf(asked) : countOf(pagination, 'page-size', at)
  if (size === 0 && totalCount > 0) throw new MalformedResponseError(`${at}.page-size is 0`)
  return { entries, number, size, totalPages: countOf(pagination, 'total-pages', at), totalCount }
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

/** The page size of a service that pages unasked (docs/service.md 7). */
const USUAL_PAGE = 20

const sizeOf = ({ size = USUAL_PAGE }: PageRequest): number => size

/** A list as one pass over its pages shows it. */
export interface Listing<T> {
  readonly entries: readonly T[]
  readonly pages: number
}

/** A pass that contradicts itself: the list changed in between, or the service does not show all of it. */
export class InconsistentListError extends Error {
  override readonly name: string = 'InconsistentListError'
}

/** A list without page data of which nothing shows that it is complete. */
export class UnprovenListError extends InconsistentListError {
  override readonly name = 'UnprovenListError'
}

export type ReadPage<T> = (page: PageRequest) => Promise<Page<T>>

/** The maximum of the known real service. The first response reports a smaller one (docs/fault-model.md F-32). */
const LARGEST_PAGE = 100
const PAGES_AT_ONCE = 8
/** A million entries at the largest size. A service that claims more would keep a run busy for ever. */
const MOST_PAGES = 10_000
/** How often a list is read before the run gives up (docs/fault-model.md F-30). */
export const MOST_PASSES = 5

/** One pass over all pages. Throws an `InconsistentListError` unless they prove that they are the whole list. */
export async function readPages<T>(read: ReadPage<T>, idOf: (entry: T) => string): Promise<Listing<T>> {
  const { first, asked } = await readFirstPage(read)
  return first.totalCount === undefined ? readBare(first, asked, read, idOf) : readCounted(first, read, idOf)
}

/** A service may refuse the size instead of reducing it. Then it chooses the size itself. */
export async function readFirstPage<T>(
  read: ReadPage<T>,
): Promise<{ readonly first: Page<T>; readonly asked: PageRequest }> {
  const sized = { number: 1, size: LARGEST_PAGE }
  const first = await unlessStatus(read(sized), 400, 422)
  if (first !== undefined) return { first, asked: sized }
  const unsized = { number: 1, size: undefined }
  return { first: await read(unsized), asked: unsized }
}

/**
 * The first page has the number of pages, the others are read in parallel. All pages must have the same totals, no id may be a
 * duplicate, and the pages must have as many entries as the service counts.
 */
async function readCounted<T>(
  first: CountedPage<T>,
  read: ReadPage<T>,
  idOf: (entry: T) => string,
): Promise<Listing<T>> {
  const checked = (page: Page<T>): CountedPage<T> => {
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

/**
 * A list without page data is whole if it has more entries than requested, or if page 2 repeats it: then the service has no pages. An
 * empty page 2 proves nothing, because the service may have reduced the size of the first page only.
 */
async function readBare<T>(
  first: BarePage<T>,
  asked: PageRequest,
  read: ReadPage<T>,
  idOf: (entry: T) => string,
): Promise<Listing<T>> {
  const ids = first.entries.map(idOf)
  if (new Set(ids).size !== ids.length) throw new InconsistentListError('an entry is listed twice')
  const listing = { entries: first.entries, pages: 1 }
  if (ids.length > sizeOf(asked)) return listing
  const second = await unlessStatus(read({ ...asked, number: 2 }), 400, 404, 422)
  const isRepeated =
    second?.totalCount === undefined && second?.entries.map(idOf).sort().join() === ids.sort().join()
  if (!isRepeated)
    throw new UnprovenListError(
      'the service sends no page data (meta.pagination), and its second page does not repeat the first one',
    )
  return listing
}

/** As many pages as the count needs, and at most one more, whatever `total-pages` says (docs/fault-model.md F-31). */
function numbersAfterFirst({ totalCount, totalPages, size }: CountedPage<unknown>): number[] {
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
      if (passes === MOST_PASSES)
        throw new IncompleteListingError(error.message, passes, error instanceof UnprovenListError)
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
  const linked = isObject(links) ? links.next : undefined
  const pagination = isObject(meta) && isObject(meta.pagination) ? meta.pagination : undefined
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
/** Far more pages than a set can fill. A service that announces more would keep a run busy for ever. */
const MOST_VARIABLE_PAGES = 1000

/**
 * Reads all pages of a list of variables. `count` is how many the set has by its `var-count`, if it says so. Takes one request per
 * page, and one more if the service does not tell whether a list of 20 or more is complete. Throws an `InconsistentListError` if the
 * pages contradict each other, their total, or `count`.
 */
export async function readVariables(
  read: (query: Query) => Promise<VariablesPage>,
  count?: number,
): Promise<DecodedVariables> {
  const list = new VariableList(await read(SIZE), count)
  for (let number = 2; list.announcesMore || list.isDoubtful; number++) {
    if (number > MOST_VARIABLE_PAGES)
      throw new InconsistentListError(`more than ${MOST_VARIABLE_PAGES} pages of variables`)
    if (!list.add(await read({ ...SIZE, [NUMBER]: String(number), ...list.next }))) break
  }
  return list.whole()
}

/** The variables of the pages so far. */
class VariableList {
  readonly #variables = new Map<string, DecodedVariables['variables'][number]>()
  readonly #foreign = new Map<string, DecodedVariables['foreignVariables'][number]>()
  readonly #count: number | undefined
  #page: VariablesPage

  constructor(first: VariablesPage, count: number | undefined) {
    this.#count = count
    this.#page = first
    this.#take(first)
  }

  get #known(): number {
    return this.#variables.size + this.#foreign.size
  }

  get #total(): number | undefined {
    return this.#page.totalCount ?? this.#count
  }

  /** The parameters of an announced page. */
  get next(): Query {
    return typeof this.#page.next === 'object' ? this.#page.next : {}
  }

  get announcesMore(): boolean {
    return typeof this.#page.next === 'object'
  }

  /** A list without page data that is shorter than the usual page is complete. */
  get isDoubtful(): boolean {
    if (this.#total !== undefined) return this.#known < this.#total
    return this.#page.next === 'unsaid' && this.#known >= USUAL_PAGE
  }

  /** Returns whether the page was a further one: a service without pages shows the whole list again, even if it announces pages. */
  add(page: VariablesPage): boolean {
    const before = this.#known
    const wasComplete = !this.announcesMore || before === this.#total
    this.#take(page)
    const fresh = this.#known - before
    if (fresh === 0 && wasComplete) return false
    if (fresh < page.variables.length + page.foreignVariables.length)
      throw new InconsistentListError('a variable is on two pages')
    this.#page = page
    return true
  }

  #take({ variables, foreignVariables }: VariablesPage): void {
    for (const variable of variables) this.#variables.set(variable.id, variable)
    for (const variable of foreignVariables) this.#foreign.set(variable.id, variable)
  }

  /** All variables, if they are as many as the list and the set count. */
  whole(): DecodedVariables {
    const known = this.#known
    const other = [this.#page.totalCount, this.#count].find(total => total !== undefined && total !== known)
    if (other !== undefined)
      throw new InconsistentListError(`the service lists ${known} variables and counts ${other}`)
    return {
      variables: [...this.#variables.values()].sort(byKey),
      foreignVariables: [...this.#foreign.values()].sort(byKey),
    }
  }
}
