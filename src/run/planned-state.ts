import type { PlannedState } from '../model/planned.gen.ts'
import { formerlyBy, plannedOf } from '../plan/planned.ts'
import { namesIn } from '../plan/reach.ts'
import type { Prepared } from './prepare.ts'

/** What a plan leads to: rules see it, and JSON reports have it. */
export const plannedIn = ({ plan, matched, resolved, secrecy, base }: Prepared): PlannedState =>
  plannedOf(
    plan,
    matched.match,
    namesIn(resolved.directory),
    secrecy,
    resolved.groups,
    formerlyBy(matched.ownership, base),
  )
