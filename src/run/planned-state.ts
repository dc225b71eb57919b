import { looksLikeSecret } from '../config/lint.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { plannedOf } from '../plan/planned.ts'
import { toldIn } from '../plan/reach.ts'
import { secrecyOf } from '../plan/secrecy.ts'
import type { Prepared } from './prepare.ts'

/** What a plan leads to: rules see it, and JSON reports have it. */
export function plannedIn({ plan, matched, resolved }: Prepared): PlannedState {
  const operations = plan.steps.map(({ operation }) => operation)
  const { directory, groups } = resolved
  const secrecy = secrecyOf(operations, looksLikeSecret)
  return plannedOf(plan, matched.match, toldIn(directory), secrecy, groups)
}
