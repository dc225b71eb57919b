import pLimit from 'p-limit'
import { byKey, type DecodedVariables, decodeVariables } from './decode-variable.ts'
import { countOf, isMembers, listOf, type Members, membersOf } from './document.ts'
import type { Query } from './encode.ts'
import { IncompleteListingError, isStatus, MalformedAnswerError } from './errors.ts'
import type { PageRequest } from './reader.ts'

/** One page of a list, with what the service says about the whole (docs/service.md 2.3). */
export interface Page<T> {
  readonly entries: readonly T[]
  readonly number: number
  /** The size that came back, which need not be the one asked for (docs/fault-model.md F-32). */
  readonly size: number
  readonly totalPages: number
  readonly totalCount: number
}

export function decodePage<T>(
  document: Members,
  asked: number,
  decode: (value: unknown, at: string) => T,
): Page<T> {
  const at = 'meta/pagination'
  const pagination = membersOf(membersOf(document.meta, 'meta').pagination, at)
  const number = countOf(pagination, 'current-page', at)
  if (number !== asked)
    throw new MalformedAnswerError(`${at}/current-page is ${number}, and page ${asked} was asked for`)
  const totalCount = countOf(pagination, 'total-count', at)
  const size = countOf(pagination, 'page-size', at)
  if (size === 0 && totalCount > 0) throw new MalformedAnswerError(`${at}/page-size is 0`)
  return {
    entries: listOf(document.data, 'data').map((value, index) => decode(value, `data/${index}`)),
    number,
    size,
    totalPages: countOf(pagination, 'total-pages', at),
    totalCount,
  }
}

/** A list as one pass over its pages showed it. */
interface Listing<T> {
  readonly entries: readonly T[]
  readonly pages: number
}

/** A pass that contradicts itself: the list moved under us, or the service does not show it whole. */
export class InconsistentListError extends Error {
  override readonly name = 'MovedError'
}

export type ReadPage<T> = (page: PageRequest) => Promise<Page<T>>

/** The known real service's maximum; a smaller one is learnt from the first answer (docs/fault-model.md F-32). */
export const LARGEST_PAGE = 100
const PAGES_AT_ONCE = 8
/** A million entries at the largest size: whoever claims more is wrong, and would keep us busy for ever. */
const MOST_PAGES = 10_000
/** How often a list is read in all before we give up on it (docs/fault-model.md F-30). */
export const MOST_PASSES = 5

/**
 * One pass: the first page says how many there are, the others are read side by side. Throws a `InconsistentListError` unless every
 * page gives the same totals, no id comes twice, and the pages together hold as many entries as the service counts.
 */
