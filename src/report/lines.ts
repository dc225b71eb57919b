import { TARGETS } from '../model/ids.ts'
import { flat } from '../model/lists.ts'
import { type Change, type SetView, type ShownValue, type Sign, wordsOf } from './change.ts'
import type { EndRow, EndView } from './end.ts'
import {
  aligned,
  type Line,
  lineText,
  plainText,
  SIGN_STYLE,
  type Span,
  type Style,
  span,
  spansOf,
  widthOf,
} from './layout.ts'
import type { LineDifference } from './line-diff.ts'
import { terminalText } from './neutralise.ts'
import { counted, figure, listed, name, type Phrase, place, present, say } from './phrase.ts'

export const changeLines = (set: SetView, width: number): Line[] =>
  flat(entriesOf(set, width).map(({ lines, below }) => [...lines, ...below]))

const MARK = { '+': '+', '~': '!', '-': '-' } as const satisfies Record<Sign, string>

/**
 * The same as a `diff` block. Forges colour its lines by their first character, with `!` for our `~`, so every line begins with
 * its mark.
 */
export const diffLines = (set: SetView, width: number): string[] =>
  entriesOf(set, width).flatMap(({ sign, lines, below }) => [
    ...lines.map(line => `${MARK[sign]}${lineText(line).trimEnd().slice(1)}`),
    ...below.map(line =>
      lineText(line)
        .trimEnd()
        .replace(/^( {4})(.)/u, '$2$1'),
    ),
  ])

interface EntryLines {
  readonly sign: Sign
  readonly lines: readonly Line[]
  /** The lines of a long text, indented by four. */
  readonly below: readonly Line[]
}

function entriesOf(set: SetView, width: number): EntryLines[] {
  const label = aligned(set.changes, change => spansOf(labelOf(change)), 40)
  return set.changes.map(change => ({
    sign: change.sign,
    lines: wrapped(startOf(change, label(change)), change, width),
    below: textLines(change),
  }))
}

const startOf = ({ sign }: Change, label: Line): Line => [
  span(sign, SIGN_STYLE[sign]),
  span(' '),
  ...label,
  span('  '),
]

/** The only entry of a changed set, if one line shows it. */
export function onlyShort({ sign, previousName, changes }: SetView): Change | undefined {
  const [only, ...others] = changes
  const isAlone = sign === '~' && previousName === undefined && others.length === 0
  return isAlone && only !== undefined && isShort(only) ? only : undefined
}

/** One entry on one line, for a set that has no other. */
export function singleLine(change: Change): Line {
  const values = sides(change).flat()
  return [...startOf(change, spansOf(labelOf(change))), ...values, ...afterComma(values, notesOf(change))]
}

const isShort = (change: Change): boolean => change.kind !== 'variable' || change.lines === undefined

/** What an entry is about: `env AWS_REGION`, `14 workspaces`. */
export function labelOf(change: Change): Phrase {
  switch (change.kind) {
    case 'setting':
      return [change.setting]
    case 'variable':
      return [`${change.category} `, name(change.name)]
    case 'assignment': {
      const { one } = TARGETS[change.targets]
      return [change.named.length === 1 ? one : counted(change.named.length, one)]
    }
  }
}

/** Moves what does not fit to lines below: first the notes, then the new value. */
function wrapped(start: Line, change: Change, width: number): Line[] {
  const [before = [], after = []] = sides(change)
  const notes = notesOf(change)
  const whole = [...start, ...before, ...after, ...afterComma(before, notes)]
  if (widthOf(whole) <= width) return [whole]
  const fits = widthOf([...start, ...before, ...after]) <= width
  const values =
    fits || after.length === 0 ? [[...before, ...after]] : [before, [span('-> ', 'dim'), ...after.slice(1)]]
  const shown = values.filter(line => line.length > 0)
  // A value that does not fit beside its label goes below as well.
  const isBeside = shown.every(line => widthOf([...start, ...line]) <= width)
  const indent = isBeside ? widthOf(start) : 4
  const [first = [], ...rest] = [...(isBeside ? [] : [[]]), ...shown, ...flowed(notes, width - indent)]
  return [[...start, ...first], ...rest.map(line => [span(' '.repeat(indent)), ...line])]
}

const afterComma = (before: Line, notes: readonly Line[]): Line =>
  notes.flatMap((note, at) => (at === 0 && before.length === 0 ? note : [span(', '), ...note]))

