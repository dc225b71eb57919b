import { type EndRow, type EndView, endOf } from './apply-summary.ts'
import { type Doc, type Row, title } from './doc.ts'
import { driftLines } from './left-drift.ts'
import { counted, figure, name, type Phrase, present, say, type Tone, words } from './phrase.ts'
import { totalsOfApplied } from './totals.ts'
import { type SingleReport, stillMissing } from './view.ts'

type AppliedReport = Extract<SingleReport, { readonly kind: 'apply' }>

/** How an apply ended: what is broken now, what was not simply done, what is left, and what to do next. */
export function applyDoc(report: AppliedReport): Doc {
  const { result } = report
  const { plan, requests } = result
  const { organization, owner, address, digest, summary, facts } = plan
  const end = endOf(result, report)
  const planned = summary.changes + facts.inventory.requests
  const differs = requests.writes > 0 && requests.writes !== planned
  const asked = `${counted(requests.reads, 'read')}, ${counted(requests.writes, 'write')}`
  return {
    command: 'apply',
    digest,
    about: [
      say`${name(organization)}${owner !== undefined && say`/${name(owner)}`}`,
      address === 'sandbox' ? [words('SANDBOX', 'heed')] : [name(address.replace(/^https:\/\//, ''))],
      [words(`${asked}${differs ? ` (${figure(planned)} planned)` : ''}`, 'quiet')],
    ],
    headline: end.headline,
    tone: end.ok ? 'good' : 'bad',
    sections: [
      {
        title: title`Broken now`,
        form: 'calls',
        rows: end.broken.map((cell): Row => ({ tone: 'bad', cells: [cell] })),
      },
      { form: 'list', rows: stepRows(end) },
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
