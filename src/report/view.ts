import type { ApplyResult, StepOutcome, StepResult } from '../apply/outcome.ts'
import { compareText, type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import { canBeAccepted, type OperationId } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
import type { Review } from './alert.ts'
import { alertsOf } from './alerts.ts'
import type { SetView, StepStatus } from './change.ts'
import { type Context, originsIn, relationsOf } from './context.ts'
import { type EffectsView, effectsOf } from './effects.ts'
import { type EndView, endOf } from './end.ts'
import { shellWord } from './neutralise.ts'
import { command, counted, listed, type Phrase } from './phrase.ts'
import { setsOf } from './sets.ts'
import type { CommandFlags } from './still-to-do.ts'
import { driftCounts, requestsOf, type Total, totalsOf, totalsOfApplied } from './totals.ts'

export type ReportKind = 'plan' | 'drift' | 'apply'

/** What is shown, in which order, and what is hidden: decided here once, laid out by each renderer. */
export interface View {
  readonly kind: ReportKind
  readonly organization: string
  /** Without `https://`; `SANDBOX` for the embedded service. */
  readonly address: string
  readonly owner?: string
  /** All digits of what a reader says to mean this plan; a drift report has none, for there is nothing to approve. */
  readonly digest?: string
  /** When this was so, ISO 8601; none on stdout, where a second run without a change prints the same. */
  readonly at?: string
  /** `1 read, 0 writes`: what this run itself asked of the service. */
  readonly requests: Phrase
  /** All of it in one line: `2 sets change, 1 is deleted`. */
  readonly headline: Phrase
  readonly review: Review
  readonly sets: readonly SetView[]
  readonly warnings: readonly Diagnostic[]
  readonly totals: readonly Total[]
  /** What workspaces see otherwise; none where nothing changes for anybody. */
  readonly effects?: EffectsView
  /** What applying it takes: `8 requests: 5 update, 2 delete, 1 assign`. */
  readonly cost: Phrase
  /** The command that approves a blocked plan. */
  readonly approve?: Phrase
  /** The digest says everything: a pipeline that takes one needs nothing else. */
  readonly digestSuffices?: true
  /** How an apply ended. */
  readonly end?: EndView
}

/** What was warned about is done by then. */
const NOTHING: Review = { every: [], shown: [] }

const NOWHERE: CommandFlags = { place: [], wishes: [] }

export function viewOfPlan(plan: Plan, again: CommandFlags = NOWHERE): View {
  const view = viewOf('plan', plan, plan.requests.reads, 0)
  if (!plan.blocked) return view
  const suffices = plan.only.length === 0 && again.wishes.length === 0
  return { ...view, approve: approval(plan, again), ...(suffices ? { digestSuffices: true } : {}) }
}

/** A plan read as drift: what the service has and the files do not say. */
export function viewOfDrift(plan: Plan, again: CommandFlags = NOWHERE): View {
  const { digest: _, ...view } = viewOf('drift', plan, plan.requests.reads, 0)
  return { ...view, totals: [...view.totals, ...waysOut(plan, view.sets, again)] }
}

/** Both ways out of drift: the files win, or what was done by hand does. Each for this place, and no further than the report. */
function waysOut(
  { address, steps, only }: Plan,
  sets: readonly SetView[],
  { place, wishes }: CommandFlags,
): Total[] {
  const [first, ...others] = sets
  if (first === undefined) return []
  const where = address === 'sandbox' ? ['--sandbox', ...place] : place
  const selection = others.length === 0 ? [first.name] : only
  const made = madeOutside(sets)
  const accepted = new Set(steps.filter(({ operation }) => canBeAccepted(operation)).map(({ id }) => id))
  const fileOf = new Map(steps.flatMap(({ id, file }) => (file === undefined ? [] : [[id, file] as const])))
  const filesOf = ({ changes }: SetView): readonly string[] =>
    changes.flatMap(({ operations }) => operations.flatMap(id => fileOf.get(id) ?? []))
  const offered = made.filter(({ changes }) =>
    changes.some(
      ({ origin, operations }) => origin !== 'not-applied' && operations.some(id => accepted.has(id)),
    ),
  )
  // An update writes set files, and one that meets the text of another file writes nothing.
  const takeable = offered.filter(set => filesOf(set).length === 0).map(set => set.name)
  const byHand = [...new Set(offered.flatMap(filesOf))]
  const all = takeable.length === sets.length && others.length > 0
  const updates = all ? (only.length === 0 ? ['*'] : only) : takeable
  const words = (...parts: readonly string[]): string => parts.map(shellWord).join(' ')
  const flagged = (flag: string, names: readonly string[]): string[] => names.flatMap(name => [flag, name])
  return [
    {
      label: made.length === 0 ? 'Apply' : 'Revert',
      phrase: [command(words('setpoint', 'apply', ...where, ...flagged('--only', selection), ...wishes))],
    },
    ...(updates.length === 0
      ? []
      : [
          {
            label: 'Accept',
            phrase: [command(words('setpoint', 'export', ...where, ...flagged('--update', updates)))],
          },
        ]),
    ...(byHand.length === 0
      ? []
      : [
          {
            label: updates.length === 0 ? 'Accept' : '',
            phrase: ['by hand: values come from ', ...listed(byHand)],
          },
        ]),
  ]
}

/** Of the others the service holds what the files had before: taking that in would undo what was merged. */
function madeOutside(sets: readonly SetView[]): readonly SetView[] {
  const outside = sets.filter(({ origins }) => origins.includes('outside'))
  if (outside.length > 0) return outside
  return sets.filter(({ origins }) => origins.length !== 1 || origins[0] !== 'not-applied')
}

/** What was warned about is done by now, so the end takes the place of the alerts. */
export function viewOfApply(result: ApplyResult, again: CommandFlags = NOWHERE): View {
  const { plan, results, requests } = result
  const view = viewOf('apply', plan, requests.reads, requests.writes, results)
  const end = endOf(result, again)
  const { effects: _, ...rest } = view
  return { ...rest, headline: end.headline, review: NOTHING, totals: totalsOfApplied(result), cost: [], end }
}

function viewOf(
  kind: ReportKind,
  plan: Plan,
  reads: number,
  writes: number,
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
  const effects = effectsOf(plan)
  return {
    kind,
    organization: plan.organization,
    address: plan.address === 'sandbox' ? 'SANDBOX' : plan.address.replace(/^https:\/\//, ''),
    ...(plan.owner === undefined ? {} : { owner: plan.owner }),
    digest: plan.digest,
    requests: [`${counted(reads, 'read')}, ${counted(writes, 'write')}`],
    headline: headlineOf(kind, plan, sets),
    review: alertsOf(plan, kind),
    sets,
    warnings: sortDiagnostics(plan.diagnostics),
    totals: totalsOf(plan).filter(total => sets.length > 0 || total.label !== 'Equal'),
    ...(effects === undefined ? {} : { effects }),
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
  const count = (sign: SetView['sign']): number => sets.filter(set => set.sign === sign).length
  const parts = [
    { count: count('~'), one: 'changes', more: 'change' },
    { count: count('+'), one: 'is created', more: 'are created' },
    { count: count('-'), one: 'is deleted', more: 'are deleted' },
  ].filter(part => part.count > 0)
  return [
    parts
      .map(
        ({ count, one, more }, at) =>
          `${at === 0 ? counted(count, 'set') : count} ${count === 1 ? one : more}`,
      )
      .join(', '),
  ]
}

/** `3 sets differ from the files: 1 changed outside, 2 merged and not applied`. */
function driftHeadline(plan: Plan, sets: number): Phrase {
  const { outside, notApplied, untold } = driftCounts(plan)
  const parts = [
    ...(outside > 0 ? [`${outside} changed outside`] : []),
    ...(notApplied > 0 ? [`${notApplied} merged and not applied`] : []),
    ...(untold > 0 && untold < sets ? [`${untold} of unknown origin`] : []),
  ]
  const told = parts.length === 0 ? '' : `: ${parts.join(', ')}`
  return [`${counted(sets, 'set')} ${sets === 1 ? 'differs' : 'differ'} from the files${told}`]
}

/** Whatever decides the digest is repeated, and all digits stand there: the command works in a pipeline as it is. */
const approval = ({ address, digest, only }: Plan, { place, wishes }: CommandFlags): Phrase => {
  const words = [
    ...(address === 'sandbox' ? ['--sandbox'] : []),
    ...place,
    ...only.toSorted(compareText).flatMap(pattern => ['--only', pattern]),
    ...wishes,
    '--approve',
    digest,
  ]
  return [command(`setpoint apply ${words.map(shellWord).join(' ')}`)]
}
