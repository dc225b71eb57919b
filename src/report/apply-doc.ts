import { isDeepStrictEqual } from 'node:util'
import type { ApplyResult, StepOutcome, StepResult } from '../apply/outcome.ts'
import type { SourceRange } from '../model/diagnostic.ts'
import { categoryOf, nameOf, TARGETS } from '../model/ids.ts'
import type { ChangedSet } from '../plan/changed-sets.ts'
import { variableOf } from '../plan/items.ts'
import { type Operation, type OperationId, verbOf } from '../plan/operation.ts'
import type { Plan } from '../plan/plan-data.ts'
import { isDrift } from '../plan/plan-findings.ts'
import { type Doc, type Row, type Section, title } from './doc.ts'
import { driftLines } from './left-drift.ts'
import { brokenNow, closingOf, isAlreadyDone, isDoneStep, nextOf, unwrittenSecrets } from './next-steps.ts'
import {
  counted,
  figure,
  listed,
  message,
  name,
  type Phrase,
  present,
  say,
  type Tone,
  words,
} from './phrase.ts'
import { aboutOf, warningsSection } from './plan-doc.ts'
import { sentenceOf, unmended } from './review.ts'
import { changesSection } from './set-rows.ts'
import type { SingleReport } from './single-report.ts'
import { line, type Total, totalsOfApplied, VERBS } from './totals.ts'

type AppliedReport = Extract<SingleReport, { readonly kind: 'apply' }>

/** How an apply ended: what is broken now, what was not simply done, what is left, and what to do next. */
export function applyDoc(report: AppliedReport): Doc {
  const { result } = report
  const { plan, requests } = result
  const { digest, summary, facts } = plan
  const { exitCode, stopped } = result
  const isDone = exitCode === 0
  const next = nextOf(result, report)
  const planned = summary.changes + facts.inventory.requests
  const differs = requests.writes > 0 && requests.writes !== planned
  const asked = `${counted(requests.reads, 'read')}, ${counted(requests.writes, 'write')}`
  return {
    command: 'apply',
    digest,
    about: [...aboutOf(plan), [words(`${asked}${differs ? ` (${figure(planned)} planned)` : ''}`, 'quiet')]],
    headline: isDone ? successOf(result) : failureOf(result),
    tone: isDone ? 'good' : 'bad',
    isQuiet:
      isDone && plan.steps.length === 0 && !plan.diagnostics.some(({ code }) => code === 'left-behind'),
    sections: [
      {
        title: title`Broken now`,
        form: 'calls',
        rows: brokenNow(result).map((cell): Row => ({ tone: 'bad', cells: [cell] })),
      },
      { form: 'list', rows: stepRows(result) },
      ...foldedSections(report),
      {
        form: 'lines',
        rows: [...totalsOfApplied(result), ...driftLines(plan), ...stillMissing(plan)].map(
          ({ label, phrase }): Row => ({ mark: label, cells: [phrase] }),
        ),
      },
      {
        form: 'lines',
        rows: present<Phrase>(
          stopped !== undefined && say`Stopped: ${message(stopped)}`,
          !isDone && closingOf(result),
          next && say`Next: ${next}`,
          !isDone && [`exit ${exitCode}: ${meaningOf(result)}`],
        ).map((cell): Row => ({ cells: [cell] })),
      },
    ],
  }
}

/** What was to change, with its values and what became of it; and the warnings. */
function foldedSections({ result: { plan, results }, typed }: AppliedReport): Section[] {
  const statuses = new Map<OperationId, Outcome>(
    results.map(({ step, outcome }) => [
      step.id,
      outcome.status === 'skipped' && outcome.because === 'already-done' ? 'succeeded' : outcome.status,
    ]),
  )
  const outcomeOf = ({ steps }: ChangedSet): Phrase => {
    const all = new Set(steps.map(({ id }) => statuses.get(id)))
    const worst = OUTCOMES.find(one => all.has(one)) ?? 'skipped'
    return [words(worst, worst === 'succeeded' ? 'good' : TONES[worst])]
  }
  const changes = changesSection(plan, 'apply', outcomeOf)
  const warnings = warningsSection(plan, typed)
  const count = warnings?.rows.length ?? 0
  return present<Section>(
    { ...changes, title: title`Changes`, folded: true },
    warnings && {
      ...warnings,
      title: count === 1 ? title`${1} warning` : title`${count} warnings`,
      folded: true,
    },
  )
}

