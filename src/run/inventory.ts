import type { Writer } from '../api/writer.ts'
import type { Answers } from '../apply/answers.ts'
import { executeWith } from '../apply/execute.ts'
import { type InventoryWrites, inventoryWrites, sortedWrites } from '../apply/inventory.ts'
import { operationsFor } from '../apply/inventory-operations.ts'
import { lookAt } from '../apply/look.ts'
import type { InventoryOutcome, StepResult } from '../apply/outcome.ts'
import type { Operation } from '../plan/operation.ts'
import type { FingerprintOf } from '../plan/secret-state.ts'
import type { Prepared } from './prepare.ts'
import type { Service } from './service.ts'

/** What writing the inventory takes beside what was prepared and what came of it. */
export interface InventoryRun {
  readonly prepared: Prepared
  readonly service: Service
  readonly writer: Writer
  readonly results: readonly StepResult[]
  readonly answers: Answers
  readonly fingerprintOf: FingerprintOf
  /** What stopped the run before its end: nothing new is sent then. */
  readonly stopped?: string | undefined
  readonly stop: AbortSignal
  readonly abandon: AbortSignal
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Writes down what is managed now, after everything that it describes, and before the closing read, which compares
 * secrets with it. A failure is told and changes nothing else: the next run finds sets that equal the files and takes
 * them in.
 */
export const listManaged = (run: InventoryRun): Promise<InventoryOutcome> =>
  write(run, writes => ({ ...writes, removed: [], struck: [] }))

/**
 * Takes out what is gone, after the closing read has shown that it is: a set that only seems deleted has to stay listed,
 * or nobody would ever delete it. Entries of other owners for what was taken over go as well, ours being there by now.
 */
export async function strikeGone(run: InventoryRun, listed: InventoryOutcome): Promise<InventoryOutcome> {
  if (listed.state === 'failed') return listed
  const struck = await write(run, writes => ({ ...writes, added: [], changed: [] }))
  const requests = listed.requests + struck.requests
  return { ...(struck.state === 'none' ? listed : struck), requests }
}

async function write(
  run: InventoryRun,
  part: (writes: InventoryWrites) => InventoryWrites,
): Promise<InventoryOutcome> {
  const { prepared, results, answers, fingerprintOf } = run
  const { match, ownership } = prepared.matched
  if (ownership.owner === undefined) return { state: 'none', requests: 0 }
  const writes = part(sortedWrites(inventoryWrites(match, ownership, results, answers, fingerprintOf)))
  const requests = countOf(writes)
  if (requests === 0) return { state: 'none', requests }
  if (run.stopped !== undefined) return { state: 'failed', requests, message: `not written: ${run.stopped}` }
  if (run.stop.aborted) return { state: 'failed', requests, message: 'interrupted before it was written' }
  const [inventory] = ownership.own
  const operations = operationsFor(writes, ownership.owner, inventory?.id)
  for (const operation of operations) {
    // Nothing new is sent after a signal; the next run goes on from there.
    if (run.stop.aborted) return { state: 'failed', requests, message: 'interrupted before it was whole' }
    const message = await problemWith(operation, run)
    if (message !== undefined) return { state: 'failed', requests, message }
  }
  return { state: 'written', requests }
}

const countOf = ({ added, changed, removed, struck }: InventoryWrites): number =>
  (added.length > 0 ? 1 : 0) + changed.length + removed.length + struck.length

/**
 * Sent as the operations of a plan are: what may have happened is looked at before anything is repeated. What is refused
 * because it is there, or gone, already is as good: the list was behind (docs/fault-model.md F-16, F-33).
 */
async function problemWith(operation: Operation, run: InventoryRun): Promise<string | undefined> {
  const { service, prepared, writer, stop, sleep, abandon } = run
  const { organization } = prepared.plan
  const { reader, retriesExhausted } = service
  const looking = { reader, organization, stop, sleep }
  const execute = executeWith({
    ...looking,
    writer,
    secrets: new Map(),
    answers: new Map(),
    retriesExhausted,
  })
  const { outcome } = await execute({ id: operation.type, operation, after: [] }, abandon)
  if (outcome.status === 'succeeded') return undefined
  if (outcome.status === 'skipped') return outcome.because
  if ((await lookAt(operation, looking, abandon)).state === 'done') return undefined
  return outcome.status === 'failed' ? outcome.message : `${outcome.message} (it may have been written)`
}
