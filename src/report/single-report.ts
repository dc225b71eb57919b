import type { ApplyResult } from '../apply/outcome.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import type { Plan } from '../plan/plan-data.ts'
import type { Reach } from '../plan/reach.ts'
import type { TypedCommand } from './command-line.ts'
import type { Failure } from './failure-doc.ts'
import type { Again } from './next-steps.ts'
import type { RunInfo } from './run-info.ts'

/**
 * The report of one organization. `reach`: what all our sets reach, if more is known than the plan; only the page uses it.
 * `at`: when it was planned, ISO 8601. `isSaved`: it comes from a file, and nothing was compared with the service.
 */
export type SingleReport = {
  /** The command of this report, if one was typed: those that it prints are made of it. */
  readonly typed?: TypedCommand
  readonly reach?: () => Reach
  /** The command ended with an error or a refusal, although there is a report. */
  readonly failure?: Failure
  readonly run?: RunInfo
} & (
  | {
      readonly kind: 'plan' | 'drift'
      readonly plan: Plan
      readonly at?: string
      readonly isSaved?: true
      /** What a new plan leads to; only JSON shows it. */
      readonly planned?: () => PlannedState
      /** Of drift: names of sets that a merge or an apply left unfinished. To accept them would undo it. */
      readonly unfinished?: readonly string[]
    }
  | {
      readonly kind: 'apply'
      readonly result: ApplyResult
      readonly again?: Again
      /** Where the token of the organization belongs, if it has its own. */
      readonly token?: string
    }
)
