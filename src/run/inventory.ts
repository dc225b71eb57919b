import { mayHaveHappened } from '../api/errors.ts'
import type { Writer } from '../api/writer.ts'
import type { Answers } from '../apply/answers.ts'
import { type InventoryWrites, inventoryWrites, newInventory, sortedWrites } from '../apply/inventory.ts'
import type { InventoryOutcome, StepResult } from '../apply/outcome.ts'
import type { VariableSetId } from '../model/ids.ts'
import { matchOf } from '../plan/match-of.ts'
import { Ownership } from '../plan/ownership.ts'
import type { FingerprintOf } from '../plan/secret-state.ts'
import type { Prepared } from './prepare.ts'

/** What writing the inventory takes beside what was prepared and what came of it. */
export interface InventoryRun {
  readonly prepared: Prepared
  readonly writer: Writer
  readonly results: readonly StepResult[]
  readonly answers: Answers
  readonly fingerprintOf: FingerprintOf
  /** What stopped the run before its end: nothing new is sent then. */
  readonly stopped?: string | undefined
  readonly stop: AbortSignal
  readonly abandon: AbortSignal
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
  const { resolved, observed, plan } = prepared
  const ownership = new Ownership(resolved, observed)
  if (ownership.owner === undefined) return { state: 'none', requests: 0 }
  const match = matchOf(resolved, observed, plan.only)
  const writes = part(sortedWrites(inventoryWrites(match, ownership, results, answers, fingerprintOf)))
  const requests = countOf(writes)
  if (requests === 0) return { state: 'none', requests }
  if (run.stopped !== undefined) return { state: 'failed', requests, message: `not written: ${run.stopped}` }
  if (run.stop.aborted) return { state: 'failed', requests, message: 'interrupted before it was written' }
  try {
    const [inventory] = ownership.own
    await (inventory === undefined
      ? create(run, ownership.owner, writes)
      : update(run, inventory.id, inventory.owner, writes))
    for (const { inventory: other, variable } of writes.struck) {
      refuseIfStopped(run)
      await run.writer.deleteVariable(other, variable, run.abandon)
    }
    return { state: 'written', requests }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const maybe = mayHaveHappened(error) ? ' (it may have been written)' : ''
    return { state: 'failed', requests, message: `${error.message}${maybe}` }
  }
}

const countOf = ({ added, changed, removed, struck }: InventoryWrites): number =>
  (added.length > 0 ? 1 : 0) + changed.length + removed.length + struck.length

async function create({ prepared, writer, abandon }: InventoryRun, owner: string, writes: InventoryWrites) {
  if (writes.added.length === 0) return
  await writer.createSet(prepared.plan.organization, newInventory(owner, writes.added), abandon)
}

/** Nothing new is sent after a signal; the next run goes on from there. */
function refuseIfStopped({ stop }: InventoryRun): void {
  if (stop.aborted) throw new Error('interrupted before it was whole')
}

async function update(
  run: InventoryRun,
  id: VariableSetId,
  owner: string,
  { added, changed, removed }: InventoryWrites,
): Promise<void> {
  const { writer, abandon } = run
  const [only] = added
  if (only !== undefined && added.length === 1) await writer.createVariable(id, only, abandon)
  else if (added.length > 1) await writer.updateSet(id, newInventory(owner, []), added, abandon)
  for (const { id: variable, variable: text } of changed) {
    refuseIfStopped(run)
    await writer.updateVariable(id, variable, text, abandon)
  }
  for (const variable of removed) {
    refuseIfStopped(run)
    await writer.deleteVariable(id, variable, abandon)
  }
}