function flowed(notes: readonly Line[], width: number): Line[] {
  const lines: Line[] = []
  for (const note of notes) {
    const last = lines.at(-1)
    const together = last === undefined ? note : [...last, span(', '), ...note]
    if (last !== undefined && widthOf(together) <= width) lines[lines.length - 1] = together
    else lines.push(note)
  }
  return lines
}

/** The old and the new value, or the only one. */
function sides(change: Change): Line[] {
  if (change.kind === 'assignment') return [spansOf(listed(change.named.map(target => target.name)))]
  const { before, after } = change
  const old = before.kind === 'absent' ? [] : [shownSpan(before)]
  const fresh =
    after.kind === 'absent' || (after.kind === 'external' && old.length === 0) ? [] : [shownSpan(after)]
  const lines = change.kind === 'variable' && change.lines !== undefined ? [lineCount(change.lines)] : []
  if (lines.length > 0) return [lines]
  if (old.length === 0 || fresh.length === 0) return [[...old, ...fresh]].filter(line => line.length > 0)
  return [old, [span(' -> ', 'dim'), ...fresh]]
}

function shownSpan(shown: ShownValue): Span {
  const { said, version, style } = wordsOf(shown)
  return span(plainText(style === undefined ? said : say`(${said})${version}`), style)
}

export const lineCount = ({ added, removed, hunks, partly }: LineDifference): Span => {
  if (hunks.length === 0) {
    const rewritten = partly === true ? 'partly rewritten' : 'rewritten'
    return span(`${rewritten}: ${counted(removed, 'line')} -> ${counted(added, 'line')}`, 'dim')
  }
  const parts = present(removed > 0 && `-${figure(removed)}`, added > 0 && `+${figure(added)}`)
  return span(`${parts.join(' ')} ${added + removed === 1 ? 'line' : 'lines'}`, 'dim')
}

const notesOf = (change: Change): Line[] =>
  change.notes.map(note => spansOf(note, isLoss(change, note) ? 'red' : undefined))

const isLoss = (change: Change, note: Phrase): boolean => change.kind === 'variable' && change.loss === note

/** The changed lines of a long text, indented below its entry. */
function textLines(change: Change): Line[] {
  if (change.kind !== 'variable' || change.lines === undefined) return []
  const { hunks, left } = change.lines
  const indent = span('    ')
  const lines = hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [[indent, span('  …', 'dim')]]),
    ...hunk.map(({ sign, text }) => {
      const style = sign === ' ' || sign === '\\' ? 'dim' : SIGN_STYLE[sign]
      return [indent, span(`${sign} `, style), span(terminalText(text), style)]
    }),
  ])
  return left === 0
    ? lines
    : [...lines, [indent, span(`  … and ${counted(left, 'changed line')} more`, 'dim')]]
}

/** The end of an apply: what was done, what was not and why, what is broken now, what to do next. */
export function endLines(end: EndView, totals: readonly Line[], width: number): Line[] {
  const { ok, headline, stopped, rows, left, closing, broken, next, exit } = end
  return present<Line>(
    spansOf(headline, ok ? 'green' : 'bold'),
    stopped && spansOf(say`Stopped: ${stopped}`),
    ...rowLines(rows, width),
    left > 0 && [span(`  and ${figure(left)} more`, 'dim')],
    closing && spansOf(closing),
    ...totals,
    ...broken.map((phrase): Line => [span('Broken now: ', 'red'), ...spansOf(phrase)]),
    next && spansOf(say`Next: ${next}`),
    exit && spansOf(exit),
  )
}

const ROW_STYLE = { failed: 'red', unknown: 'yellow', skipped: 'dim', note: 'dim' } as const satisfies Record<
  EndRow['status'],
  Style
>

/** A row on one line; the reason goes below where the line would be too wide. */
function rowLines(rows: readonly EndRow[], width: number): Line[] {
  const operationOf = aligned(rows, ({ operation }) => spansOf(operation), 60)
  const placed = rows.filter(({ source }) => source !== undefined)
  const reasonOf = aligned(placed, ({ reason }) => spansOf(reason), 60)
  return rows.flatMap(row => {
    const { status, operation, reason, source } = row
    const start = span(`  ${status.padEnd(7)}  `, ROW_STYLE[status])
    const where = source ? [span('  '), ...spansOf([place(source)], 'dim')] : []
    const beside = source ? reasonOf(row) : spansOf(reason)
    const whole = [start, ...operationOf(row), span('  '), ...beside, ...where]
    if (widthOf(whole) <= width) return [whole]
    const indent = span(' '.repeat(start.text.length))
    return [
      [start, ...spansOf(operation), ...where],
      [indent, ...spansOf(reason)],
    ]
  })
}
