import { findSets, observe, observeSets, proveStable } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { executeWith } from '../apply/execute.ts'
import type { ApplyResult, Closing, StepResult, WriteProofs } from '../apply/outcome.ts'
import { applySteps } from '../apply/schedule.ts'
import { resolveSecrets } from '../apply/secrets.ts'
import { type Diagnostic, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { toCompactJson } from '../model/json.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { secretsSent } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
import { storedOtherwise } from '../plan/stored-text.ts'
import type { ApplyRun } from './apply-run.ts'
import { secondRound, settleOutcomes } from './closing.ts'
import { closingRead, NOTHING_READ } from './closing-read.ts'
import { goneTargets } from './confirm-names.ts'
import { listManaged, strikeGone } from './inventory.ts'
import type { Prepared } from './prepare.ts'

/**
 * Executes a plan that was consented to. Every secret is resolved and the listing proven before the first write;
 * success is reported from the closing read alone. Without a result, the diagnostics say why nothing was written.
 */
export async function applyPrepared(
  run: ApplyRun,
): Promise<{ result?: ApplyResult; diagnostics: readonly Diagnostic[] }> {
  const { prepared, service } = run
  const { plan } = prepared
  const secrets = resolveSecrets(plan.steps, run.secrets, placeIn(prepared))
  if (hasErrors(secrets.diagnostics)) return { diagnostics: secrets.diagnostics }
  if (!(await listingIsProven(service.reader, prepared, run.stop))) return { diagnostics: [MOVED] }
  const answers: WriteProofs = new Map()
  const writer = service.writer()
  const execute = executeWith({
    reader: service.reader,
    writer,
    organization: plan.organization,
    secrets: secrets.values,
    answers,
    retriesExhausted: service.retriesExhausted,
    stop: run.stop,
    sleep: run.sleep,
    goneTargets: (operation, signal) => goneTargets(operation, prepared, service.reader, signal),
  })
  const applied = await applySteps(plan.steps, execute, run)
  const inventory = {
    ...run,
    stopped: applied.stopped,
    writer,
    answers,
    fingerprintOf: run.fingerprintOf ?? (() => []),
  }
  const listed = await listManaged({ ...inventory, results: applied.results })
  const wrote = service.requests().writes > 0
  const told = { results: applied.results, answers, listed: listed.entries }
  let evidence = wrote ? await closingRead(run, told) : NOTHING_READ
  const again = await secondRound(run, execute, applied.results, evidence.closing, answers)
  if (again.length > 0) evidence = await closingRead(run, { ...told, results: [...told.results, ...again] })
  const { closing } = evidence
  const results = settleOutcomes(applied.results, evidence)
  const written = await strikeGone({ ...inventory, results }, listed, evidence.isListed)
  const sent = results.filter(({ outcome }) => outcome.status === 'succeeded')
  const secretsIn = (some: readonly StepResult[]): number =>
    some.reduce((sum, { step }) => sum + secretsSent(step.operation).length, 0)
  const ended = {
    plan,
    results,
    secrets: {
      sent: secretsIn(sent),
      versioned: secretsIn(sent.filter(({ step }) => evidence.moved.get(step.id) === true)),
    },
    requests: service.requests(),
    closing,
    inventory: written,
    ...pick(applied.stopped),
  }
  return {
    result: { ...ended, exitCode: exitCodeOf(ended, run.stop.aborted) },
    diagnostics: [...secrets.diagnostics, ...storedWarnings(closing, plan.owner !== undefined)],
  }
}

const storedWarnings = (closing: Closing, recorded: boolean): Diagnostic[] =>
  'stored' in closing ? (closing.stored ?? []).map(one => storedOtherwise(one, recorded)) : []

const pick = (stopped: string | undefined) => (stopped === undefined ? {} : { stopped })

const MOVED: Diagnostic = {
  severity: 'error',
  code: 'incomplete-listing',
  message:
    'The listing of the sets changes from read to read, or leaves some out, and this plan creates, deletes or unassigns. Nothing was written.',
  hint: 'Somebody is changing the organization at this moment. Run it again when that is over.',
}

function placeIn({ resolved }: Prepared): (set: string, key: string) => SourceRange | undefined {
  return (set, key) => {
    const found = resolved.sets.find(candidate => candidate.name === set)
    return found?.variables.find(variable => variable.key === key)?.source ?? found?.source
  }
}

/**
 * The exit code of an apply, without the signal's own. 0 only where the closing read showed that
 * nothing is left; 1 where certainly nothing was written; 3 for everything between.
 */
export function exitCodeOf(ended: Omit<ApplyResult, 'exitCode'>, interrupted: boolean): number {
  const outcomes = ended.results.map(result => result.outcome.status)
  const clean = outcomes.every(status => status === 'succeeded') && ended.inventory?.state !== 'failed'
  if (clean && !interrupted && (ended.closing.state === 'equal' || outcomes.length === 0)) return 0
  const maybeListed = ended.inventory?.state !== 'none' && ended.requests.writes > 0
  const maybeWritten = maybeListed || outcomes.some(status => status === 'succeeded' || status === 'unknown')
  return maybeWritten ? 3 : 1
}

/**
 * Pages are cut by number, so an item can slide from one to another between two reads and never be seen. Where
 * something is to be deleted or unassigned and there are several pages, two passes in a row have to be equal, and
 * equal to what was planned from; where sets are only created, none of their names may have come to light
 * (docs/fault-model.md F-30). One page is a snapshot by itself and costs nothing here.
 */
async function listingIsProven(
  reader: Reader,
  { plan, observed }: Prepared,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await hidesNothing(reader, plan, observed, signal))) return false
  if (observed.pages === 1) return true
  const takesAway = plan.steps.some(
    ({ operation: { type } }) => type.startsWith('delete-') || type === 'unassign',
  )
  if (!takesAway) return await namesAreFree(reader, plan, observed, signal)
  const proven = await proveStable(reader, observed, signal)
  return proven === observed || toCompactJson(proven.sets) === toCompactJson(observed.sets)
}

/**
 * A set that our inventory lists and the listing does not show was deleted by somebody, or is hidden, and would be made
 * twice: it is asked for by itself (docs/fault-model.md F-15). Costs nothing where there is none.
 */
async function hidesNothing(
  reader: Reader,
  { steps, owner }: Plan,
  { sets, inventories = [] }: ObservedState,
  signal: AbortSignal,
): Promise<boolean> {
  if (!steps.some(({ operation }) => operation.type === 'create-set')) return true
  const shown = new Set(sets.map(({ id }) => id))
  const listed = inventories.filter(inventory => inventory.owner === owner)
  const missing = listed
    .flatMap(({ entries }) => entries.map(({ setId }) => setId))
    .filter(id => !shown.has(id))
  return (await observeSets(reader, missing, signal)).sets.length === 0
}

/** The cheaper of one look-up a name and the whole list. A name may still be held by a set that was planned with. */
async function namesAreFree(
  reader: Reader,
  { organization, steps }: Plan,
  observed: ObservedState,
  signal: AbortSignal,
): Promise<boolean> {
  const names = new Set(
    steps.flatMap(({ operation }) => (operation.type === 'create-set' ? [operation.after.name] : [])),
  )
  if (names.size === 0) return true
  const found =
    names.size < observed.pages
      ? await Promise.all([...names].map(name => findSets(reader, organization, name, signal)))
      : [(await observe(reader, organization, { signal })).sets]
  const known = new Set(observed.sets.map(({ id }) => id))
  return !found.flat().some(({ id, name }) => names.has(name) && !known.has(id))
}
