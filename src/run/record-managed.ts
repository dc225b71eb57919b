import { observeSets } from '../api/observe.ts'
import { executeWith } from '../apply/execute.ts'
import { type InventoryText, inventoriesAfter, showsEntries } from '../apply/inventory-writes.ts'
import type { InventoryFailure, InventoryOutcome, StepResult } from '../apply/outcome.ts'
import { readBackOperation } from '../apply/read-back.ts'
import type { Inventory } from '../model/inventory.ts'
import { diffVariableSets } from '../plan/difference.ts'
import { isDone } from '../plan/equality.ts'
import { variablesSent } from '../plan/items.ts'
import type { Operation } from '../plan/operation.ts'
import type { WritingRun } from './apply-run.ts'

/** An apply whose steps have ended. */
interface InventoryRun extends WritingRun {
  readonly results: readonly StepResult[]
  /** Why the run stopped early. Then nothing new is sent. */
  readonly stopped?: string
}

/** What a write of an inventory needs. */
export interface InventoryWriter
  extends Pick<WritingRun, 'service' | 'writer' | 'stop' | 'sleep' | 'abandon'> {
  readonly organization: string
}

/** What became of the inventory, and the entries that it must show afterwards. */
export interface WrittenEntries {
  readonly outcome: InventoryOutcome
  readonly entries: readonly InventoryText[]
}

/**
 * Writes what is managed now: after the writes of the sets, and before the closing read, which verifies the inventory and
 * compares secrets with it. A failure is reported and changes nothing else: the next run adopts the sets, because they equal
 * the files.
 */
export async function recordManaged(run: InventoryRun): Promise<WrittenEntries> {
  const { outcome, operations } = await write(run, run.prepared.observed.inventories, 'stay')
  return { outcome, entries: outcome.state === 'written' ? operations.flatMap(entriesIn) : [] }
}

/**
 * Removes the entries of deleted sets, and records settings that the service does not keep, after the closing read has shown the deletion: a set that only seems deleted must stay
 * listed, or nobody would ever delete it. Also removes the entries of other owners for adopted sets, which ours replace.
 * `shown`: the inventories in the closing read; absent if it failed, or nothing was written.
 */
export async function removeStaleEntries(
  run: InventoryRun,
  { outcome: listed, entries }: WrittenEntries,
  shown: readonly Inventory[] | undefined,
): Promise<InventoryOutcome> {
  if (listed.state === 'failed') return listed
  if (shown !== undefined && !showsEntries(shown, run.prepared.plan.owner, entries))
    return { ...listed, state: 'failed', message: NOT_SHOWN }
  const { outcome, operations } = await write(run, shown ?? run.prepared.observed.inventories, 'go')
  const gone = outcome.state === 'written' ? await confirmGone(run, outcome, operations) : outcome
  const requests = listed.requests + gone.requests
  return { ...(gone.state === 'none' ? listed : gone), requests }
}

const NOT_SHOWN = 'the service reported success, but a read does not show it'

/** The service may show it late. Milliseconds before each read. */
const WAITS = [0, 250, 500, 1_000, 2_000] as const

/** Verifies that the removed entries are gone, with one read for each inventory. */
async function confirmGone(
  { service, stop, abandon, sleep }: InventoryRun,
  outcome: InventoryOutcome,
  operations: readonly Operation[],
): Promise<InventoryOutcome> {
  const inventories = [...new Set(operations.flatMap(({ subject }) => subject.id ?? []))]
  let message = NOT_SHOWN
  for (const wait of WAITS) {
    if (wait > 0) await sleep(wait, stop)
    try {
      const { sets } = await observeSets(service.reader.until(abandon), inventories)
      const found = new Map(sets.map(set => [set.id, set]))
      if (operations.every(one => isDone(one, one.subject.id && found.get(one.subject.id)))) return outcome
    } catch (error) {
      if (!(error instanceof Error)) throw error
      message = error.message
    }
    if (stop.aborted) break
  }
  return { ...outcome, state: 'failed', message }
}

/** The difference of the inventories, which is sent in two parts. */
type InventoryPart = 'stay' | 'go'

async function write(
  run: InventoryRun,
  shown: readonly Inventory[] = [],
  part: InventoryPart,
): Promise<{ readonly outcome: InventoryOutcome; readonly operations: readonly Operation[] }> {
  const { prepared, results, answers, fingerprintOf = () => undefined } = run
  const { plan, matched, resolved } = prepared
  const pairs = inventoriesAfter(matched, results, answers, { fingerprintOf, shown })
  const all = diffVariableSets({ pairs, removals: [] }, { of: () => undefined }).map(draft => draft.operation)
  const isGoing = ({ type }: Operation): boolean => type === 'delete-variable'
  // What the service does not keep is known after the closing read alone.
  const unkept = new Set(
    results.flatMap(({ step: { id, operation }, unkept: lost }) => {
      const setId = operation.subject.id ?? answers.get(id)?.setId
      return lost === undefined || setId === undefined ? [] : [`terraform/${setId}`]
    }),
  )
  const isLate = (one: Operation): boolean => variablesSent(one).some(({ key }) => unkept.has(key))
  const operations = all.filter(one => (isGoing(one) || isLate(one)) === (part === 'go'))
  const requests = operations.length
  if (requests === 0) return { outcome: { state: 'none', requests }, operations }
  const { own } = matched.ownership
  const isOptional = own.length === 0 && !all.some(isGoing) && resolved.prune !== true
  const failed = (failure: InventoryFailure) =>
    ({ outcome: { state: 'failed', requests, ...failure, isOptional }, operations }) as const
  if (run.stopped !== undefined) return failed({ message: `not written: ${run.stopped}` })
  if (run.stop.aborted) return failed({ message: 'interrupted before it was written' })
  for (const operation of operations) {
    // Nothing new is sent after a signal; the next run continues.
    if (run.stop.aborted) return failed({ message: 'interrupted before it was complete' })
    const problem = await problemWith(operation, { ...run, organization: plan.organization })
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
  { service, organization, writer, stop, sleep, abandon }: InventoryWriter,
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
