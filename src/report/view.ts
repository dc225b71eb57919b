import type { ApplyResult } from '../apply/outcome.ts'
import { type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { changedSets } from '../plan/changed-sets.ts'
import { isForbidden, type Plan } from '../plan/plan-data.ts'
import type { Reach } from '../plan/reach.ts'
import type { SetView } from './change.ts'
import type { TypedCommand } from './command-line.ts'
import { approval, waysOut } from './commands.ts'
import { type EffectsView, effectsOf } from './effects.ts'
import type { Failure } from './failure-doc.ts'
import { driftOrNone } from './left-drift.ts'
import type { Again } from './next-steps.ts'
import { counted, type Phrase, type Quote } from './phrase.ts'
import { CLAIMS, resultOf } from './plan-doc.ts'
import type { Context } from './report-context.ts'
import { tellsOrigins } from './report-context.ts'
import { findingsIn, type Review, reviewOf } from './review.ts'
import type { RunInfo } from './run-info.ts'
import { setsOf } from './set-view.ts'
import { requestsOf, type Total, totalsOf } from './totals.ts'

type ReportKind = 'plan' | 'drift'

/** What is shown, and in which order. Decided here once; each renderer lays it out. Which values are hidden is decided when the plan is made, in `plan/secrecy.ts`. */
export interface View {
  readonly kind: ReportKind
  readonly organization: string
  /** Without `https://`; `SANDBOX` for the embedded service. */
  readonly address: string
  readonly owner?: string
  /** All digits; undefined for drift and for a forbidden plan, which have nothing to approve. */
  readonly digest?: string
  readonly forbidden?: true
  /** ISO 8601. Undefined on stdout, where two runs without a change print the same. */
  readonly at?: string
  /** `1 read, 0 writes`: the requests of this run. */
  readonly requests: Phrase
  /** The report in one line: `2 sets change, 1 is deleted`. */
  readonly headline: Phrase
  readonly review: Review
  readonly sets: readonly SetView[]
  readonly warnings: readonly Diagnostic[]
  readonly totals: readonly Total[]
  readonly effects?: EffectsView
  /** The requests of its apply: `8 requests: 5 update, 2 delete, 1 assign`. */
  readonly cost: Phrase
  /** How a blocked plan is approved: its digest, and the command of the one who planned it. */
  readonly approve?: { readonly command?: Quote }
}

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
    }
  | {
      readonly kind: 'apply'
      readonly result: ApplyResult
      readonly again?: Again
      /** Where the token of the organization belongs, if it has its own. */
      readonly token?: string
    }
)

/** All formats share one view, so long values are compared once. */
const known = new WeakMap<Plan, { readonly view: View; readonly typed: TypedCommand | undefined }>()

type PlannedReport = Extract<SingleReport, { readonly kind: 'plan' | 'drift' }>

export function viewOf(report: PlannedReport): View {
  const shared = known.get(report.plan)
  const isShared = shared?.view.kind === report.kind && shared.typed === report.typed
  const view = isShared ? shared.view : newView(report)
  known.set(report.plan, { view, typed: report.typed })
  return report.at === undefined ? view : { ...view, at: report.at }
}

function newView(report: PlannedReport): View {
  const { kind, typed, plan } = report
  const { organization, address, owner, digest, requests } = plan
  const sets = setsOf(contextOf(plan), kind)
  const view = {
    kind,
    organization,
    address: address === 'sandbox' ? 'SANDBOX' : address.replace(/^https:\/\//, ''),
    owner,
    requests: [`${counted(requests.reads, 'read')}, ${counted(0, 'write')}`],
    sets,
    // *Review first* says which rules are violated.
    warnings: sortDiagnostics(plan.diagnostics.filter(({ code }) => code !== 'rule-violated')),
  }
  const planned = {
    ...view,
    headline: resultOf(kind, plan, sets),
    review: reviewOf(findingsIn(plan, report.kind)),
    totals: [
      ...totalsOf(plan).filter(({ label }) => sets.length > 0 || label !== 'Equal'),
      ...driftOrNone(plan),
      ...(report.isSaved ? [CLAIMS] : []),
    ],
    effects: effectsOf(plan),
    cost: requestsOf(plan),
  }
  if (kind === 'drift')
    return {
      ...planned,
      totals: [...planned.totals, ...waysOut(plan, changedSets(plan, tellsOrigins(plan, kind)), typed)],
    }
  if (isForbidden(plan)) return { ...planned, forbidden: true }
  return { ...planned, digest, ...(plan.blocked && { approve: approval(plan, typed) }) }
}

function contextOf(plan: Plan): Context {
  const updated = new Map(plan.facts.origins.map(({ set, updatedAt }) => [set, updatedAt]))
  return {
    plan,
    hidden: new Set(plan.facts.hidden),
    updatedAt: set => updated.get(set),
    statusOf: () => 'planned',
  }
}
