import type { Closing, Outcome, StepResult } from '../apply/outcome.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { covers } from '../plan/covers.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import { showsInService } from '../plan/done.ts'
import type { OperationType } from '../plan/operation.ts'
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
 * secret that was rewritten stays unknown, for the service shows the same either way. One that was answered with success is
 * unknown where the read asks for it again, or could not be made and the answer was a status alone (fault-model F-12, F-18).
 */
export function settleOutcomes(results: readonly StepResult[], closing: Closing): StepResult[] {
  if (closing.state === 'not-needed') return [...results]
  const remaining = closing.state === 'differs' ? closing.remaining.steps : []
  return results.map(({ step, outcome }) => ({ step, outcome: settled(step, outcome, closing, remaining) }))
}

function settled(step: Step, outcome: Outcome, closing: Closing, remaining: readonly Step[]): Outcome {
  const { operation } = step
  const isAskedAgain = remaining.some(({ id }) => id === step.id)
  if (outcome.status === 'succeeded') {
    if (isAskedAgain) return { status: 'unknown', message: NOT_SEEN }
    const isShown = closing.state !== 'unread' || ANSWER_SHOWS[operation.type]
    return isShown ? outcome : { status: 'unknown', message: NOT_READ }
  }
  if (outcome.status !== 'unknown' || closing.state === 'unread' || !showsInService(operation)) return outcome
  // What is asked for may be a narrower operation than the one that was sent.
  const isMissing = isAskedAgain || remaining.some(other => covers(operation, other.operation))
  return isMissing ? outcome : { status: 'succeeded', note: SEEN }
}

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
