import { type Verb, verbOf } from './operation.ts'
import type { Step, Summary } from './plan.ts'

/** How many operations of each verb. */
export function summaryOf(steps: readonly Step[]): Summary {
  const counts: Record<Verb | 'changes', number> = {
    create: 0,
    update: 0,
    delete: 0,
    assign: 0,
    unassign: 0,
    changes: steps.length,
  }
  for (const step of steps) counts[verbOf[step.operation.type]]++
  return counts
}