/** The worst of its steps is that of a set. */
const OUTCOMES = ['failed', 'unknown', 'skipped', 'succeeded'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Steps that did not simply succeed. What is beyond the most is folded below one row. */
function stepRows(result: ApplyResult): Row[] {
  const all = rowsOf(result).map(stepRow)
  const left = all.slice(MOST_ROWS)
  if (left.length === 0) return all
  const more: Row = { cells: [[`and ${figure(left.length)} more`]], tone: 'quiet', rows: left, folded: true }
  return [...all.slice(0, MOST_ROWS), more]
}

const MOST_ROWS = 50

/** A step that did not simply succeed. */
interface EndRow {
  readonly status: 'failed' | 'unknown' | 'skipped' | 'note'
  readonly operation: Phrase
  readonly reason: Phrase
  readonly source?: SourceRange
}

const stepRow = ({ status, operation, reason, source }: EndRow): Row => ({
  mark: status,
  tone: TONES[status],
  cells: [operation, reason],
  source,
})

const TONES = { failed: 'bad', unknown: 'heed', skipped: 'quiet', note: 'quiet' } as const satisfies Record<
  EndRow['status'],
  Tone
>

function successOf({ plan, results, closing, inventory }: ApplyResult): Phrase {
  const already = results.filter(isAlreadyDone).length
  const done = results.filter(result => result.outcome.status === 'succeeded')
  if (done.length === 0 && already === 0 && inventory?.state === 'written') return takenIn(plan)
  if (done.length === 0)
    return already === 0
      ? [`Nothing to do. ${counted(plan.facts.equalSets, 'set')} equal.`]
      : [`Nothing left to do: ${counted(already, 'change')} ${already === 1 ? 'was' : 'were'} already made.`]
  const verbs = VERBS.flatMap(([verb, past]) => {
    const count = done.filter(({ step }) => verbOf(step.operation) === verb).length
    return count === 0 ? [] : [`${figure(count)} ${past}`]
  })
  const parts = already === 0 ? verbs : [...verbs, `${figure(already)} already done`]
  return [`Applied: ${parts.join(', ')}.${verified(closing)}`]
}

/** What the closing read confirmed, and how many sets it did not read because no step touched them. */
function verified(closing: ApplyResult['closing'], more = ''): string {
  if (closing.state !== 'equal') return ''
  const { unread } = closing
  if (unread === undefined) return ` Verified by reading the service back${more}.`
  const others = `${counted(unread, 'other set')} ${unread === 1 ? 'was' : 'were'} not read again`
  return ` Verified by reading the changed sets back${more}; ${others}.`
}

function takenIn({ facts }: Plan): Phrase {
  const { adopted } = facts.inventory
  const what = adopted.length === 0 ? 'is up to date' : say`now lists ${listed(adopted)}`
  return say`No other changes. The inventory ${what}.`
}

function failureOf(result: ApplyResult): Phrase {
  const { results, requests, closing } = result
  if (results.length === 0)
    return [requests.writes === 0 ? 'Nothing was written.' : `No set had to change.${verified(closing)}`]
  const count = (status: StepOutcome['status']): number =>
    results.filter(result => result.outcome.status === status && !isAlreadyDone(result)).length
  const already = results.filter(isAlreadyDone).length
  const isWhole = closing.state === 'equal' && unwrittenSecrets(result).length === 0
  const parts = present(
    `${figure(count('succeeded'))} done`,
    already > 0 && `${figure(already)} already done`,
    `${figure(count('failed'))} failed`,
    `${figure(count('skipped'))} skipped`,
    `${figure(count('unknown'))} unknown`,
    result.inventory?.state === 'failed' && 'inventory not complete',
  )
  const left =
    result.inventory?.state === 'failed' ? 'nothing is left to do for the sets' : 'nothing is left to do'
  return [`${parts.join(', ')}.${isWhole ? verified(closing, `: ${left}`) : ''}`]
}

/** Failed first, then unknown, skipped, and notes; in each, what has a reason of the service first. Steps that a stop left are counted, except those with secrets. */
function rowsOf(result: ApplyResult): EndRow[] {
  const { inventory } = result
  const secrets = new Set(unwrittenSecrets(result).map(({ step }) => step.id))
  const named = result.results
    .filter(one => !isStopped(one) || secrets.has(one.step.id))
    .toSorted((a, b) => Number(b.hasReason ?? false) - Number(a.hasReason ?? false))
  const others = result.results.length - named.length
  const never: EndRow = { status: 'skipped', operation: [counted(others, 'operation')], reason: [STOPPED] }
  const rows = present<EndRow>(
    inventory?.state === 'failed' && {
      status: 'failed',
      operation: ['the inventory'],
      reason: [message(inventory.message)],
    },
    ...named.flatMap(rowOf),
    others > 0 && never,
  )
  return ROWS.flatMap(status => told(rows.filter(row => row.status === status)))
}

/** One reason is told once: the rows after it, with the same, refer to it. */
const told = (rows: readonly EndRow[]): EndRow[] =>
  rows.map((row, at) =>
    isDeepStrictEqual(row.reason, rows[at - 1]?.reason) ? { ...row, reason: SAME } : row,
  )

const SAME: Phrase = ['the same']

const ROWS = ['failed', 'unknown', 'skipped', 'note'] as const

const STOPPED = 'the run stopped first'

const isStopped = ({ outcome }: StepResult): boolean =>
  outcome.status === 'skipped' && outcome.because === 'stopped'

function rowOf({ step: { operation, source }, outcome }: StepResult): EndRow[] {
  const row = (status: EndRow['status'], reason: Phrase): EndRow[] => [
    { status, operation: operationPhrase(operation), reason, source },
  ]
  switch (outcome.status) {
    case 'failed':
    case 'unknown':
      return row(outcome.status, [message(outcome.message)])
    case 'skipped':
      if (outcome.because === 'already-done') return []
      return row(
        'skipped',
        outcome.because === 'stopped' ? [STOPPED] : say`depends on ${message(outcome.because)}`,
      )
    case 'succeeded':
      return outcome.note === undefined ? [] : row('note', [message(outcome.note)])
  }
}

/** `create-variable proxy env/HTTP_PROXY`, `assign network 3 workspaces`. */
function operationPhrase(operation: Operation): Phrase {
  const start = say`${operation.type} ${name(operation.subject.name)}`
  const key = variableOf(operation)
  if (key !== undefined) return say`${start} ${categoryOf(key)}/${name(nameOf(key))}`
  if (operation.type !== 'assign' && operation.type !== 'unassign') return start
  const { kind, ids } = operation.targets
  return say`${start} ${counted(ids.length, TARGETS[kind].one)}`
}

function meaningOf({ exitCode, requests, results, closing }: ApplyResult): string {
  const written = requests.writes > 0
  switch (exitCode) {
    case 1:
      return 'error, nothing was written'
    case 3:
      if (!results.every(isDoneStep)) return 'partly applied'
      if (closing.state === 'unread') return 'applied, not verified'
      if (closing.state === 'differs')
        return results.some(({ notKept }) => notKept !== undefined)
          ? 'applied, but the service does not keep all of it'
          : 'applied, but the service differs again'
      return `${results.length === 0 ? '' : 'applied, but '}writing the inventory failed`
    case 4:
      return written ? 'refused' : 'refused, nothing was written'
    case 130:
    case 143:
      return written ? 'interrupted, partly applied' : 'interrupted, nothing was written'
    default:
      return 'not done'
  }
}

/** What no apply can mend is said again by each. */
const stillMissing = ({ facts }: Plan): Total[] =>
  unmended(facts.findings.filter(isDrift)).flatMap(one => line(FINDING_LABELS[one.kind], sentenceOf(one)))

const FINDING_LABELS = {
  missing: 'Missing',
  readable: 'Readable',
  override: 'Overridden',
} as const
