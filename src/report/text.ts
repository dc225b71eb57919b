import { flat } from '../model/lists.ts'
import { shortDigest } from '../plan/plan-data.ts'
import type { SetView } from './change.ts'
import { changeLines, onlyShort, singleLine } from './change-text.ts'
import { diagnosticLines } from './diagnostics.ts'
import {
  column,
  inSections,
  type Line,
  lineText,
  padded,
  painted,
  SIGN_STYLE,
  type Style,
  span,
  spansOf,
  textOf,
} from './layout.ts'
import { FORBIDDEN_NEXT, groupedBy, joined, name, type Phrase, place, present, say } from './phrase.ts'
import type { TextOptions } from './print-text.ts'
import { isGrave, type Review, type ToldFinding } from './review.ts'
import { needed, type Total } from './totals.ts'
import type { View } from './view.ts'

/** The report for a terminal or a log: sections with a blank line between them. */
export function renderText(given: View, { color, verbose }: TextOptions): string {
  const view = verbose === true ? inFull(given) : { ...given, totals: needed(given.totals) }
  const sections = [opening(view), setLines(view.sets), diagnosticLines(view.warnings), closing(view)]
  const isSmall = sections.flat().length <= MOST_SMALL
  return painted(isSmall ? sections.flat() : inSections(sections), color)
}

/** A report of so few lines needs no blank ones. */
const MOST_SMALL = 6

const inFull = (view: View): View => ({
  ...view,
  review: { every: view.review.every, shown: view.review.every },
  totals: view.totals.map(total => (total.whole === undefined ? total : { ...total, phrase: total.whole })),
})

function opening(view: View): Line[] {
  const drift: Line = [...spansOf(view.headline, 'yellow'), span('. The changes below would restore it.')]
  const said = view.sets.length === 0 ? spansOf(view.headline, 'green') : view.kind === 'drift' && drift
  return [...header(view), ...present(said), ...reviewLines(view.review)]
}

/** Who and where. */
function header(view: View): Line[] {
  const digest = view.digest ? [span(' '), span(shortDigest(view.digest), 'bold')] : []
  const isSandbox = view.address === 'SANDBOX'
  const address = isSandbox ? span(view.address, 'magenta') : span(textOf(name(view.address)))
  const where = present<Line>(
    [...spansOf([name(view.organization)], 'bold'), span(' @ '), address],
    view.owner !== undefined && spansOf(say`owner ${name(view.owner)}`),
    spansOf(view.requests, 'dim'),
  )
  const pieces = where.flatMap(piece => [span('   '), ...piece])
  return [[span(`setpoint ${view.kind}`, 'bold'), ...digest, ...pieces]]
}

const alertStyle = (one: ToldFinding): Style => (isGrave(one) ? 'red' : 'yellow')

function reviewLines({ shown, more }: Review): Line[] {
  if (shown.length === 0) return []
  const word = shown.reduce((most, alert) => Math.max(most, alert.kind.length), 0)
  return [
    [span('Review first', 'bold')],
    ...shown.map(alert => [
      span(`  ! ${alert.kind.padEnd(word)}  `, alertStyle(alert)),
      ...spansOf(alert.phrase),
    ]),
    ...(more === undefined ? [] : [[span(' '.repeat(word + 6)), ...spansOf(more, 'dim')]]),
  ]
}

/**
 * A block for each set, with its place at the end of its first line. A set with one short entry takes one line, and sets with equal entries
 * share them.
 */
function setLines(sets: readonly SetView[]): Line[] {
  const rows = sets.map(set => {
    const only = onlyShort(set)
    const beside = only === undefined ? besideOf(set) : singleLine(only)
    const below = only !== undefined || set.folded ? [] : changeLines(set)
    return { set, beside, below, where: placeOf(set) }
  })
  const names = column(
    rows.flatMap(({ set, beside }) =>
      set.previousName === undefined && beside.length > 0 ? [title(set)] : [],
    ),
    26,
  )
  const blocks = rows.map(({ set, beside, below, where }) => {
    const start = beside.length === 0 ? title(set) : [...padded(title(set), names), span('  '), ...beside]
    const head = where.length === 0 ? start : [...start, span('   '), ...where]
    return { head, below, like: set.sign === '~' && below.length > 0 ? joinedText(below) : undefined }
  })
  const lines = groupedBy(blocks, ({ like }) => like).map(group => {
    const below = group[0].below
    const each = group.length > 1 ? [[span('    '), span(`in each of these ${group.length}:`, 'dim')]] : []
    return [...group.map(({ head }) => head), ...each, ...below.map(line => [span('    '), ...line])]
  })
  return flat(lines)
}

const joinedText = (lines: readonly Line[]): string => lines.map(lineText).join('\n')

const title = ({ sign, name: text, previousName }: SetView): Line => [
  span(sign, SIGN_STYLE[sign]),
  span(' '),
  ...(previousName === undefined ? [] : [...spansOf([name(previousName)]), span(' -> ', 'dim')]),
  ...spansOf([name(text)], 'bold'),
]

/** What stands beside the name of any other set. */
function besideOf({ folded, sign, what, previousName, notes }: SetView): Line {
  const said = present<Phrase>(
    (folded || sign === '+') && what,
    !folded && previousName !== undefined && ['renamed, same id'],
    ...notes,
  )
  return spansOf(joined(said, ', '))
}

const placeOf = ({ sign, source }: SetView): Line =>
  source === undefined ? [] : spansOf([sign === '-' ? 'removed: ' : '', place(source)], 'dim')

function closing(view: View): Line[] {
  const cost = view.cost.length === 0 ? [] : [spansOf(view.cost)]
  return [...totalLines([...effectTotals(view), ...view.totals]), ...cost, ...verdict(view)]
}

const effectTotals = ({ effects }: View): Total[] =>
  effects === undefined
    ? []
    : [
        { label: 'Workspaces', phrase: effects.headline },
        ...effects.notes.map(phrase => ({ label: '', phrase })),
      ]

function totalLines(totals: readonly Total[]): Line[] {
  const word = Math.max(0, ...totals.map(total => total.label.length))
  return totals.map(({ label, phrase }) => [span(`${label.padEnd(word)}  `), ...spansOf(phrase)])
}

const verdict = ({ approve, forbidden, review }: View): Line[] => {
  if (forbidden) return [[span('FORBIDDEN', 'red'), span(` by rules. ${FORBIDDEN_NEXT}`)]]
  if (approve === undefined) return []
  const reasons = review.every.filter(({ kind }) => kind === 'blocked').length
  const why = reasons > 1 ? ` (${reasons} reasons above)` : ' (the reason is above)'
  return [
    [
      span('BLOCKED', 'red'),
      ...(approve.command === undefined
        ? [span(`${why}. After review, approve its digest.`)]
        : [span(`${why}. After review: `), ...spansOf([approve.command], 'bold')]),
    ],
  ]
}
