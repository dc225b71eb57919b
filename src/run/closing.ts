import { observeSets } from '../api/observe.ts'
import type { Closing, StepOutcome, StepResult, WriteProof, WriteProofs } from '../apply/outcome.ts'
import { applySteps } from '../apply/schedule.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { fieldsDiffer, settingsDiffer } from '../model/fields.ts'
import { nameOf, type VariableSetId } from '../model/ids.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { findRemaining, type PlanOptions } from '../plan/create.ts'
import { showsInService } from '../plan/done.ts'
import { changeOf } from '../plan/equality.ts'
import { asksAgainFor, coveredSteps } from '../plan/items.ts'
import { type Operation, type OperationType, variableOf, variablesSent } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import { withSent } from '../plan/stored-text.ts'
import type { Evidence, WritingRun } from './apply-run.ts'
import { storedIn } from './stored.ts'

/**
 * What the service shows after an apply, as the plan that would still be needed. Only from an empty one may success
 * be reported.
 */
export function judgeClosing(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Closing {
  const { value: remaining, diagnostics } = findRemaining(resolved, observed, options)
  if (remaining === undefined)
    return {
      state: 'unread',
      message: diagnostics
        .flatMap(({ message, hint }) => (hint === undefined ? message : [message, hint]))
        .join(' '),
    }
  return remaining.steps.length === 0 ? { state: 'equal' } : { state: 'differs', remaining }
}

/**
 * Outcomes as the closing read shows them. A step whose answer was lost has succeeded where the read asks for it no more; a
 * secret that was rewritten stays unknown, for the service shows the same either way. One that is said to be done is unknown
 * where the read asks for it again, or where the version of its variable did not change; one that was answered with a status
 * alone also where the read could not be made (docs/fault-model.md F-12, F-18). One that was refused was not carried out,
 * unless the read shows it, or nothing could be read.
 */
export function settleOutcomes(
  results: readonly StepResult[],
  { closing, moved, shows }: Pick<Evidence, 'closing' | 'moved' | 'shows'>,
): StepResult[] {
  if (closing.state === 'not-needed') return [...results]
  const remaining = closing.state === 'differs' ? closing.remaining.steps : []
  return results.map(result => ({
    step: result.step,
    cause: result.cause,
    outcome: settled(result, {
      closing,
      isMissing: isMissingIn(remaining, result.step) && !shows(result.step.operation),
      hasMoved: moved.get(result.step.id),
    }),
  }))
}

/** Whether the read asks for something that a step is said to have done: it may be behind. */
export const asksAgain = (closing: Closing, results: readonly StepResult[]): boolean =>
  closing.state === 'differs' &&
  results.some(
    ({ step, outcome }) => outcome.status === 'succeeded' && isMissingIn(closing.remaining.steps, step),
  )

function isMissingIn(remaining: readonly Step[], { id, operation }: Step): boolean {
  const asks = asksAgainFor(operation)
  return remaining.some(other => other.id === id || asks(other.operation))
}

interface StepEvidence {
  readonly closing: Closing
  /** The read asks for what the step was for, and does not show it: another step of the set may be what is left. */
  readonly isMissing: boolean
  /** Whether the version of the variable changed, where it shows one. */
  readonly hasMoved: boolean | undefined
}

function settled(
  { step, outcome, refused }: StepResult,
  { closing, isMissing, hasMoved }: StepEvidence,
): StepOutcome {
  const { operation } = step
  if (outcome.status === 'succeeded') {
    if (isMissing) return { status: 'unknown', message: NOT_SEEN }
    if (hasMoved === false)
      return { status: 'unknown', message: `${SAME_VERSION}; ${howToRepeat(operation)}` }
    if (ANSWER_SHOWS[operation.type]) return outcome
    return closing.state === 'unread' ? { status: 'unknown', message: NOT_READ } : outcome
  }
  if (outcome.status === 'skipped') return outcome
  if (outcome.status === 'unknown' && !showsInService(operation))
    return { ...outcome, message: `${outcome.message}; ${howToRepeat(operation)}` }
  if (closing.state === 'unread' && outcome.status === 'failed' && refused)
    return { status: 'unknown', message: `${outcome.message}; ${REFUSED_UNREAD}` }
  if (closing.state === 'unread' || isMissing) return outcome
  if (outcome.status === 'unknown') return { status: 'succeeded', note: SEEN }
  return showsNothing(operation) && hasMoved !== true ? outcome : refusedAndSeen(operation, outcome.message)
}

/** Nothing but the text of a secret: that no read asks for it says nothing. */
const showsNothing = (operation: Operation): boolean =>
  !showsInService(operation) &&
  operation.type === 'update-variable' &&
  !fieldsDiffer(operation.before, operation.after)

/**
 * What was refused and is there nevertheless: an attempt that a proxy made before, or somebody else, did it. Whose
 * secrets are in it nobody can see.
 */
const refusedAndSeen = (operation: Operation, message: string): StepOutcome =>
  variablesSent(operation).some(({ value }) => 'secret' in value)
    ? { status: 'unknown', message: `${message}; ${REFUSED}; ${howToRepeat(operation)}` }
    : { status: 'succeeded', note: `${REFUSED}: ${message}` }

/** Nobody can see whether a secret arrived, so nobody else would write it again. */
function howToRepeat(operation: Operation): string {
  const key = variableOf(operation)
  const selector = key === undefined ? operation.subject.name : `${operation.subject.name}/${nameOf(key)}`
  return `to write its secrets again: --rewrite ${JSON.stringify(selector)}`
}

const SEEN = 'its answer did not show it; the closing read does'
const REFUSED = 'it was refused, and the closing read shows it all the same'

const REFUSED_UNREAD = 'nothing could be read afterwards that would show whether it was carried out'
const SAME_VERSION =
  'the service said that it was done, and the variable has the version that it had before: the secret was not written'
const NOT_SEEN = 'the service said that it was done, and the closing read does not show it'
const NOT_READ = 'the service said that it was done, and the closing read could not be made'

/** Whether an answer carries the object that was written; the others are a status and nothing else. */
const ANSWER_SHOWS = {
  'create-set': true,
  'update-set': true,
  'delete-set': false,
  'create-variable': true,
  'update-variable': true,
  'delete-variable': false,
  assign: false,
  unassign: false,
} as const satisfies Record<OperationType, boolean>

/**
 * Once, where every step is said to have succeeded and the service still shows what the plan should have removed (one
 * that ignores variables added in an update, say): the same changes as narrower operations. Nothing that was not in the
 * plan is done, nothing that the sets themselves show although the list does not, and nothing that an answer proved. Results
 * of what was sent.
 */
export async function secondRound(
  run: WritingRun,
  results: readonly StepResult[],
  closing: Closing,
): Promise<readonly StepResult[]> {
  if (closing.state !== 'differs' || run.stop.aborted) return []
  if (results.some(({ outcome }) => outcome.status !== 'succeeded')) return []
  const steps = await stillMissing(run, results)
  return steps.length === 0 ? [] : (await applySteps(steps, run.execute, run)).results
}

/**
 * What the touched sets by themselves lack: a list may lag behind them, and what it asks for could undo what was done.
 * Nothing is where they cannot be read: much was written already, so a failure here must not end the run without its
 * report.
 */
async function stillMissing(
  { prepared, service, abandon, answers }: WritingRun,
  results: readonly StepResult[],
): Promise<readonly Step[]> {
  const { plan, resolved, observed, names, adopt } = prepared
  const touched = new Set<VariableSetId>([
    ...plan.steps.flatMap(({ operation }) => operation.subject.id ?? []),
    ...[...answers.values()].flatMap(({ setId }) => setId ?? []),
  ])
  const read = await observeSets(service.reader, [...touched], abandon).catch(() => undefined)
  if (read === undefined) return []
  const seen = [...observed.sets.filter(({ id }) => !touched.has(id)), ...read.sets]
  const sets = withSent(seen, storedIn({ ...observed, sets: seen }, resolved, results, answers))
  const options = {
    address: service.address,
    only: plan.only,
    reads: 0,
    names,
    adopt,
    looksSecret: looksLikeSecret,
  }
  const shown = judgeClosing(resolved, { ...observed, sets }, options)
  if (shown.state !== 'differs') return []
  const steps = shown.remaining.steps.filter(
    ({ operation }) => showsInService(operation) && !isProven(operation, results, answers),
  )
  return coveredSteps(plan, steps)
}

/**
 * Whether an answer showed what is asked for: then the read is behind, or somebody else undid it, and sending it again could make
 * it twice.
 */
const isProven = (asked: Operation, results: readonly StepResult[], answers: WriteProofs): boolean =>
  results.some(({ step: { id, operation } }) => {
    const answer = answers.get(id)
    if (answer === undefined || asked.subject.id === undefined) return false
    return (operation.subject.id ?? answer.setId) === asked.subject.id && proves(answer, asked)
  })

function proves({ settings, variables }: WriteProof, asked: Operation): boolean {
  if (asked.type === 'create-variable') return variables.some(({ key }) => key === asked.after.key)
  if (asked.type === 'update-variable')
    return variables.some(shown => shown.key === asked.after.key && changeOf(shown, asked.after) === 'none')
  return asked.type === 'update-set' && settings !== undefined && !settingsDiffer(settings, asked.after)
}
