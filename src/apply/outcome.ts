import {
  ABORTED,
  AmbiguousResponseError,
  ApiError,
  type ErrorDetail,
  isStatus,
  mayHaveHappened,
  PAUSED_TOO_LONG,
  REFUSED_TOKEN,
  UNCHECKED_TLS,
} from '../api/errors.ts'
import { WITHHELD } from '../api/refusal.ts'
import { meaningOf } from '../api/statuses.ts'
import type { SetSettings } from '../model/fields.ts'
import { TARGET_KINDS, type VariableSetId } from '../model/ids.ts'
import type { Unkept } from '../model/inventory.ts'
import type { ObservedVariable } from '../model/variable-set.ts'
import { duplicatesIfResent } from '../plan/items.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { Plan, Remaining, Step } from '../plan/plan-data.ts'
import type { StoredDifferently } from '../plan/stored-text.ts'
import { TransportError } from '../wire/transport.ts'

/** How a step ended. `unknown`: the response was lost, and reading the service back did not settle it. */
export type StepOutcome =
  | { readonly status: 'succeeded'; readonly note?: string }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'skipped'; readonly because: OperationId | 'stopped' | 'already-done' }
  | { readonly status: 'unknown'; readonly message: string }

export interface StepResult extends Omit<Executed, 'stops'> {
  readonly step: Step
  /** Steps of the closing read that only send what the service does not keep. The outcome says what that is. */
  readonly notKept?: readonly OperationId[]
  /** Settings that it sent and the service does not keep, as the service shows them. */
  readonly unkept?: Unkept
}

/**
 * What has to change before a step that did not succeed is sent again: what the files say, the token, or the way to the service.
 * `others`: somebody else writes the same.
 */
export type FailureCause = 'files' | 'token' | 'network' | 'others'

/** What the closing read showed. Success is reported from it alone. */
export type Closing =
  /** `unread`: the number of sets that were not read again, because no step touched them. */
  | ({ readonly state: 'equal'; readonly unread?: number } & SeenStored)
  | ({ readonly state: 'differs'; readonly remaining: Remaining } & SeenStored)
  /**
   * Nothing is verified. Without `shown`, the read failed. `late`: the list does not show all of what was written. `unplanned`: no plan can be
   * made of what it shows, so the same apply would not be one, either.
   */
  | { readonly state: 'unread'; readonly message: string; readonly shown?: 'late' | 'unplanned' }
  | { readonly state: 'not-needed' }

