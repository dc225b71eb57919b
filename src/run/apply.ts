import type { Answers } from '../apply/answers.ts'
import { applySteps } from '../apply/apply.ts'
import { executeWith } from '../apply/execute.ts'
import type { ApplyResult, Closing, StepResult } from '../apply/outcome.ts'
import { resolveSecrets } from '../apply/secrets.ts'
import { type Diagnostic, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { secretsSent } from '../plan/operation.ts'
import { storedOtherwise } from '../plan/stored-text.ts'
import type { ApplyRun } from './apply-run.ts'
import { settleOutcomes } from './closing.ts'
import { closingRead, NOTHING_READ } from './closing-read.ts'
import { goneTargets } from './confirm-names.ts'
import { exitCodeOf } from './exit-code.ts'
import { listManaged, strikeGone } from './inventory.ts'
import type { Prepared } from './prepare.ts'
import { listingIsProven } from './proof.ts'
import { secondRound } from './second-round.ts'

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
  const answers: Answers = new Map()
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
