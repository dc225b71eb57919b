import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getRequest } from '../../src/api/encode.ts'
import { IncompleteListingError } from '../../src/api/errors.ts'
import {
  type CountedPage,
  InconsistentListError,
  type Page,
  readPages,
  UnprovenListError,
  untilConsistent,
} from '../../src/api/pages.ts'
import { createReader } from '../../src/api/reader.ts'
import { refusalOf } from '../../src/api/refusal.ts'
import type { ApiResponse } from '../../src/wire/transport.ts'
import { settled } from './live.ts'

const idOf = (id: string): string => id
const range = (from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => `id-${from + index}`)

/** Pages of `total` entries, `size` each. `totalPages` is the number that the service claims. */
const paged =
  (total: number, size: number, totalPages: number, asked: number[] = []) =>
  async ({ number }: { number: number }): Promise<Page<string>> => {
    asked.push(number)
    return {
      entries: range((number - 1) * size, Math.min(total, number * size)),
      number,
      size,
      totalPages,
      totalCount: total,
    }
  }

describe('reading all pages', () => {
  test.each([
    ['no entries', 0, 20, 0, [1]],
    ['no entries, on a page that is counted', 0, 20, 1, [1]],
    ['one page', 20, 20, 1, [1]],
    ['three pages', 45, 20, 3, [1, 2, 3]],
    ['three pages, and one announced', 45, 20, 1, [1, 2, 3]],
    ['three pages, and none announced', 45, 20, 0, [1, 2, 3]],
    ['three pages, and four announced', 45, 20, 4, [1, 2, 3, 4]],
    ['three pages, and a billion announced', 45, 20, 1_000_000_000, [1, 2, 3, 4]],
  ])('returns all entries: %s', async (_, total, size, totalPages, numbers) => {
    const asked: number[] = []
    const { entries, pages } = await readPages(paged(total, size, totalPages, asked), idOf)
    expect(entries).toEqual(range(0, total))
    expect(asked.sort()).toEqual(numbers)
    expect(pages).toBe(numbers.length)
  })

  test.each([
    ['the first page is empty', 100, Number.MAX_SAFE_INTEGER, 0],
    ['it is impossibly high', 1, 2 ** 40, 1],
    ['the second page is empty', 2, 1_000_000, 2],
  ])('stops early at a false count: %s', { tags: ['F-31'] }, async (_, size, totalCount, onFirst) => {
    const asked: number[] = []
    const read = async ({ number }: { number: number }): Promise<Page<string>> => {
      asked.push(number)
      const entries = number === 1 ? range(0, onFirst) : []
      return { entries, number, size, totalPages: 1, totalCount }
    }
    await expect(readPages(read, idOf)).rejects.toThrow(InconsistentListError)
    expect(asked.length).toBeLessThanOrEqual(9)
  })

  const base = { number: 1, size: 2, totalPages: 2, totalCount: 3 }
  test.each<[string, Page<string>, Page<string>]>([
    [
      'counts change',
      { ...base, entries: ['a', 'b'] },
      { ...base, number: 2, entries: ['c', 'd'], totalCount: 4 },
    ],
    ['sizes change', { ...base, entries: ['a', 'b'] }, { ...base, number: 2, entries: ['c'], size: 3 }],
    [
      'sizes change, and the entries agree with both',
      { ...base, entries: ['a', 'b'] },
      { ...base, number: 2, entries: ['c'], size: 1 },
    ],
    ['an entry comes twice', { ...base, entries: ['a', 'b'] }, { ...base, number: 2, entries: ['b'] }],
    [
      'counts change, and the entries agree with the first',
      { ...base, entries: ['a', 'b'] },
      { ...base, number: 2, entries: ['c'], totalCount: 4 },
    ],
    [
      'an entry comes twice, and the distinct entries match the count',
      { ...base, entries: ['a', 'b'] },
      { ...base, number: 2, entries: ['b', 'c'] },
    ],
    ['a page is short', { ...base, entries: ['a'] }, { ...base, number: 2, entries: ['c'] }],
    ['a page is empty', { ...base, entries: ['a', 'b'] }, { ...base, number: 2, entries: [] }],
    [
      'there are more entries than counted',
      { ...base, entries: ['a', 'b'] },
      { ...base, number: 2, entries: ['c', 'd'] },
    ],
  ])('fails if %s', async (_, first, second) => {
    await expect(readPages(async ({ number }) => (number === 1 ? first : second), idOf)).rejects.toThrow(
      InconsistentListError,
    )
  })

  test('ends after a bounded number of requests, whatever a hostile service returns', {
    tags: ['F-31'],
  }, async () => {
    const count = fc.nat({ max: 60 })
    const hostilePage = fc.record({
      entries: fc.array(fc.nat({ max: 80 }).map(String), { maxLength: 20 }),
      size: fc.integer({ min: 1, max: 20 }),
      totalPages: fc.oneof(count, fc.constant(2 ** 50)),
      totalCount: count,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(hostilePage, { minLength: 1, maxLength: 6 }), async pages => {
        let requests = 0
        const seen = await readPages(async ({ number }) => {
          requests++
          const page = pages[(number - 1) % pages.length] ?? pages[0]
          if (page === undefined) throw new RangeError('no page')
          return { ...page, number }
        }, idOf).catch((error: unknown) => error)
        const first = pages[0]
        expect(requests).toBeLessThanOrEqual(Math.ceil((first?.totalCount ?? 0) / (first?.size ?? 1)) + 1 + 1)
        if (!(seen instanceof InconsistentListError)) {
          const { entries } = seen as { entries: readonly string[] }
          expect(new Set(entries).size).toBe(first?.totalCount)
        }
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})

/** A service without page data that responds with these lists, one after the other. */
const bare = (lists: readonly (readonly string[])[], asked: number[] = []) => {
  const left = [...lists]
  return async ({ number }: { number: number }): Promise<Page<string>> => {
    asked.push(number)
    return { entries: left.shift() ?? lists.at(-1) ?? [] }
  }
}

describe('a list without page data', () => {
  test.each<[string, readonly string[][], readonly number[]]>([
    ['it has more entries than requested', [range(0, 101)], [1]],
    ['page 2 repeats it', [range(0, 100), range(0, 100)], [1, 2]],
    ['page 2 repeats it in another order', [range(0, 3), range(0, 3).reverse()], [1, 2]],
    ['it is empty, and so is page 2', [[], []], [1, 2]],
  ])('is complete if %s', { tags: ['F-30'] }, async (_, lists, numbers) => {
    const asked: number[] = []
    const listing = await readPages(bare(lists, asked), idOf)
    expect(listing).toEqual({ entries: lists[0], pages: 1 })
    expect(asked).toEqual(numbers)
  })

  test.each<[string, readonly string[][]]>([
    ['page 2 has other entries', [range(0, 20), range(20, 30)]],
    ['page 2 repeats some entries', [range(0, 20), range(10, 30)]],
    ['page 2 repeats only some entries', [range(0, 20), range(0, 19)]],
    [
      'page 2 repeats one entry several times',
      [
        ['a', 'b'],
        ['a', 'a'],
      ],
    ],
    ['page 2 has all entries and one more', [range(0, 20), range(0, 21)]],
    ['page 2 is empty', [range(0, 20), []]],
    ['page 1 is empty, and page 2 is not', [[], ['a']]],
    [
      'page 1 has an entry twice',
      [
        ['a', 'a'],
        ['a', 'a'],
      ],
    ],
    ['it has an entry twice and more entries than requested', [[...range(0, 101), 'id-0']]],
  ])('is refused if %s', { tags: ['F-30'] }, async (_, lists) => {
    await expect(readPages(bare(lists), idOf)).rejects.toThrow(InconsistentListError)
  })

  test('is refused if only one of two pages has page data', async () => {
    const whole: CountedPage<string> = { entries: ['a'], number: 1, size: 100, totalPages: 1, totalCount: 1 }
    const pages: Page<string>[] = [{ entries: ['a'] }, { ...whole, number: 2 }]
    await expect(readPages(async ({ number }) => pages[number - 1] ?? whole, idOf)).rejects.toThrow(
      UnprovenListError,
    )
  })

  test.each([400, 404, 422])('is refused if page 2 gets status %d', async status => {
    const read = async ({ number }: { number: number }): Promise<Page<string>> => {
      if (number === 1) return { entries: ['a'] }
      throw refusalOf(getRequest('/api/v2/organizations/acme/varsets', {}), { status, headers: {}, body: '' })
    }
    await expect(readPages(read, idOf)).rejects.toThrow(UnprovenListError)
  })

  test('is read again if it changed between its two readings', { tags: ['F-30'] }, async () => {
    const lists = [['a'], ['a', 'b'], ['a', 'b'], ['a', 'b']]
    const listing = await untilConsistent(() => readPages(bare(lists), idOf)).catch((error: unknown) => error)
    expect(listing).toBeInstanceOf(IncompleteListingError)
    const read = bare(lists)
    expect(await untilConsistent(() => readPages(read, idOf))).toEqual({ entries: ['a', 'b'], pages: 1 })
  })

  test('ends with an error that says what the service does not send', async () => {
    const asked: number[] = []
    const read = async ({ number }: { number: number }): Promise<Page<string>> => {
      asked.push(number)
      return { entries: range((number - 1) * 20, number * 20) }
    }
    const error = await untilConsistent(() => readPages(read, idOf)).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ isUnproven: true })
    expect((error as Error).message).toBe(
      'The list could not be read completely in 5 attempts: the service sends no page data (meta.pagination), and its second page does not repeat the first one.',
    )
    expect(asked).toHaveLength(10)
  })
})

/** A service whose list changes between any two requests: ids come and go, and pages are cut by number. */
function churning(seed: number) {
  let state = seed
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const steady = Array.from({ length: 30 }, (_, index) => `varset-steady${String(index).padStart(3, '0')}`)
  let passing = Array.from({ length: 30 }, (_, index) => `varset-gone${index}`)
  let next = 0
  let quietAfter = 8 + random(20)
  const transport = async ({
    query,
  }: {
    readonly query?: Readonly<Record<string, string>>
  }): Promise<ApiResponse> => {
    if (quietAfter-- > 0)
      for (let changes = random(3); changes > 0; changes--)
        if (random(2) === 0) passing = passing.filter((_, index) => index !== random(passing.length))
        else passing = [...passing, `varset-new${next++}`]
    const all = [...steady, ...passing].sort()
    const number = Number(query?.['page[number]'] ?? 1)
    const size = 20
    const data = all.slice((number - 1) * size, number * size).map(id => ({
      id,
      type: 'varsets',
      attributes: { name: id, global: false, 'var-count': 0 },
      relationships: { workspaces: { data: [] } },
    }))
    const pagination = {
      'current-page': number,
      'page-size': size,
      'total-pages': Math.ceil(all.length / size),
      'total-count': all.length,
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data, meta: { pagination } }),
    }
  }
  return { transport, steady }
}

describe('a listing that changes while it is read', () => {
  test('never misses a set that existed throughout, in 400 runs', { tags: ['F-30'] }, async () => {
    let proven = 0
    let refused = 0
    for (let seed = 1; seed <= 400; seed++) {
      const { transport, steady } = churning(seed)
      const observed = await settled(createReader(transport)).catch((error: unknown) => error)
      if (observed instanceof IncompleteListingError) {
        refused++
        continue
      }
      proven++
      const { sets } = observed as { sets: readonly { id: string }[] }
      const ids = new Set(sets.map(({ id }) => id))
      expect(steady.filter(id => !ids.has(id))).toEqual([])
    }
    expect(proven).toBeGreaterThan(100)
    expect(refused).toBeGreaterThan(0)
  })
})