/** Values that the service stored in another but equivalent form. */
interface SeenStored {
  readonly stored?: readonly StoredDifferently[]
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
  /**
   * The number of secrets that were sent, and for how many of them the service shows a new version.
   */
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

/** What sending an operation came to. */
export interface Executed {
  readonly outcome: StepOutcome
  /** Why the run starts nothing new after it. */
  readonly stops?: string
  /** The service refused the request: it arrived, and only a read can tell that it was not carried out. */
  readonly refused?: true
  readonly cause?: FailureCause
  /** The set was created, and a part of it is missing. */
  readonly isInPart?: true
  /** The service said why it refused or failed. */
  readonly hasReason?: true
}

export const isExternalFailure = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof AmbiguousResponseError || error instanceof TransportError

/** What a failed write says about its operation, and how it ended if nothing more can be found out. */
export interface WriteFailure {
  readonly error: Error
  readonly ended: Executed
  /**
   * `final`: certainly not carried out, or nothing can be found out. `open`: it may have been carried out, by this attempt or
   * an earlier one; only reading the service back can tell.
   */
  readonly kind: 'final' | 'open'
  /** The service refused this attempt. After an earlier attempt that may have arrived, that proves nothing (docs/fault-model.md F-17). */
  readonly isRefused: boolean
}

/** `attempt` counts from 1. */
export function classify(
  error: Error,
  operation: Operation,
  attempt: number,
  retriesExhausted: boolean,
): WriteFailure {
  const isRefused = !mayHaveHappened(error)
  const never = attempt === 1 ? heldBack(error) : undefined
  const ended = never ?? failureOf(error, operation, attempt, retriesExhausted)
  const isFinal = never !== undefined || (isRefused && attempt === 1) || ended.stops !== undefined
  return { error, ended, kind: isFinal ? 'final' : 'open', isRefused }
}

/** The request never left, because the run had stopped while it waited for its turn. `undefined` otherwise. */
function heldBack(error: Error): Executed | undefined {
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
function failureOf(error: Error, operation: Operation, attempt: number, retriesExhausted: boolean): Executed {
  const isDeletion = operation.type === 'delete-set' || operation.type === 'delete-variable'
  const mayBeGone = isStatus(error, 404) && isDeletion
  const isOpen = mayBeGone || attempt > 1 || mayHaveHappened(error) || isStatus(error, 401)
  const message = `${error.message}${perhapsTaken(error, operation)}${meanwhile(error, operation)}${notInPlace(error, operation)}`
  return {
    outcome: { status: isOpen ? 'unknown' : 'failed', message },
    stops: whyStop(error, operation) ?? (retriesExhausted ? 'the service keeps failing' : undefined),
    cause: causeOf(error, operation, isOpen),
    ...(!isOpen && error instanceof ApiError ? { refused: true } : {}),
    ...(error instanceof ApiError && error.details.some(saysWhy) ? { hasReason: true } : {}),
  }
}

const saysWhy = ({ detail }: ErrorDetail): boolean => detail !== undefined && detail !== WITHHELD

function whyStop(error: Error, operation: Operation): string | undefined {
  if (isStatus(error, 401)) return TOKEN_REFUSED
  return hasNoPlace(error, operation)
    ? 'the organization is gone, or the token may not write to it'
    : undefined
}

const TOKEN_REFUSED = 'the service refused the token'

/** `undefined` if nobody can say, or if the same request may succeed later. */
function causeOf(error: Error, operation: Operation, isOpen: boolean): FailureCause | undefined {
  const meaning = error instanceof ApiError ? meaningOf(error.status) : undefined
  const cause = meaning !== undefined && 'cause' in meaning ? meaning.cause : undefined
  if (cause === 'token' || hasNoPlace(error, operation)) return 'token'
  if (isOpen) return undefined
  if (error instanceof TransportError) return error.code === UNCHECKED_TLS ? undefined : 'network'
  // A failure that is not open is a refusal by its reason.
  const isRefusal = meaning !== undefined && 'retry' in meaning && meaning.retry === 'transient'
  return cause === 'files' || isRefusal ? 'files' : undefined
}

/** A 404 for a new set that names nothing else of the organization can only be about the organization. */
const hasNoPlace = (error: Error, operation: Operation): boolean =>
  isStatus(error, 404) &&
  operation.type === 'create-set' &&
  operation.after.parent === undefined &&
  TARGET_KINDS.every(kind => (operation.after[kind] ?? []).length === 0)

const notInPlace = (error: Error, operation: Operation): string =>
  operation.type === 'update-variable' && error instanceof ApiError && error.refusesInPlace
    ? '; the service does not change this secret in place: delete the variable there, then apply again'
    : ''

/** A 409: it was not there when this run read the service. */
function meanwhile(error: Error, operation: Operation): string {
  if (!isStatus(error, 409)) return ''
  if (duplicatesIfResent(operation)) return '; somebody created it meanwhile'
  return operation.type === 'assign' ? '; somebody assigned it meanwhile' : ''
}

/** A service that requires unique names refuses the second of several sets that the files give one name. */
const perhapsTaken = (error: Error, operation: Operation): string =>
  operation.type === 'create-set' &&
  operation.after.name !== operation.subject.name &&
  isStatus(error, 409, 422)
    ? `; the files declare several sets named ${JSON.stringify(operation.after.name)}: if the service requires unique names, give this one another "name:"`
    : ''
