import type { DesiredState, ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan, type PlanOptions } from '../../src/plan/create.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import {
  type Planned,
  type PlanRequest,
  preparePlan,
  type ReadOnly,
  stateSourceOf,
} from '../../src/run/prepare.ts'

/** The plan of these files for a service, as the program makes it. */
export const plannedFor = (
  desired: DesiredState,
  service: ReadOnly,
  only: readonly string[] = [],
  request: PlanRequest = {},
): Promise<Planned> => preparePlan(desired, stateSourceOf(service, desired.organization), only, request)

/** The plan of resolved states, without names. */
export function planFrom(resolved: ResolvedState, observed: ObservedState, options: PlanOptions): Planned {
  const { only, adopt = [] } = options
  const matched = matchStates(resolved, observed, only, adopt)
  const { value, diagnostics, secrecy, reception } = createPlan(resolved, observed, options, matched)
  if (value === undefined || secrecy === undefined || reception === undefined) return { diagnostics }
  const { guards } = resolved
  const prepared = {
    plan: value,
    resolved,
    observed,
    matched,
    secrecy,
    reception,
    guards,
    adopt,
    diagnostics,
  }
  return { prepared, diagnostics }
}
