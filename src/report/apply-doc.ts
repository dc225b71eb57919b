import type { ApplyResult } from '../apply/outcome.ts'
import type { ChangedSet } from '../plan/changed-sets.ts'
import type { OperationId } from '../plan/operation.ts'
import { type EndRow, type EndView, endOf } from './apply-summary.ts'
import { type Doc, type Row, type Section, title } from './doc.ts'
import { driftLines } from './left-drift.ts'
import { counted, figure, type Phrase, present, say, type Tone, words } from './phrase.ts'
import { aboutOf, warningsSection } from './plan-doc.ts'
import { changesSection } from './set-rows.ts'
import { totalsOfApplied } from './totals.ts'
import { type SingleReport, stillMissing } from './view.ts'

type AppliedReport = Extract<SingleReport, { readonly kind: 'apply' }>

/** How an apply ended: what is broken now, what was not simply done, what is left, and what to do next. */
export function applyDoc(report: AppliedReport): Doc {
  const { result } = report
  const { plan, requests } = result
  const { digest, summary, facts } = plan
  const end = endOf(result, report)
  const planned = summary.changes + facts.inventory.requests
  const differs = requests.writes > 0 && requests.writes !== planned
  const asked = `${counted(requests.reads, 'read')}, ${counted(requests.writes, 'write')}`
  return {
    command: 'apply',
    digest,
    about: [...aboutOf(plan), [words(`${asked}${differs ? ` (${figure(planned)} planned)` : ''}`, 'quiet')]],
    headline: end.headline,
    tone: end.ok ? 'good' : 'bad',
    isQuiet: plan.steps.length === 0 && !plan.diagnostics.some(({ code }) => code === 'left-behind'),
    sections: [
      {
        title: title`Broken now`,
        form: 'calls',
        rows: end.broken.map((cell): Row => ({ tone: 'bad', cells: [cell] })),
      },
      { form: 'list', rows: stepRows(end) },
      ...foldedSections(result),
      {
        form: 'lines',
        rows: [...totalsOfApplied(result), ...driftLines(plan), ...stillMissing(plan)].map(
          ({ label, phrase }): Row => ({ mark: label, cells: [phrase] }),
        ),
      },
      {
        form: 'lines',
        rows: present<Phrase>(
          end.stopped && say`Stopped: ${end.stopped}`,
          end.closing,
          end.next && say`Next: ${end.next}`,
          end.exit,
        ).map((cell): Row => ({ cells: [cell] })),
      },
    ],
  }
}

/** What was to change, with its values and what became of it; and the warnings. */
function foldedSections({ plan, results }: ApplyResult): Section[] {
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
  const warnings = warningsSection(plan)
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
function stepRows({ rows, left }: EndView): Row[] {
  const all = rows.map(stepRow)
  if (left.length === 0) return all
  return [
    ...all,
    { cells: [[`and ${figure(left.length)} more`]], tone: 'quiet', rows: left.map(stepRow), folded: true },
  ]
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
