import { observe, observeSets, proveStable } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { executeWith } from '../apply/execute.ts'
import type { ApplyResult, Closing, StepResult, WriteProofs } from '../apply/outcome.ts'
import { resolveSecrets } from '../apply/resolve-secrets.ts'
import { applySteps } from '../apply/schedule.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { withoutAccepted } from '../model/findings.ts'
import { toCompactJson } from '../model/json.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { secretsSent } from '../plan/items.ts'
import { verbOf } from '../plan/operation.ts'
import type { Plan } from '../plan/plan-data.ts'
import { storedOtherwise } from '../plan/stored-text.ts'
import type { ApplyRun, WritingRun } from './apply-run.ts'
import { closingRead, type Evidence, judgeOutcomes, NOTHING_READ } from './closing.ts'
import { exitCodeOfApply } from './exit-codes.ts'
import { type Made, placeIn } from './plan.ts'
import { completeInventory, recordManaged, type WrittenEntries } from './record-managed.ts'

/**
 * Executes an approved plan. Every secret is resolved and the listing proven before the first write. Success is reported only
 * from reading the service back. Without a result, the diagnostics say why nothing was written.
 */
export async function applyPrepared(
  run: ApplyRun,
): Promise<{ result?: ApplyResult; diagnostics: readonly Diagnostic[] }> {
  const { prepared, service } = run
  const { plan } = prepared
  const secrets = resolveSecrets(plan.steps, run.secrets, placeIn(prepared))
  if (hasErrors(secrets.diagnostics)) return { diagnostics: secrets.diagnostics }
  const reader = service.reader.until(run.stop)
  if (!(await listingIsProven(reader, prepared))) return { diagnostics: [MOVED] }

  const writing = startWriting(run, secrets.values)
  const { results: sent, stopped } = await applySteps(plan.steps, writing.execute, run)
  const listed = await recordManaged({ ...writing, stopped, results: sent, sent })

  const evidence = await readBack(writing, sent, listed)
  const results = judgeOutcomes(sent, evidence)
  const inventory = await completeInventory({ ...writing, stopped, results, sent }, listed, evidence.state)

  const ended = {
    plan,
    results,
    secrets: secretsWritten(results, evidence),
    requests: service.requests(),
    closing: evidence.closing,
    inventory,
    stopped,
  }
  return {
    result: { ...ended, exitCode: exitCodeOfApply(ended, run.stop.aborted) },
    diagnostics: withoutAccepted(
      [...secrets.diagnostics, ...storedWarnings(evidence.closing, plan.owner !== undefined)],
      prepared.resolved.sets,
    ),
  }
}

/** From here on, the run may write. */
function startWriting(run: ApplyRun, secrets: ReturnType<typeof resolveSecrets>['values']): WritingRun {
  const { prepared, service, stop, abandon, sleep } = run
  const answers: WriteProofs = new Map()
  const reader = service.reader.until(abandon)
  const writer = service.writer(abandon)
  const execute = executeWith({
    reader,
    writer,
    organization: prepared.plan.organization,
    known: new Set(prepared.observed.sets.map(({ id }) => id)),
    secrets,
    answers,
    retriesExhausted: service.retriesExhausted,
    stop,
    sleep,
  })
  return { ...run, writer, answers, execute }
}

const readBack = async (
  run: WritingRun,
  results: readonly StepResult[],
  { entries: listed }: WrittenEntries,
): Promise<Evidence> =>
  run.service.requests().writes === 0
    ? NOTHING_READ
    : await closingRead(run, { results, answers: run.answers, listed })

/** Secrets that were sent, and how many of them the service confirms by a new version. */
function secretsWritten(
  results: readonly StepResult[],
  { moved }: Evidence,
): { readonly sent: number; readonly versioned: number } {
  const count = (some: readonly StepResult[]): number =>
    some.reduce((sum, { step }) => sum + secretsSent(step.operation).length, 0)
  const succeeded = results.filter(({ outcome }) => outcome.status === 'succeeded')
  return {
    sent: count(succeeded),
    versioned: count(succeeded.filter(({ step }) => moved.get(step.id) === true)),
  }
}

const storedWarnings = (closing: Closing, isOwned: boolean): Diagnostic[] =>
  'stored' in closing
    ? (closing.stored ?? []).map(one => storedOtherwise(one, { looksSecret: looksLikeSecret, isOwned }))
    : []

const MOVED = mistake(
  'incomplete-listing',
  'The list of sets is changing or incomplete, and this plan creates, deletes or unassigns. Nothing was written.',
  'Somebody is changing the organization right now. Try again later.',
)

/**
 * Pages are cut by number, so a set that moves between two reads may never be seen (docs/fault-model.md F-30). So several pages are
 * read once more: before anything is deleted or unassigned, two passes must be equal, and equal to what was planned from; before
 * sets are only created, no other set may have one of their names. One page is consistent by itself and needs no request.
 */
async function listingIsProven(reader: Reader, { plan, observed }: Made): Promise<boolean> {
  if (!(await hidesNothing(reader, plan, observed))) return false
  const operations = plan.steps.map(({ operation }) => operation)
  const created = new Set(operations.flatMap(one => (one.type === 'create-set' ? [one.after.name] : [])))
  const takesAway = operations.some(({ type }) => ['delete', 'unassign'].includes(verbOf[type]))
  if (observed.pages === 1 || !(takesAway || created.size > 0)) return true
  const now = takesAway ? await proveStable(reader, observed) : await observe(reader, plan.organization)
  if (takesAway) return toCompactJson(now.sets) === toCompactJson(observed.sets)
  const known = new Set(observed.sets.map(({ id }) => id))
  return !now.sets.some(({ id, name }) => created.has(name) && !known.has(id))
}

/**
 * A set in our inventory that the list lacks was deleted, or is hidden and would be created twice. So it is read by itself
 * (docs/fault-model.md F-15). Needs no request if there is none.
 */
async function hidesNothing(
  reader: Reader,
  { steps, owner }: Plan,
  { sets, inventories = [] }: ObservedState,
): Promise<boolean> {
  if (!steps.some(({ operation }) => operation.type === 'create-set')) return true
  const shown = new Set(sets.map(({ id }) => id))
  const listed = inventories.filter(inventory => inventory.owner === owner)
  const missing = listed
    .flatMap(({ entries }) => entries.map(({ setId }) => setId))
    .filter(id => !shown.has(id))
  return (await observeSets(reader, missing)).sets.length === 0
}
