import { countOf, listOf, type Members, membersOf } from './document.ts'
import { MalformedAnswerError } from './errors.ts'

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
