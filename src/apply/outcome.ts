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
import type { SetSettings } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedVariable } from '../model/variable-set.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { Plan, Remaining, Step } from '../plan/plan.ts'
import type { EndsDiffer } from '../plan/stored-text.ts'
import { TransportError } from '../wire/transport.ts'

/** How a step ended. `unknown`: the response was lost, and reading the service back did not settle it. */
export type StepOutcome =
  | { readonly status: 'succeeded'; readonly note?: string }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'skipped'; readonly because: OperationId | 'stopped' | 'already-done' }
  | { readonly status: 'unknown'; readonly message: string }

export interface StepResult {
  readonly step: Step
  readonly outcome: StepOutcome
  /** The service refused the request: it arrived, and only a read can tell that it was not carried out. */
  readonly refused?: true
  readonly cause?: FailureCause
}

/** What has to change before a step that did not succeed is sent again: what the files say, the token, or the way to the service. */
export type FailureCause = 'files' | 'token' | 'network'

/** What the closing read showed. Success is reported from it alone. */
export type Closing =
  /** `unread`: the number of sets that were not read again, because no step touched them. */
  | ({ readonly state: 'equal'; readonly unread?: number } & SeenStored)
  | ({ readonly state: 'differs'; readonly remaining: Remaining } & SeenStored)
  | { readonly state: 'unread'; readonly message: string }
  | { readonly state: 'not-needed' }

/** Values that the service stored in another but equivalent form. */
interface SeenStored {
  readonly stored?: readonly EndsDiffer[]
}

/** What became of the inventory: nothing to write, written, or not written completely. */
export type InventoryOutcome =
  | { readonly state: 'none' | 'written'; readonly requests: number }
  | ({ readonly state: 'failed'; readonly requests: number } & InventoryFailure)

export interface InventoryFailure {
  readonly message: string
  /** What has to change before it can be written. `permission`: the token is valid, but may not write the inventory. */
  readonly cause?: FailureCause | 'permission'
  /** No inventory lists these sets yet and nothing is pruned, so the files can do without `owner`. */
  readonly isOptional?: boolean
}

/** Everything that an apply did. */
export interface ApplyResult {
  readonly plan: Plan
  readonly results: readonly StepResult[]
  readonly requests: { readonly reads: number; readonly writes: number }
  readonly closing: Closing
  /** The number of secrets that were sent, and for how many of them the service shows a new version. */
  readonly secrets?: { readonly sent: number; readonly versioned: number }
  /** Missing if no step was reached. */
  readonly inventory?: InventoryOutcome
  /** Why the run stopped early, in words. */
  readonly stopped?: string
  readonly exitCode: number
}

/** What the response to one of our own writes proved. */
export interface WriteProof {
  /** The id of a created set. */
  readonly setId?: VariableSetId
  /** The settings of a created or updated set. */
  readonly settings?: SetSettings
  /** Sent variables as the response shows them. They exist, whatever a later read shows. */
  readonly variables: readonly ObservedVariable[]
}

/** By operation. Operations without a response, or with a status alone, are missing. */
export type WriteProofs = Map<OperationId, WriteProof>

/** Sends one step. Resolves with its outcome and never rejects. */
export type Execute = (step: Step) => Promise<Executed>

export interface Executed {
  readonly outcome: StepOutcome
  /** Why the run starts nothing new after this step. */
  readonly stops?: string
  /** As in `StepResult`. */
  readonly refused?: true
  /** As in `StepResult`. */
  readonly cause?: FailureCause
}

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
