import type { ApplyResult, StepOutcome, StepResult } from '../apply/outcome.ts'
import { type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { beyondDigest } from '../plan/consent.ts'
import { canBeAccepted, type OperationId } from '../plan/operation.ts'
import { isForbidden, type Plan } from '../plan/plan-data.ts'
import { isDrift } from '../plan/plan-findings.ts'
import type { Reach } from '../plan/reach.ts'
import { type EndView, endOf } from './apply-summary.ts'
import { countsBySign, type SetView, type StepStatus } from './change.ts'
import { commandLine, type TypedCommand } from './command-line.ts'
import { type EffectsView, effectsOf } from './effects.ts'
import type { Failure } from './failure-doc.ts'
import { driftLines, driftOrNone } from './left-drift.ts'
import type { Again } from './next-steps.ts'
import {
  command,
  counted,
  figure,
  listed,
  name,
  type Phrase,
  present,
  type Quote,
  say,
  secretPlace,
} from './phrase.ts'
import type { Context } from './report-context.ts'
import { findingsIn, type Review, reviewOf, sentenceOf, unmended } from './review.ts'
import type { RunInfo } from './run-info.ts'
import { setsOf } from './set-view.ts'
import { driftCounts, line, requestsOf, type Total, totalsOf, totalsOfApplied } from './totals.ts'

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
    headline: headlineOf(kind, plan, sets),
    review: reviewOf(findingsIn(plan, report.kind)),
    totals: [
      ...totalsOf(plan).filter(({ label }) => sets.length > 0 || label !== 'Equal'),
      ...driftOrNone(plan),
      ...(report.isSaved ? [CLAIMS] : []),
    ],
    effects: effectsOf(plan),
    cost: requestsOf(plan),
  }
  if (kind === 'drift') return { ...planned, totals: [...planned.totals, ...waysOut(plan, sets, typed)] }
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

/** What somebody who edits a plan file can change without another digest. */
const CLAIMS: Total = {
  label: 'Digest',
  phrase: [
    'covers the operations; names of workspaces, effects, exposure and warnings are claims of the file',
  ],
}

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

function approval(plan: Plan, typed: TypedCommand | undefined): NonNullable<View['approve']> {
  if (typed === undefined) return {}
  const { address, digest } = plan
  const apply = commandLine(typed).as('apply').without('--auto-approve', '--approve')
  // A saved plan tells its service, and `show` has no flag for it.
  const there = address === 'sandbox' ? apply.withSwitch('--sandbox') : apply
  if (beyondDigest(plan) === undefined) return { command: there.with('--approve', digest).quote }
  // A digest does not name members of projects: the plan file does, and has its selection.
  const save = there.as('plan').with('--out', 'plan.json')
  const file = there.without('--only').withFile('plan.json').with('--approve', digest)
  return { command: command(`${save.quote.text} && ${file.quote.text}`) }
}

/** The commands that revert or accept the drift of this report. */
function waysOut(plan: Plan, sets: readonly SetView[], typed: TypedCommand | undefined): Total[] {
  const { only } = plan
  const [first, ...others] = sets
  if (first === undefined) return []
  const made = madeOutside(sets)
  const filesOf = ({ changes }: SetView): readonly string[] =>
    changes.flatMap(({ steps }) => steps.flatMap(({ file }) => file ?? []))
  const offered = made.filter(({ changes }) =>
    changes.some(
      ({ origin, steps }) =>
        origin !== 'not-applied' && steps.some(({ operation }) => canBeAccepted(operation)),
    ),
  )
  // `export --update` writes only set files, never the file that a value comes from.
  const takeable = offered.filter(set => filesOf(set).length === 0).map(set => set.name)
  const byHand = [...new Set(offered.flatMap(filesOf))]
  const isAll = takeable.length === sets.length && others.length > 0
  const updates = isAll ? (only.length === 0 ? ['*'] : only) : takeable
  const origins = new Map(plan.facts.origins.map(({ set, items }) => [set, items]))
  const renamed = plan.steps.flatMap(({ operation }) =>
    operation.type === 'update-set' && origins.get(operation.subject.name)?.name === 'outside'
      ? [say`by hand: rename ${name(operation.after.name)} to ${name(operation.before.name)} in the file`]
      : [],
  )
  const written = plan.steps.flatMap(({ operation }) =>
    operation.type === 'update-variable' && operation.rewrite === 'changed-outside' ? operation : [],
  )
  const apply = typed && commandLine(typed).as('apply')
  const alone = others.length === 0 ? selectorOf(first, plan) : undefined
  const revert = alone === undefined ? apply : apply?.without('--only').with('--only', alone)
  const update =
    typed &&
    commandLine(typed)
      .as('export')
      .with('--update', ...updates)
  return [
    ...line(made.length === 0 ? 'Apply' : 'Revert', revert && [revert.quote]),
    ...labelled(
      'Accept',
      updates.length > 0 && update && [update.quote],
      written.length > 0 &&
        say`by hand: put the value of ${listed(written.map(secretPlace))} into its source, and raise its version`,
      ...renamed,
      byHand.length > 0 && say`by hand: values come from ${listed(byHand)}`,
    ),
  ]
}

