import type { Closing, Outcome, StepResult } from '../apply/outcome.ts'
import { nameOf } from '../model/ids.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { covers } from '../plan/covers.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import { showsInService } from '../plan/done.ts'
import { type Operation, type OperationType, variableOf } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'

/**
 * What the service shows after an apply, as the plan that would still be needed. Only from an empty one may success
 * be reported.
 */
export function judgeClosing(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Closing {
  const { value, diagnostics } = createPlan(resolved, observed, { ...options, narrow: true })
  if (value === undefined) return { state: 'unread', message: diagnostics.map(d => d.message).join(' ') }
  return value.steps.length === 0 ? { state: 'equal' } : { state: 'differs', remaining: value }
}

/**
 * Outcomes as the closing read shows them. A step whose answer was lost has succeeded where the read asks for it no more; a
 * secret that was rewritten stays unknown, for the service shows the same either way. One that was answered with a status
 * alone is unknown where the read asks for it again or could not be made (fault-model F-12, F-18).
 */
export function settleOutcomes(results: readonly StepResult[], closing: Closing): StepResult[] {
  if (closing.state === 'not-needed') return [...results]
  const remaining = closing.state === 'differs' ? closing.remaining.steps : []
  return results.map(({ step, outcome }) => ({ step, outcome: settled(step, outcome, closing, remaining) }))
}

function settled(step: Step, outcome: Outcome, closing: Closing, remaining: readonly Step[]): Outcome {
  const { operation } = step
  const isMissing = remaining.some(other => other.id === step.id || isAbout(other.operation, operation))
  if (outcome.status === 'succeeded') {
    if (ANSWER_SHOWS[operation.type]) return outcome
    if (isMissing) return { status: 'unknown', message: NOT_SEEN }
    return closing.state === 'unread' ? { status: 'unknown', message: NOT_READ } : outcome
  }
  if (outcome.status !== 'unknown') return outcome
  if (!showsInService(operation))
    return { ...outcome, message: `${outcome.message}; ${howToRepeat(operation)}` }
  if (closing.state === 'unread') return outcome
  return isMissing ? outcome : { status: 'succeeded', note: SEEN }
}

/** Nobody can see whether a secret arrived, so nobody else would write it again. */
const howToRepeat = (operation: Operation): string =>
  `to write it again: --rewrite ${JSON.stringify(`${operation.set}/${nameOf(variableOf(operation) ?? 'env/')}`)}`

/** What is asked for may be narrower than what was sent; and of a set that is not shown nothing is known. */
const isAbout = (asked: Operation, sent: Operation): boolean =>
  covers(sent, asked) || (asked.type === 'create-set' && asked.set === sent.set && sent.type !== 'delete-set')

const SEEN = 'its answer did not show it; the closing read does'

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
