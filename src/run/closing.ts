import type { Closing, StepResult } from '../apply/outcome.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'

/**
 * What the service shows after an apply, as the plan that would still be needed. Only from an empty one may success
 * be reported.
 */
export function judgeClosing(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Closing {
  const { value, diagnostics } = createPlan(resolved, observed, options)
  if (value === undefined) return { state: 'unread', message: diagnostics.map(d => d.message).join(' ') }
  return value.steps.length === 0 ? { state: 'equal' } : { state: 'differs', remaining: value }
}

/** A step whose answer was lost has succeeded where the closing read asks for it no more. */
export function settleOutcomes(results: readonly StepResult[], closing: Closing): StepResult[] {
  const remaining =
    closing.state === 'differs' ? new Set(closing.remaining.steps.map(step => step.id)) : new Set()
  const seen = closing.state === 'equal' || closing.state === 'differs'
  return results.map(result => {
    const { step, outcome } = result
    if (!seen || outcome.status !== 'unknown' || remaining.has(step.id)) return result
    return { step, outcome: { status: 'succeeded', note: 'the answer was lost; seen in the closing read' } }
  })
}
