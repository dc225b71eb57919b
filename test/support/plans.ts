import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan, type PlanOptions } from '../../src/plan/create.ts'
import type { OperationId } from '../../src/plan/operation.ts'
import type { Plan, Step } from '../../src/plan/plan-data.ts'

export const OPTIONS: PlanOptions = { address: 'https://service.test', only: [], reads: 1 }

/** The plan. Throws if there is none, with the reasons. */
export function planOf(
  desired: ResolvedState,
  observed: ObservedState,
  options: Partial<PlanOptions> = {},
): Plan {
  const { value, diagnostics } = createPlan(desired, observed, { ...OPTIONS, ...options })
  if (value === undefined) throw new Error(diagnostics.map(d => `${d.code}: ${d.message}`).join('\n'))
  return value
}

/** `id`, and its dependencies: `create-variable b env/X  after delete-variable a env/X`. */
export const printed = (plan: Plan): string[] =>
  plan.steps.map(step =>
    step.after.length === 0 ? step.id : `${step.id}  after ${waitsOf(step).join(', ')}`,
  )

/** The steps that it waits for. */
export const waitsOf = ({ after }: Pick<Step, 'after'>): OperationId[] => after.map(({ step }) => step)

export const codes = (
  desired: ResolvedState,
  observed: ObservedState,
  options: Partial<PlanOptions> = {},
): string[] =>
  createPlan(desired, observed, { ...OPTIONS, ...options }).diagnostics.map(d => `${d.severity} ${d.code}`)
