import type { Closing, StepResult } from '../apply/outcome.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import { showsInService } from '../plan/done.ts'

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
 * A step whose answer was lost has succeeded where the closing read asks for it no more. A secret that was rewritten
 * stays unknown: the service shows the same either way.
 */
export function settleOutcomes(results: readonly StepResult[], closing: Closing): StepResult[] {
  if (closing.state !== 'equal' && closing.state !== 'differs') return [...results]
  const remaining = new Set(closing.state === 'differs' ? closing.remaining.steps.map(step => step.id) : [])
  return results.map(result => {
    const { step, outcome } = result
    if (outcome.status !== 'unknown' || remaining.has(step.id) || !showsInService(step.operation))
      return result
    return { step, outcome: { status: 'succeeded', note: 'the answer was lost; seen in the closing read' } }
  })
}
