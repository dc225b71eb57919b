import { byKey, type DecodedVariables, decodeVariables } from './decode-variable.ts'
import { countOf, isMembers, listOf, type Members } from './document.ts'
import { isStatus } from './errors.ts'
import { LARGEST_PAGE, MovedError } from './pages.ts'
import type { Query } from './request.ts'

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
const MOST_PAGES = 1000

/**
 * A list of variables to its end. `count`: how many there are, where something else says so; a total in the list itself
 * counts more. Costs one request a page, and one more where the service refuses the size, or does not say whether a list
 * of 20 or more goes on. Throws a `MovedError` where the pages contradict each other or the count.
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
    if (number > MOST_PAGES) throw new MovedError(`more than ${MOST_PAGES} pages of variables`)
    const known = variables.size + foreign.size
    const total = page.totalCount ?? count
    const announced = typeof page.next === 'object'
    const doubtful = total === undefined ? page.next === 'unsaid' && known >= USUAL_PAGE : known < total
    if (!announced && !doubtful) break
    const query = { ...size, [NUMBER]: String(number), ...(typeof page.next === 'object' ? page.next : {}) }
    const next = await unlessRefused(read(query))
    if (next === undefined && announced) throw new MovedError('the service refuses a page that it announces')
    if (next === undefined) break
    for (const variable of next.variables) variables.set(variable.id, variable)
    for (const variable of next.foreignVariables) foreign.set(variable.id, variable)
    const fresh = variables.size + foreign.size - known
    const length = next.variables.length + next.foreignVariables.length
    // A service that knows no pages shows the whole list again, also where it announces them.
    if (fresh === 0 && (!announced || known === total)) break
    if (fresh < length) throw new MovedError('a variable stands on two pages')
    page = next
  }
  const known = variables.size + foreign.size
  const total = page.totalCount ?? count
  if (total !== undefined && total !== known)
    throw new MovedError(`${known} variables were listed, and the service counts ${total}`)
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
