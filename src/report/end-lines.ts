import type { EndRow, EndView } from './end.ts'
import { column, type Line, padded, type Style, span, spansOf } from './layout.ts'
import { figure, type Phrase, place } from './phrase.ts'

/** The end of an apply: what was done, what was not and why, what is broken now, what to do next. */
export function endLines(end: EndView, totals: readonly Line[]): Line[] {
  return [
    spansOf(end.headline, end.ok ? 'green' : 'bold'),
    ...(end.stopped === undefined ? [] : [[span('Stopped: '), ...spansOf(end.stopped)]]),
    ...rowLines(end.rows),
    ...(end.left === 0 ? [] : [[span(`  and ${figure(end.left)} more`, 'dim')]]),
    ...(end.closing === undefined ? [] : [spansOf(end.closing)]),
    ...totals,
    ...end.broken.map((phrase): Line => [span('Broken now: ', 'red'), ...spansOf(phrase)]),
    ...labelled('Next: ', end.next),
    ...(end.exit === undefined ? [] : [spansOf(end.exit)]),
  ]
}

const labelled = (label: string, phrase: Phrase | undefined): Line[] =>
  phrase === undefined ? [] : [[span(label), ...spansOf(phrase)]]

const ROW_STYLE = { failed: 'red', unknown: 'yellow', skipped: 'dim', note: 'dim' } as const satisfies Record<
  EndRow['status'],
  Style
>

function rowLines(rows: readonly EndRow[]): Line[] {
  const operations = rows.map(row => spansOf(row.operation))
  const width = column(operations, 60)
  const reasons = rows.map(row => spansOf(row.reason))
  const reasonWidth = column(
    reasons.filter((_, at) => rows[at]?.source !== undefined),
    60,
  )
  return rows.map((row, at) => [
    span(`  ${row.status.padEnd(7)}  `, ROW_STYLE[row.status]),
    ...padded(operations[at] ?? [], width),
    span('  '),
    ...(row.source === undefined
      ? (reasons[at] ?? [])
      : [...padded(reasons[at] ?? [], reasonWidth), span('  '), ...spansOf([place(row.source)], 'dim')]),
  ])
}
