import type { ApplyResult, StepOutcome, StepResult } from '../apply/outcome.ts'
import { type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { changedSets } from '../plan/changed-sets.ts'
import type { OperationId } from '../plan/operation.ts'
import { isForbidden, type Plan } from '../plan/plan-data.ts'
import { isDrift } from '../plan/plan-findings.ts'
import type { Reach } from '../plan/reach.ts'
import { type EndView, endOf } from './apply-summary.ts'
import type { SetView, StepStatus } from './change.ts'
import type { TypedCommand } from './command-line.ts'
import { approval, waysOut } from './commands.ts'
import { type EffectsView, effectsOf } from './effects.ts'
import type { Failure } from './failure-doc.ts'
import { driftLines, driftOrNone } from './left-drift.ts'
import type { Again } from './next-steps.ts'
import { counted, figure, type Phrase, type Quote } from './phrase.ts'
import { CLAIMS, resultOf } from './plan-doc.ts'
import type { Context } from './report-context.ts'
import { tellsOrigins } from './report-context.ts'
import { findingsIn, type Review, reviewOf, sentenceOf, unmended } from './review.ts'
import type { RunInfo } from './run-info.ts'
import { setsOf } from './set-view.ts'
import { line, requestsOf, type Total, totalsOf, totalsOfApplied } from './totals.ts'

type ReportKind = 'plan' | 'drift' | 'apply'

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
  readonly end?: EndView
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
const known = new WeakMap<
  Plan | ApplyResult,
  { readonly view: View; readonly typed: TypedCommand | undefined }
>()

export function viewOf(report: SingleReport): View {
  const subject = report.kind === 'apply' ? report.result : report.plan
  const shared = known.get(subject)
  const isShared = shared?.view.kind === report.kind && shared.typed === report.typed
  const view = isShared ? shared.view : newView(report)
  known.set(subject, { view, typed: report.typed })
  return report.kind === 'apply' || report.at === undefined ? view : { ...view, at: report.at }
}

function newView(report: SingleReport): View {
  const { kind, typed } = report
  const { plan, requests, results } = report.kind === 'apply' ? report.result : unapplied(report.plan)
  const { organization, address, owner, digest } = plan
  const sets = setsOf(contextOf(plan, results), kind)
  const { summary, facts } = plan
  const expected = summary.changes + facts.inventory.requests
  const differs = kind === 'apply' && requests.writes > 0 && requests.writes !== expected
  const comparison = differs ? ` (${figure(expected)} planned)` : ''
  const view = {
    kind,
    organization,
    address: address === 'sandbox' ? 'SANDBOX' : address.replace(/^https:\/\//, ''),
    owner,
    requests: [`${counted(requests.reads, 'read')}, ${counted(requests.writes, 'write')}${comparison}`],
    sets,
    // *Review first* says which rules are violated.
    warnings: sortDiagnostics(plan.diagnostics.filter(({ code }) => code !== 'rule-violated')),
  }
  // After an apply there is nothing left to review.
  if (report.kind === 'apply') {
    const end = endOf(report.result, report)
    const totals = [...totalsOfApplied(report.result), ...driftLines(plan), ...stillMissing(plan)]
    return {
      ...view,
      digest,
      headline: end.headline,
      review: { every: [], shown: [] },
      totals,
      cost: [],
      end,
    }
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

/** What no apply can mend is said again by each. */
export const stillMissing = ({ facts }: Plan): Total[] =>
  unmended(facts.findings.filter(isDrift)).flatMap(one => line(FINDING_LABELS[one.kind], sentenceOf(one)))

const FINDING_LABELS = {
  missing: 'Missing',
  readable: 'Readable',
  override: 'Overridden',
} as const

/** A plan as the result of an apply that has not begun. */
const unapplied = (plan: Plan) => ({ plan, requests: { reads: plan.requests.reads, writes: 0 }, results: [] })

function contextOf(plan: Plan, results: readonly StepResult[]): Context {
  const updated = new Map(plan.facts.origins.map(({ set, updatedAt }) => [set, updatedAt]))
  const outcomes = new Map<OperationId, StepOutcome>(results.map(({ step, outcome }) => [step.id, outcome]))
  return {
    plan,
    hidden: new Set(plan.facts.hidden),
    updatedAt: set => updated.get(set),
    statusOf: step => statusOf(outcomes.get(step.id)),
  }
}

function statusOf(outcome: StepOutcome | undefined): StepStatus {
  if (outcome === undefined) return 'planned'
  return outcome.status === 'skipped' && outcome.because === 'already-done' ? 'succeeded' : outcome.status
}
