import { findSets, observeSets } from '../api/observe.ts'
import { UNTIL_SHOWN, until } from '../api/timing.ts'
import { executeWith } from '../apply/execute.ts'
import { type InventoryText, inventoriesAfter, showsEntries } from '../apply/inventory-writes.ts'
import type { InventoryFailure, InventoryOutcome } from '../apply/outcome.ts'
import { readBackOperation } from '../apply/read-back.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { diffVariableSets } from '../plan/difference.ts'
import { isDone } from '../plan/equality.ts'
import { setFinder, variablesSent } from '../plan/items.ts'
import type { Operation } from '../plan/operation.ts'
import { Ownership } from '../plan/ownership.ts'
import type { Writing } from './writing.ts'

/** What became of the inventory, and the entries that it must show afterwards. */
export interface Listed {
  readonly outcome: InventoryOutcome
  readonly entries: readonly InventoryText[]
}

/**
 * Writes what is managed now: after the writes of the sets, and before the closing read, which verifies the inventory and
 * compares secrets with it. A failure is reported and changes nothing else: the next run adopts the sets, because they equal
 * the files.
 */
export async function recordManaged(writing: Writing): Promise<Listed> {
  const { outcome, operations } = await write(writing, writing.made.observed, 'writes')
  return { outcome, entries: outcome.state === 'written' ? operations.flatMap(entriesIn) : [] }
}

/**
 * What only the closing read could tell. It removes the entries of deleted sets: a set that only seems deleted must stay listed, or
 * nobody would ever delete it; and those of other owners for adopted sets, which ours replace. It records what only the closing read
 * confirmed, and which settings the service does not keep. `shown`: the service in that read; absent if it failed, or nothing was written.
 */
export async function completeInventory(
  writing: Writing,
  { outcome: listed, entries }: Listed,
  shown: ObservedState | undefined,
): Promise<InventoryOutcome> {
  const { matched, plan } = writing.made
  const { owner } = plan
  // Another first apply of this owner made the inventory meanwhile, so that ours was refused: its name is taken. Ours goes into it.
  const isMadeByOther =
    matched.ownership.own.length === 0 && shown?.inventories?.some(one => one.owner === owner) === true
  if (listed.state === 'failed' && !isMadeByOther) return listed
  const failed = (message: string): InventoryOutcome => ({ ...listed, state: 'failed', message })
  if (shown !== undefined && !showsEntries(shown, owner, entries)) return failed(NOT_SHOWN)
  const theirs = owner === undefined ? undefined : listedByAnother(writing, shown)
  if (theirs !== undefined) return failed(theirs)
  const { outcome, operations } =
    shown === undefined
      ? await write(writing, writing.made.observed, 'deletions')
      : await write(writing, shown, 'all')
  const rest = outcome.state === 'written' ? await confirm(writing, outcome, operations) : outcome
  const requests = listed.requests + rest.requests
  if (rest.state !== 'none') return { ...rest, requests }
  return { ...(listed.state === 'failed' ? { state: 'written' } : listed), requests }
}

/** Why a set of which only a read shows that it was created is not recorded here: an apply of another owner created and listed it. */
function listedByAnother(
  { made, results, answers }: Writing,
  shown: ObservedState | undefined,
): string | undefined {
  if (shown === undefined) return undefined
  const ownership = new Ownership(made.resolved, shown)
  const setOf = setFinder(shown)
  const [message] = results.flatMap(({ step: { id, operation }, outcome }) => {
    if (operation.type !== 'create-set' || outcome.status !== 'succeeded' || answers.has(id)) return []
    const set = setOf(operation)
    return set !== undefined && ownership.isOfAnotherOwner(set)
      ? [`"${set.name}" was created at the same time by "${ownership.of(set)}", whose inventory lists it`]
      : []
  })
  return message
}

const NOT_SHOWN = 'the service reported success, but a read does not show it'

