import { TARGETS } from '../model/ids.ts'
import { flat } from '../model/lists.ts'
import type { Sign } from '../plan/changed-sets.ts'
import { type Change, type SetView, type ShownValue, wordsOf } from './change.ts'
import { aligned, type Line, lineText, plainText, SIGN_STYLE, type Span, span, spansOf } from './layout.ts'
import type { LineDifference } from './line-diff.ts'
import { terminalText } from './neutralise.ts'
import { counted, figure, listed, name, type Phrase, present, say } from './phrase.ts'

export const changeLines = (set: SetView): Line[] =>
  flat(entriesOf(set).map(({ first, below }) => [first, ...below]))

const MARK = { '+': '+', '~': '!', '-': '-' } as const satisfies Record<Sign, string>

/**
 * The same as a `diff` block. Forges colour its lines by their first character, with `!` for our `~`, so every line begins with
 * its mark.
 */
export const diffLines = (set: SetView): string[] =>
  entriesOf(set).flatMap(({ sign, first, below }) => [
    `${MARK[sign]}${lineText(first).trimEnd().slice(1)}`,
    ...below.map(line =>
      lineText(line)
        .trimEnd()
        .replace(/^( {4})(.)/u, '$2$1'),
    ),
  ])

interface EntryLines {
  readonly sign: Sign
  readonly first: Line
  /** The lines of a long text, indented by four. */
  readonly below: readonly Line[]
}

function entriesOf(set: SetView): EntryLines[] {
  const label = aligned(set.changes, change => spansOf(labelOf(change)), 40)
  return set.changes.map(change => ({
    sign: change.sign,
    first: entryLine(change, label(change)),
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
export const singleLine = (change: Change): Line => entryLine(change, spansOf(labelOf(change)))

function entryLine(change: Change, label: Line): Line {
  const values = sides(change)
  return [...startOf(change, label), ...values, ...afterComma(values, notesOf(change))]
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

const afterComma = (before: Line, notes: readonly Line[]): Line =>
  notes.flatMap((note, at) => (at === 0 && before.length === 0 ? note : [span(', '), ...note]))

/** The old and the new value, or the only one. */
function sides(change: Change): Line {
  if (change.kind === 'assignment') return spansOf(listed(change.named.map(target => target.name)))
  if (change.kind === 'variable' && change.lines !== undefined) return [lineCount(change.lines)]
  const { before, after } = change
  const old = before.kind === 'absent' ? [] : [shownSpan(before)]
  const fresh =
    after.kind === 'absent' || (after.kind === 'external' && old.length === 0) ? [] : [shownSpan(after)]
  const arrow = old.length > 0 && fresh.length > 0 ? [span(' -> ', 'dim')] : []
  return [...old, ...arrow, ...fresh]
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
