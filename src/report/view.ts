import type { ApplyResult, StepOutcome, StepResult } from '../apply/outcome.ts'
import { compareText, type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import { canBeAccepted, type OperationId } from '../plan/operation.ts'
import { isForbidden, type Plan } from '../plan/plan.ts'
import type { Review } from './alert.ts'
import { alertsOf } from './alerts.ts'
import { countsBySign, type SetView, type StepStatus } from './change.ts'
import { type Context, originsIn, relationsOf } from './context.ts'
import { type EffectsView, effectsOf } from './effects.ts'
import { type EndView, endOf } from './end.ts'
import {
  applyCommand,
  type CommandFlags,
  commandOn,
  counted,
  listed,
  type Phrase,
  present,
  say,
} from './phrase.ts'
import { setsOf } from './sets.ts'
import { driftCounts, line, requestsOf, type Total, totalsOf, totalsOfApplied } from './totals.ts'

type ReportKind = 'plan' | 'drift' | 'apply'

/** What is shown and hidden, and in which order. Decided here once; each renderer lays it out. */
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
  /** The command that approves a blocked plan. */
  readonly approve?: Phrase
  /** The digest alone identifies the plan, without further flags. */
  readonly digestSuffices?: boolean
  readonly end?: EndView
}

/** After an apply there is nothing left to review. */
const NOTHING: Review = { every: [], shown: [] }

const NOWHERE: CommandFlags = { place: [], requested: [] }

export function viewOfPlan(plan: Plan, flags: CommandFlags = NOWHERE): View {
  const { digest, ...view } = viewOf('plan', plan, plan.requests)
  if (isForbidden(plan)) return { ...view, forbidden: true }
  if (!plan.blocked) return { ...view, digest }
  const suffices = plan.only.length === 0 && flags.requested.length === 0
  const approve = applyCommand(plan, plan.only.toSorted(compareText), flags, ['--approve', plan.digest])
  return { ...view, digest, approve: [approve], digestSuffices: suffices }
}

/** A plan as drift: how the service differs from the files. */
export function viewOfDrift(plan: Plan, flags: CommandFlags = NOWHERE): View {
  const { digest: _, ...view } = viewOf('drift', plan, plan.requests)
  return { ...view, totals: [...view.totals, ...waysOut(plan, view.sets, flags)] }
}

/** The commands that revert or accept the drift of this report. */
function waysOut(plan: Plan, sets: readonly SetView[], flags: CommandFlags): Total[] {
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
  const all = takeable.length === sets.length && others.length > 0
  const updates = all ? (only.length === 0 ? ['*'] : only) : takeable
  const accept = updates.flatMap(name => ['--update', name])
  const revert = applyCommand(plan, others.length === 0 ? [first.name] : only, flags)
  return [
    ...line(made.length === 0 ? 'Apply' : 'Revert', [revert]),
    ...line('Accept', accept.length > 0 && [commandOn('export', plan, flags, accept)]),
    ...line(
      updates.length === 0 ? 'Accept' : '',
      byHand.length > 0 && say`by hand: values come from ${listed(byHand)}`,
    ),
  ]
}

/** Sets without merged but unapplied changes: accepting those would undo a merge. */
function madeOutside(sets: readonly SetView[]): readonly SetView[] {
  const outside = sets.filter(({ origins }) => origins.includes('outside'))
  if (outside.length > 0) return outside
  return sets.filter(({ origins }) => origins.length !== 1 || origins[0] !== 'not-applied')
}

/** Shows how the apply ended instead of findings. */
export function viewOfApply(result: ApplyResult, flags: CommandFlags = NOWHERE): View {
  const { plan, results, requests } = result
  const view = viewOf('apply', plan, requests, results)
  const end = endOf(result, flags)
  const { effects: _, ...rest } = view
  return { ...rest, headline: end.headline, review: NOTHING, totals: totalsOfApplied(result), cost: [], end }
}

function viewOf(
  kind: ReportKind,
  plan: Plan,
  { reads, writes }: Plan['requests'],
  results: readonly StepResult[] = [],
): View {
  const outcomes = new Map<OperationId, StepOutcome>(results.map(({ step, outcome }) => [step.id, outcome]))
  const context: Context = {
    plan,
    relations: relationsOf(plan),
    hidden: new Set(plan.facts.hidden),
    origins: originsIn(plan, kind),
    statusOf: step => statusOf(outcomes.get(step.id)),
  }
  const sets = setsOf(context)
  return {
    kind,
    organization: plan.organization,
    address: plan.address === 'sandbox' ? 'SANDBOX' : plan.address.replace(/^https:\/\//, ''),
    owner: plan.owner,
    digest: plan.digest,
    requests: [`${counted(reads, 'read')}, ${counted(kind === 'apply' ? writes : 0, 'write')}`],
    headline: headlineOf(kind, plan, sets),
    review: alertsOf(plan, kind),
    sets,
    // *Review first* says which rules are violated.
    warnings: sortDiagnostics(plan.diagnostics.filter(({ code }) => code !== 'rule-violated')),
    totals: totalsOf(plan).filter(({ label }) => sets.length > 0 || label !== 'Equal'),
    effects: effectsOf(plan),
    cost: requestsOf(plan),
  }
}

function statusOf(outcome: StepOutcome | undefined): StepStatus {
  if (outcome === undefined) return 'planned'
  return outcome.status === 'skipped' && outcome.because === 'already-done' ? 'succeeded' : outcome.status
}

function headlineOf(kind: ReportKind, plan: Plan, sets: readonly SetView[]): Phrase {
  if (sets.length === 0)
    return [`${kind === 'drift' ? 'No drift' : 'No changes'}. ${counted(plan.facts.equalSets, 'set')} equal.`]
  if (kind === 'drift') return driftHeadline(plan, sets.length)
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
function driftHeadline(plan: Plan, sets: number): Phrase {
  const { outside, notApplied, untold } = driftCounts(plan)
  const parts = present(
    outside > 0 && `${outside} changed outside`,
    notApplied > 0 && `${notApplied} merged and not applied`,
    untold > 0 && untold < sets && `${untold} of unknown origin`,
  )
  const told = parts.length === 0 ? '' : `: ${parts.join(', ')}`
  return [`${counted(sets, 'set')} ${sets === 1 ? 'differs' : 'differ'} from the files${told}`]
}