/** Verifies the inventories, with one read for each. */
async function confirm(
  { service, stop, abandon, sleep, made }: Writing,
  outcome: InventoryOutcome,
  operations: readonly Operation[],
): Promise<InventoryOutcome> {
  const ids = [...new Set(operations.flatMap(({ subject }) => subject.id ?? []))]
  const names = operations.flatMap(({ subject: { id, name } }) => (id === undefined ? name : []))
  const reader = service.reader.until(abandon)
  const { organization } = made.plan
  const problem = async (): Promise<string | undefined> => {
    try {
      const { sets } = await observeSets(reader, ids)
      const named = await Promise.all(names.map(name => findSets(reader, organization, name)))
      const setOf = setFinder({ sets: [...sets, ...named.flat()] })
      return operations.every(operation => isDone(operation, setOf(operation))) ? undefined : NOT_SHOWN
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return error.message
    }
  }
  const message = await until(problem, said => said === undefined, UNTIL_SHOWN, { sleep, stop })
  return message === undefined ? outcome : { ...outcome, state: 'failed', message }
}

async function write(
  writing: Writing,
  shown: ObservedState,
  part: 'writes' | 'deletions' | 'all',
): Promise<{ readonly outcome: InventoryOutcome; readonly operations: readonly Operation[] }> {
  const { made, results, sent, answers } = writing
  const { plan, matched, resolved } = made
  const pairs = inventoriesAfter(matched, results, answers, {
    fingerprintOf: made.asked.fingerprintOf ?? (() => undefined),
    sent,
    shown,
  })
  const all = diffVariableSets({ pairs, removals: [] }, { of: () => undefined }).map(draft => draft.operation)
  const going = all.filter(({ type }) => type === 'delete-variable')
  const writes = all.filter(one => !going.includes(one))
  // Ours are listed before others lose an entry.
  const operations = [...(part === 'deletions' ? [] : writes), ...(part === 'writes' ? [] : going)]
  const requests = operations.length
  if (requests === 0) return { outcome: { state: 'none', requests }, operations }
  const isOptional = matched.ownership.own.length === 0 && going.length === 0 && resolved.prune !== true
  const failed = (failure: InventoryFailure) =>
    ({ outcome: { state: 'failed', requests, ...failure, isOptional }, operations }) as const
  if (writing.stopped !== undefined) return failed({ message: `not written: ${writing.stopped}` })
  if (writing.stop.aborted) return failed({ message: 'interrupted before it was written' })
  for (const operation of operations) {
    // Nothing new is sent after a signal; the next run continues.
    if (writing.stop.aborted) return failed({ message: 'interrupted before it was complete' })
    const problem = await problemWith(operation, plan.organization, writing)
    if (problem !== undefined) return failed(problem)
  }
  return { outcome: { state: 'written', requests }, operations }
}

/** The entries that an operation writes. */
const entriesIn = (operation: Operation): readonly InventoryText[] =>
  variablesSent(operation).flatMap(({ value, ...entry }) => ('text' in value ? [{ ...entry, value }] : []))

/**
 * Sent like the operations of a plan: the service is read before anything is repeated. A refusal because the object exists, or is
 * gone, already counts as done: the list was late (docs/fault-model.md F-16, F-33).
 */
export async function problemWith(
  operation: Operation,
  organization: string,
  {
    service,
    writer,
    stop,
    sleep,
    abandon,
  }: Pick<Writing, 'service' | 'writer' | 'stop' | 'sleep' | 'abandon'>,
): Promise<InventoryFailure | undefined> {
  const looking = { reader: service.reader.until(abandon), organization, stop, sleep }
  const execute = executeWith({
    ...looking,
    writer,
    secrets: new Map(),
    answers: new Map(),
    retriesExhausted: service.retriesExhausted,
  })
  const { outcome, stops, cause } = await execute({ id: operation.type, operation, after: [] })
  if (outcome.status === 'succeeded') return undefined
  if (outcome.status === 'skipped') return { message: outcome.because, cause }
  if ((await readBackOperation(operation, looking)).state === 'done') return undefined
  // A token that may not write the inventory may still write the sets, so what stops a run of steps is not said of it.
  const message = stops === undefined || cause === 'token' ? outcome.message : `${outcome.message}; ${stops}`
  if (outcome.status === 'unknown') return { message: `${message} (it may have been written)`, cause }
  return { message, cause: cause === 'token' ? 'permission' : cause }
}
