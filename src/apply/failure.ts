import {
  ABORTED,
  AmbiguousResponseError,
  ApiError,
  isStatus,
  mayHaveHappened,
  PAUSED_TOO_LONG,
  REFUSED_TOKEN,
  UNCHECKED_TLS,
} from '../api/errors.ts'
import type { Operation } from '../plan/operation.ts'
import { TransportError } from '../wire/transport.ts'
import type { FailureCause } from './outcome.ts'
import type { Executed } from './schedule.ts'

export const isFailureOfTheWorld = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof AmbiguousResponseError || error instanceof TransportError

/** The request never left, because the run had stopped while it waited for its turn. `undefined` otherwise. */
export function neverSent(error: Error): Executed | undefined {
  if (!(error instanceof TransportError) || error.sent !== 'no') return undefined
  const outcome = { status: 'skipped', because: 'stopped' } as const
  if (error.code === REFUSED_TOKEN) return { outcome, cause: 'token', stops: TOKEN_REFUSED }
  if (error.code === PAUSED_TOO_LONG) return { outcome, stops: 'the service asked to wait too long' }
  return error.code === ABORTED ? { outcome, stops: 'interrupted' } : undefined
}

/**
 * How a write that failed ended; `attempt` counts from 1. Unknown if this or an earlier attempt may have been carried out. Also unknown
 * after a 404 for a deletion, which means "gone" or "no permission", and after a 401, because no later read can tell.
 */
export function failureOf(
  error: Error,
  operation: Operation,
  attempt: number,
  retriesExhausted: boolean,
): Executed {
  const isDeletion = operation.type === 'delete-set' || operation.type === 'delete-variable'
  const mayBeGone = isStatus(error, 404) && isDeletion
  const isOpen = mayBeGone || attempt > 1 || mayHaveHappened(error) || isStatus(error, 401)
  const message = `${error.message}${perhapsTaken(error, operation)}`
  return {
    outcome: { status: isOpen ? 'unknown' : 'failed', message },
    stops: whyStop(error, operation) ?? (retriesExhausted ? 'the retry budget is used up' : undefined),
    cause: causeOf(error, operation, isOpen),
    ...(!isOpen && error instanceof ApiError ? { refused: true } : {}),
  }
}

function whyStop(error: Error, operation: Operation): string | undefined {
  if (isStatus(error, 401)) return TOKEN_REFUSED
  return hasNoPlace(error, operation)
    ? 'the organization is gone, or the token may not write to it'
    : undefined
}

const TOKEN_REFUSED = 'the service refused the token'

/** `undefined` if nobody can say, or if the same request may succeed later. */
function causeOf(error: Error, operation: Operation, isOpen: boolean): FailureCause | undefined {
  if (isStatus(error, 401, 403) || hasNoPlace(error, operation)) return 'token'
  if (isOpen) return undefined
  if (error instanceof TransportError) return error.code === UNCHECKED_TLS ? undefined : 'network'
  const status = error instanceof ApiError ? error.status : 0
  return status >= 400 && status < 500 && status !== 404 && status !== 429 ? 'files' : undefined
}

/** A 404 for a set that is new can only be about the organization. */
const hasNoPlace = (error: Error, operation: Operation): boolean =>
  isStatus(error, 404) && operation.type === 'create-set'

/** A service that requires unique names refuses the second of several sets that the files give one name. */
const perhapsTaken = (error: Error, operation: Operation): string =>
  operation.type === 'create-set' && operation.after.name !== operation.subject.name && isStatus(error, 422)
    ? `; the files declare several sets named ${JSON.stringify(operation.after.name)}: if the service requires unique names, give this one another "name:"`
    : ''
