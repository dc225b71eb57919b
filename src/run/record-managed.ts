import { observeSets } from '../api/observe.ts'
import { executeWith } from '../apply/execute.ts'
import {
  type EntryPlace,
  type InventoryText,
  type InventoryWrites,
  inventoryWrites,
} from '../apply/inventory-writes.ts'
import type { InventoryFailure, InventoryOutcome, StepResult } from '../apply/outcome.ts'
import { readBackOperation } from '../apply/read-back.ts'
import { fieldsOf, NO_FIELDS } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import { INVENTORY_PREFIX } from '../model/names.ts'
import type { Variable } from '../model/variable-set.ts'
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

/** The outcome of one part of the inventory, and the entries that it must show afterwards. */
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
  const { outcome, writes } = await write(run, all => ({ ...all, removed: [], struck: [] }))
  const entries = [...writes.added, ...writes.changed.map(({ text }) => text)]
  return { outcome, entries: outcome.state === 'written' ? entries : [] }
}

/**
 * Removes the entries of deleted sets, after the closing read has shown the deletion: a set that only seems deleted must stay
 * listed, or nobody would ever delete it. Also removes the entries of other owners for adopted sets, which ours replace.
 * `isListed`: the closing read showed our new entries.
 */
export async function removeStaleEntries(
  run: InventoryRun,
  { outcome: listed }: WrittenEntries,
  isListed: boolean,
): Promise<InventoryOutcome> {
  if (listed.state === 'failed') return listed
  if (!isListed) return { ...listed, state: 'failed', message: NOT_SHOWN }
  const { outcome, writes } = await write(run, all => ({ ...all, added: [], changed: [] }))
  const struck = outcome.state === 'written' ? await confirmStruck(run, outcome, writes) : outcome
  const requests = listed.requests + struck.requests
  return { ...(struck.state === 'none' ? listed : struck), requests }
}

const NOT_SHOWN = 'the service reported success, but a read does not show it'

/** The service may show it late. Milliseconds before each read. */
const WAITS = [0, 250, 500, 1_000, 2_000] as const

/** Verifies that the removed entries are gone, with one read for each inventory. */
async function confirmStruck(
  { service, stop, abandon, sleep }: InventoryRun,
  outcome: InventoryOutcome,
  { removed, struck }: InventoryWrites,
): Promise<InventoryOutcome> {
  const out = new Set([...removed, ...struck].map(({ variable }) => variable))
  const inventories = [...new Set([...removed, ...struck].map(({ inventory }) => inventory))]
  let message = NOT_SHOWN
  for (const wait of WAITS) {
    if (wait > 0) await sleep(wait, stop)
    try {
      const { sets } = await observeSets(service.reader.until(abandon), inventories)
      if (!sets.some(({ variables }) => variables.some(({ id }) => out.has(id)))) return outcome
    } catch (error) {
      if (!(error instanceof Error)) throw error
      message = error.message
    }
    if (stop.aborted) break
  }
  return { ...outcome, state: 'failed', message }
}

const NO_WRITES: InventoryWrites = { added: [], changed: [], removed: [], struck: [] }

async function write(
  run: InventoryRun,
  part: (writes: InventoryWrites) => InventoryWrites,
): Promise<{ readonly outcome: InventoryOutcome; readonly writes: InventoryWrites }> {
  const { prepared, results, answers, fingerprintOf = () => [] } = run
  const { match, ownership } = prepared.matched
  if (ownership.owner === undefined) return { outcome: { state: 'none', requests: 0 }, writes: NO_WRITES }
  const { kept } = prepared.plan
  const all = inventoryWrites(match, ownership, results, answers, { fingerprintOf, kept })
  const writes = part(all)
  const operations = operationsFor(writes, ownership.owner, ownership.own[0]?.id)
  const requests = operations.length
  if (requests === 0) return { outcome: { state: 'none', requests }, writes }
  const isOptional = ownership.own.length === 0 && all.struck.length === 0 && prepared.resolved.prune !== true
  const failed = (failure: InventoryFailure) =>
    ({ outcome: { state: 'failed', requests, ...failure, isOptional }, writes }) as const
  if (run.stopped !== undefined) return failed({ message: `not written: ${run.stopped}` })
  if (run.stop.aborted) return failed({ message: 'interrupted before it was written' })
  for (const operation of operations) {
    // Nothing new is sent after a signal; the next run continues.
    if (run.stop.aborted) return failed({ message: 'interrupted before it was complete' })
    const problem = await problemWith(operation, { ...run, organization: run.prepared.plan.organization })
    if (problem !== undefined) return failed(problem)
  }
  return { outcome: { state: 'written', requests }, writes }
}

/** The writes as operations, in order. `id` is the inventory, if the owner already has one. */
function operationsFor(
  { added, changed, removed, struck }: InventoryWrites,
  owner: string,
  id: VariableSetId | undefined,
): Operation[] {
  const name = `${INVENTORY_PREFIX}${owner}`
  const description = 'What Setpoint manages for this owner. Written by it; assigned to nothing.'
  const settings = { name, description, global: false, priority: false }
  const set = { kind: 'variable-set', name } as const
  const adding = (): Operation[] => {
    if (id !== undefined)
      return added.map(after => ({
        type: 'create-variable',
        subject: { ...set, id },
        after,
        replaces: false,
      }))
    const after = { ...settings, variables: added, workspaces: [], projects: [] }
    return added.length === 0 ? [] : [{ type: 'create-set', subject: set, after }]
  }
  const change = ({
    inventory,
    variable,
    text,
  }: EntryPlace & { readonly text: InventoryText }): Operation => ({
    type: 'update-variable',
    subject: { ...set, id: inventory },
    variableId: variable,
    before: unknownBefore(text),
    after: text,
  })
  const removal = ({ inventory, variable }: EntryPlace): Operation => ({
    type: 'delete-variable',
    subject: { ...set, id: inventory },
    variableId: variable,
    before: unknownBefore({ key: 'terraform/', ...NO_FIELDS }),
    replaced: false,
  })
  return [...adding(), ...changed.map(change), ...[...removed, ...struck].map(removal)]
}

const unknownBefore = (variable: Omit<Variable<unknown>, 'value'>) =>
  ({ key: variable.key, ...fieldsOf(variable), value: { withheld: true } }) as const

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
