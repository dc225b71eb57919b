import { findSets, observeSets } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { until } from '../api/timing.ts'
import { ownersDiffer } from '../model/fields.ts'
import { storedForms } from '../model/stored-form.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import { asSent } from '../plan/as-sent.ts'
import { isPartOf } from '../plan/completion.ts'
import { canBeVerified, hasArrived, isDone } from '../plan/equality.ts'
import { duplicatesIfResent, variablesSent } from '../plan/items.ts'
import type { Operation } from '../plan/operation.ts'

/** What the service shows of an operation whose response was lost. */
type ReadBackResult =
  | { readonly state: 'done'; readonly set?: ObservedSet }
  /** The new set is there, and a part of it is missing. */
  | { readonly state: 'partly'; readonly set: ObservedSet }
  /** Certainly not done, or not completely. */
  | { readonly state: 'missing' }
  /** Several objects have that name or key. Nothing more may be sent. */
  | { readonly state: 'several'; readonly message: string }
  /** Unknown. Only the closing read can tell more; `isFinal` if the service could not be read. */
  | { readonly state: 'unclear'; readonly message?: string; readonly isFinal?: true }

/** Where an operation is looked for. After `stop`, the service is not read back any more. */
export interface Looking {
  readonly reader: Reader
  readonly organization: string
  readonly stop: AbortSignal
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Milliseconds before each repeated read, because a service may show a write late (docs/fault-model.md F-20). Whatever would become a
 * duplicate when it is sent again is searched for four seconds.
 */
const WAITS = [200, 800] as const
const WAITS_FOR_NEW = [200, 500, 1_000, 2_300] as const

/** Reads the service back until it shows the operation, or until it is certain enough that the operation was not carried out. */
export async function readBackOperation(operation: Operation, options: Looking): Promise<ReadBackResult> {
  if (options.stop.aborted) return INTERRUPTED
  const ask = async (): Promise<ReadBackResult> => {
    try {
      return await readBackOnce(operation, options)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return { state: 'unclear', message: error.message, isFinal: true }
    }
  }
  // A delayed list may still show another set under its previous name, or a new set without all its parts.
  const isEnough = (seen: ReadBackResult): boolean =>
    seen.state === 'unclear'
      ? operation.type !== 'create-set' || seen.isFinal === true
      : seen.state !== 'missing' && seen.state !== 'partly'
  const seen = await until(ask, isEnough, duplicatesIfResent(operation) ? WAITS_FOR_NEW : WAITS, options)
  return options.stop.aborted && !isEnough(seen) ? INTERRUPTED : seen
}

const INTERRUPTED = {
  state: 'unclear',
  message: 'the run was interrupted before the service was read back',
} as const

async function readBackOnce(
  operation: Operation,
  { reader, organization }: Looking,
): Promise<ReadBackResult> {
  if (operation.type === 'create-set') return await findNewSet(operation, reader, organization)
  if (operation.type === 'delete-set') return await findDeletedSet(operation, reader, organization)
  const read = await setOf(operation, reader)
  const set = read && asSent(read, { variables: variablesSent(operation) })
  // A 404 proves nothing: the set is gone, or hidden from this token.
  if (set === undefined) return { state: 'unclear' }
  const double = doubleKey(operation, set)
  if (double !== undefined) return double
  return isDone(operation, set, hasArrived(operation)) && canBeVerified(operation)
    ? { state: 'done' }
    : { state: 'missing' }
}

/** The set of an operation; `undefined` if it has no id or the service does not show it. */
async function setOf({ subject: { id } }: Operation, reader: Reader): Promise<ObservedSet | undefined> {
  return id && (await observeSets(reader, [id])).sets[0]
}

/** A 404 proves nothing, but a complete list without the set does. */
async function findDeletedSet(
  operation: Extract<Operation, { type: 'delete-set' }>,
  reader: Reader,
  organization: string,
): Promise<ReadBackResult> {
  const found = await findSets(reader, organization, operation.before.name)
  return found.some(({ id }) => id === operation.subject.id) ? { state: 'missing' } : { state: 'done' }
}

async function findNewSet(
  operation: Extract<Operation, { type: 'create-set' }>,
  reader: Reader,
  organization: string,
): Promise<ReadBackResult> {
  const shown = await findSets(reader, organization, operation.after.name, storedForms(operation.after.name))
  const named = shown.map(set => asSent(set, operation.after))
  // Sets of other owners may have the same name. A set with an unknown owner counts only if there is no other.
  const own = named.filter(set => !ownersDiffer(set, operation.after))
  const found = own.length > 0 ? own : named
  const [set] = found
  if (set === undefined) return { state: 'missing' }
  if (found.length > 1)
    return {
      state: 'several',
      message: `there are now ${found.length} sets named "${operation.subject.name}": ${found.map(({ id }) => id).join(', ')}`,
    }
  if (isDone(operation, set, hasArrived(operation))) return { state: 'done', set }
  return isPartOf(operation, set)
    ? { state: 'partly', set }
    : {
        state: 'unclear',
        message: `a set named "${operation.subject.name}" exists and differs from what was sent`,
      }
}

function doubleKey(operation: Operation, set: ObservedSet): ReadBackResult | undefined {
  if (operation.type !== 'create-variable') return undefined
  const found = set.variables.filter(variable => variable.key === operation.after.key)
  if (found.length < 2) return undefined
  const ids = found.map(({ id }) => id).join(', ')
  return {
    state: 'several',
    message: `"${operation.subject.name}" now has ${found.length} variables ${operation.after.key}: ${ids}`,
  }
}
