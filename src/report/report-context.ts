import type { Origin, Plan, Step } from '../plan/plan-data.ts'
import type { HiddenKeys, StepStatus } from './change.ts'

/** What the entries of a report are made from, looked up once for a plan. */
export interface Context {
  readonly plan: Plan
  readonly hidden: HiddenKeys
  /** When a set was changed outside, ISO 8601. */
  readonly updatedAt: (set: string) => string | undefined
  readonly statusOf: (step: Step) => StepStatus
}

/** The origins that a report shows. A plan without a base shows only what was changed outside: everything else is what the plan is for. */
export const tellsOrigins =
  ({ facts }: Plan, kind: 'plan' | 'drift' | 'apply') =>
  (origin: Origin): boolean =>
    facts.base !== undefined || kind === 'drift' || origin === 'outside'
