import { TransportError } from '../wire/transport.ts'

/** What the service said about a refusal. May be hostile text: sinks neutralise it. */
export interface ErrorDetail {
  readonly title?: string
  readonly detail?: string
  readonly pointer?: string
}

interface Asked {
  readonly method: string
  readonly path: string
}

/** The service answered, and the answer is a refusal, a failure of its own or a redirect. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly method: string
  readonly path: string
  readonly details: readonly ErrorDetail[]
  /** A write may have been carried out in spite of this answer, by this attempt or an earlier one. */
  readonly mayHaveHappened: boolean

  constructor(
    asked: Asked,
    answer: {
      readonly status: number
      readonly sentence: string
      readonly details: readonly ErrorDetail[]
      readonly mayHaveHappened: boolean
    },
  ) {
    const details = answer.details.map(detailText).filter(text => text !== '')
    super([`${asked.method} ${asked.path}: ${answer.sentence}`, ...details].join('; '))
    this.method = asked.method
    this.path = asked.path
    this.status = answer.status
    this.details = answer.details
    this.mayHaveHappened = answer.mayHaveHappened
  }
}

function detailText({ title, detail, pointer }: ErrorDetail): string {
  const said = [title, detail].filter(text => text !== undefined && text !== '').join(': ')
  return pointer === undefined || pointer === '' ? said : `${said} (${pointer})`
}

/** A read was answered with something that is not what the interface describes. Names the place, quotes nothing. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError'
  /** Such as `data/3/attributes/name is not a text`. Built from our own words. */
  readonly reason: string

  constructor(reason: string, asked?: Asked) {
    super(
      asked === undefined
        ? reason
        : `${asked.method} ${asked.path}: the answer makes no sense to us: ${reason}`,
    )
    this.reason = reason
  }
}

/** A write was answered with something that proves nothing: look before doing anything else (docs/fault-model.md F-12). */
export class AmbiguousAnswerError extends Error {
  override readonly name = 'AmbiguousAnswerError'
  readonly reason: string

  constructor(reason: string, asked: Asked) {
    super(`${asked.method} ${asked.path}: the answer does not show whether it was done: ${reason}`)
    this.reason = reason
  }
}

/** The listing never held still, or never was whole, so nothing may be concluded from it (docs/fault-model.md F-30, F-37). */
export class IncompleteListingError extends Error {
  override readonly name = 'IncompleteListingError'
  readonly reason: string

  constructor(reason: string, passes: number) {
    super(`the list could not be read completely in ${passes} passes: ${reason}`)
    this.reason = reason
  }
}

/** Whether a failed write may have been carried out, so that only a look at the service can tell. */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent === 'maybe'
  if (error instanceof ApiError) return error.mayHaveHappened
  return error instanceof AmbiguousAnswerError
}

export const isStatus = (error: unknown, ...statuses: readonly number[]): error is ApiError =>
  error instanceof ApiError && statuses.includes(error.status)