export async function readPages<T>(read: ReadPage<T>, idOf: (entry: T) => string): Promise<Listing<T>> {
  const first = await readFirstPage(read)
  const checked = (page: Page<T>): Page<T> => {
    if (page.totalCount !== first.totalCount || page.size !== first.size)
      throw new InconsistentListError('the totals changed from page to page')
    const due = Math.max(0, Math.min(page.size, page.totalCount - (page.number - 1) * page.size))
    // Known with this page: what a false count promises is never asked for.
    if (page.entries.length !== due)
      throw new InconsistentListError(
        `page ${page.number} holds ${page.entries.length} entries, and ${due} belong there`,
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
  if (ids.size !== entries.length) throw new InconsistentListError('an entry stands on two pages')
  if (ids.size !== first.totalCount)
    throw new InconsistentListError(
      `${ids.size} entries were listed, and the service counts ${first.totalCount}`,
    )
  return { entries, pages: pages.length }
}

/** A service may refuse the size instead of clamping it; then its own choice has to do. */
async function readFirstPage<T>(read: ReadPage<T>): Promise<Page<T>> {
  try {
    return await read({ number: 1, size: LARGEST_PAGE })
  } catch (error) {
    if (!isStatus(error, 400, 422)) throw error
    return await read({ number: 1, size: undefined })
  }
}

/** Never less than the count asks for, and at most one page more, whatever `total-pages` says (docs/fault-model.md F-31). */
function numbersAfterFirst({ totalCount, totalPages, size }: Page<unknown>): number[] {
  const needed = size === 0 ? 1 : Math.max(1, Math.ceil(totalCount / size))
  if (needed > MOST_PAGES) throw new InconsistentListError(`the service counts ${totalCount} entries`)
  const pages = Math.min(Math.max(totalPages, needed), needed + 1)
  return Array.from({ length: pages - 1 }, (_, index) => index + 2)
}

/** Repeats a pass that contradicts itself, up to `MOST_PASSES` in all. Rejects with an `IncompleteListingError`. */
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

/** As `Promise.all` over `map`, with at most `most` under way. After the first rejection nothing new is started. */
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

/** One page of a list of variables. The interface shows `links.next` alone; services page in other ways as well. */
export interface VariablesPage extends DecodedVariables {
  /** The parameters of the next page, by its link or its number; `none`: this is said to be the last; `unsaid`: neither. */
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
      : countOf(pagination, name, 'meta/pagination')
  const totalCount = count('total-count')
  const number = count('next-page')
  const byNumber = number === undefined ? undefined : { [NUMBER]: String(number) }
  const byLink = typeof linked === 'string' ? pageParameters(linked) : undefined
  const silent = linked === undefined && pagination === undefined
  return {
    ...decoded,
    next: byLink ?? byNumber ?? (silent ? 'unsaid' : 'none'),
    ...(totalCount === undefined ? {} : { totalCount }),
  }
}

/** A link may name another host or path, behind a proxy or by malice: only what it says of pages is used. */
function pageParameters(link: string): Query {
  const query = link.slice(link.indexOf('?') + 1).replace(/#.*$/s, '')
  return Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => name.startsWith('page[')))
}

const NUMBER = 'page[number]'
const SIZE = { 'page[size]': String(LARGEST_PAGE) }
/** What a service shows that pages without being asked to (docs/service.md 7). A shorter list without a word is whole. */
const USUAL_PAGE = 20
/** Far more variables than a set can hold; whoever announces more would keep us busy for ever. */
const MOST_VARIABLE_PAGES = 1000

/**
 * A list of variables to its end. `count`: how many there are, where something else says so; a total in the list itself
 * counts more. Costs one request a page, and one more where the service refuses the size, or does not say whether a list
 * of 20 or more goes on. Throws a `InconsistentListError` where the pages contradict each other or the count.
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
      throw new InconsistentListError('the service refuses a page that it announces')
    if (next === undefined) break
    for (const variable of next.variables) variables.set(variable.id, variable)
    for (const variable of next.foreignVariables) foreign.set(variable.id, variable)
    const fresh = variables.size + foreign.size - known
    const length = next.variables.length + next.foreignVariables.length
    // A service that knows no pages shows the whole list again, also where it announces them.
    if (fresh === 0 && (!announced || known === total)) break
    if (fresh < length) throw new InconsistentListError('a variable stands on two pages')
    page = next
  }
  const known = variables.size + foreign.size
  const total = page.totalCount ?? count
  if (total !== undefined && total !== known)
    throw new InconsistentListError(`${known} variables were listed, and the service counts ${total}`)
  return {
    variables: [...variables.values()].sort(byKey),
    foreignVariables: [...foreign.values()].sort(byKey),
  }
}

/** The interface has no parameters there: a service that refuses the size is asked without. */
async function readFirst(
  read: (query: Query) => Promise<VariablesPage>,
): Promise<{ readonly first: VariablesPage; readonly size: Query }> {
  const sized = await unlessRefused(read(SIZE))
  return sized === undefined ? { first: await read({}), size: {} } : { first: sized, size: SIZE }
}

async function unlessRefused(reading: Promise<VariablesPage>): Promise<VariablesPage | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isStatus(error, 400, 422)) return undefined
    throw error
  }
}
