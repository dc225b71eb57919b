import pLimit from 'p-limit'
import { IncompleteListingError, isStatus } from './errors.ts'
import type { Page } from './page.ts'
import type { PageRequest } from './reader.ts'

/** A list as one pass over its pages showed it. */
export interface Listing<T> {
  readonly entries: readonly T[]
  readonly pages: number
}

/** A pass that contradicts itself: the list moved under us, or the service does not show it whole. */
export class MovedError extends Error {
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
 * One pass: the first page says how many there are, the others are read side by side. Throws a `MovedError` unless every
 * page gives the same totals, no id comes twice, and the pages together hold as many entries as the service counts.
 */
export async function readPages<T>(read: ReadPage<T>, idOf: (entry: T) => string): Promise<Listing<T>> {
  const first = await readFirstPage(read)
  const checked = (page: Page<T>): Page<T> => {
    if (page.totalCount !== first.totalCount || page.size !== first.size)
      throw new MovedError('the totals changed from page to page')
    const due = Math.max(0, Math.min(page.size, page.totalCount - (page.number - 1) * page.size))
    // Known with this page: what a false count promises is never asked for.
    if (page.entries.length !== due)
      throw new MovedError(
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
  if (ids.size !== entries.length) throw new MovedError('an entry stands on two pages')
  if (ids.size !== first.totalCount)
    throw new MovedError(`${ids.size} entries were listed, and the service counts ${first.totalCount}`)
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
  if (needed > MOST_PAGES) throw new MovedError(`the service counts ${totalCount} entries`)
  const pages = Math.min(Math.max(totalPages, needed), needed + 1)
  return Array.from({ length: pages - 1 }, (_, index) => index + 2)
}

/** Repeats a pass that contradicts itself, up to `MOST_PASSES` in all. Rejects with an `IncompleteListingError`. */
export async function untilWhole<T>(pass: () => Promise<T>): Promise<T> {
  for (let passes = 1; ; passes++) {
    try {
      return await pass()
    } catch (error) {
      if (!(error instanceof MovedError)) throw error
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