/** A line for each way; the first has the label. */
const labelled = (label: string, ...ways: readonly (Phrase | undefined | false)[]): Total[] =>
  present(...ways).flatMap((way, at) => line(at === 0 ? label : '', way))

/**
 * What selects a set with `--only`. One that is deleted beside another of its name has its id there. Nothing selects a pruned set,
 * because a selection suspends pruning.
 */
function selectorOf({ name }: SetView, { steps }: Plan): string | undefined {
  const step = steps.find(({ operation: { subject } }) => subject.name === name)
  if (step?.operation.type !== 'delete-set') return name
  if (step.source === undefined) return undefined
  return step.operation.before.name === name ? name : step.operation.subject.id
}

/** Sets without merged but unapplied changes: accepting those would undo a merge. */
function madeOutside(sets: readonly SetView[]): readonly SetView[] {
  const outside = sets.filter(({ origins }) => origins.includes('outside'))
  if (outside.length > 0) return outside
  return sets.filter(({ origins }) => origins.length !== 1 || origins[0] !== 'not-applied')
}

function statusOf(outcome: StepOutcome | undefined): StepStatus {
  if (outcome === undefined) return 'planned'
  return outcome.status === 'skipped' && outcome.because === 'already-done' ? 'succeeded' : outcome.status
}

function headlineOf(kind: ReportKind, plan: Plan, sets: readonly SetView[]): Phrase {
  const taken = plan.facts.inventory.taken.length
  if (sets.length === 0 && taken > 0)
    return [`${counted(taken, 'set')} ${taken === 1 ? 'is' : 'are'} taken from another owner, and equal.`]
  if (sets.length === 0 && (kind !== 'drift' || !plan.facts.findings.some(isDrift)))
    return [`${kind === 'drift' ? 'No drift' : 'No changes'}. ${counted(plan.facts.equalSets, 'set')} equal.`]
  if (kind === 'drift') return driftHeadline(plan)
  const counts = countsBySign(sets)
  const parts = [
    [counts['~'], 'changes', 'change'],
    [counts['+'], 'is created', 'are created'],
    [counts['-'], 'is deleted', 'are deleted'],
  ] as const
  const told = parts.filter(([count]) => count > 0)
  return [
    told
      .map(
        ([count, one, more], at) => `${at === 0 ? counted(count, 'set') : count} ${count === 1 ? one : more}`,
      )
      .join(', '),
  ]
}

/** `3 sets differ from the files: 1 changed outside, 2 merged and not applied`. */
function driftHeadline(plan: Plan): Phrase {
  const { outside, notApplied, untold } = driftCounts(plan)
  const sets = outside + notApplied + untold
  const parts = present(
    outside > 0 && `${outside} changed outside`,
    notApplied > 0 && `${notApplied} merged and not applied`,
    untold > 0 && untold < sets && `${untold} of unknown origin`,
  )
  const told = parts.length === 0 ? '' : `: ${parts.join(', ')}`
  return [`${counted(sets, 'set')} ${sets === 1 ? 'differs' : 'differ'} from the files${told}`]
}
