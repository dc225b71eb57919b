import type { Checked } from '../../src/model/diagnostic.ts'
import type { DesiredState, ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan, type PlanOptions } from '../../src/plan/create.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { type Asked, type Made, madeFrom, stateSourceOf } from '../../src/run/plan.ts'
import type { ReadOnly } from '../../src/run/service.ts'

/** The plan of these files for a service, as the program makes it. */
export const plannedFor = (
  desired: DesiredState,
  service: ReadOnly,
  only: readonly string[] = [],
  asked: Asked = {},
): Promise<Checked<Made>> =>
  madeFrom(desired, stateSourceOf(service, desired.organization), { ...asked, only })

/** The plan of resolved states, without names. */
export function planFrom(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Checked<Made> {
  const { only, adopt = [], rewrite, fingerprintOf, tool } = options
  const matched = matchStates(resolved, observed, only, adopt)
  const { value: plan, diagnostics, secrecy, reception } = createPlan(resolved, observed, options, matched)
  if (plan === undefined) return { value: plan, diagnostics }
  const { guards } = resolved
  const asked = { only, adopt, rewrite, fingerprintOf, tool }
  return { value: { plan, asked, resolved, observed, matched, secrecy, reception, guards }, diagnostics }
}
