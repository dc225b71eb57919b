import { flat, itemAt } from '../model/lists.ts'
import { shortDigest } from '../plan/plan.ts'
import { type Alert, isGrave, type Review } from './alert.ts'
import type { SetView } from './change.ts'
import { diagnosticLines } from './diagnostics.ts'
import {
  column,
  hung,
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
  widthOf,
} from './layout.ts'
import { changeLines, endLines, onlyShort, singleLine } from './lines.ts'
import { FORBIDDEN_NEXT, groupedBy, joined, name, type Phrase, place, present, say } from './phrase.ts'
import { needed, type Total } from './totals.ts'
import type { View } from './view.ts'

/** How text is laid out. `width`: the columns of a line. */
export interface TextOptions {
  readonly color: boolean
  readonly width: number
  /** For a terminal: wider lines are broken. A log keeps its lines, so that it can be searched. */
  readonly fits?: boolean
  /** Show every name instead of the first few. */
  readonly verbose?: boolean
}

/** The report for a terminal or a log: sections with a blank line between them. */
export function renderText(given: View, { color, width, fits, verbose }: TextOptions): string {
  const view = verbose === true ? inFull(given) : { ...given, totals: needed(given.totals) }
  const sections =
    view.end === undefined
      ? [
          opening(view, width),
          setLines(view.sets, width),
          diagnosticLines(view.warnings),
          closing(view, width),
        ]
      : [[...header(view, width), ...endLines(view.end, totalLines(view.totals, width), width)]]
  const isSmall = sections.flat().length <= MOST_SMALL
  return painted(isSmall ? sections.flat() : inSections(sections), color, fits === true ? width : undefined)
}

/** A report of so few lines needs no blank ones. */
const MOST_SMALL = 6

const inFull = (view: View): View => ({
  ...view,
  review: { every: view.review.every, shown: view.review.every },
  totals: view.totals.map(total => (total.whole === undefined ? total : { ...total, phrase: total.whole })),
})

function opening(view: View, width: number): Line[] {
  // A renamed set would be created beside the other one.
  const restores = view.warnings.every(({ code }) => code !== 'renamed-outside')
  const drift: Line = [
    ...spansOf(view.headline, 'yellow'),
    span(restores ? '. The changes below would restore it.' : '.'),
  ]
  const said = view.sets.length === 0 ? spansOf(view.headline, 'green') : view.kind === 'drift' && drift
  return [...header(view, width), ...present(said), ...reviewLines(view.review, width)]
}

/** Who and where; pieces that do not fit go below. */
function header(view: View, width: number): Line[] {
  const digest = view.digest ? [span(' '), span(shortDigest(view.digest), 'bold')] : []
  const isSandbox = view.address === 'SANDBOX'
  const address = isSandbox ? span(view.address, 'magenta') : span(textOf(name(view.address)))
  const where = present<Line>(
    [...spansOf([name(view.organization)], 'bold'), span(' @ '), address],
    view.owner !== undefined && spansOf(say`owner ${name(view.owner)}`),
    spansOf(view.requests, 'dim'),
  )
  const lines: Line[] = [[span(`setpoint ${view.kind}`, 'bold'), ...digest]]
  for (const piece of where) {
    const last = [...(lines.at(-1) ?? []), span('   '), ...piece]
    if (widthOf(last) <= width) lines[lines.length - 1] = last
    else lines.push([span('    '), ...piece])
  }
  return lines
}

const alertStyle = (alert: Alert): Style => (isGrave(alert) || alert.kind === 'gone' ? 'red' : 'yellow')

function reviewLines({ shown, more }: Review, width: number): Line[] {
  if (shown.length === 0) return []
  const word = shown.reduce((most, alert) => Math.max(most, alert.kind.length), 0)
  const rest =
    more === undefined ? [] : hung([span('    '), span(' '.repeat(word + 2))], spansOf(more, 'dim'), width)
  return [
    [span('Review first', 'bold')],
    ...shown.flatMap(alert =>
      hung([span(`  ! ${alert.kind.padEnd(word)}  `, alertStyle(alert))], spansOf(alert.phrase), width),
    ),
    ...rest,
  ]
}

/**
 * A block for each set. A set with one short entry takes one line, and sets with equal entries share them. Places are in a
 * column at the right.
 */
function setLines(sets: readonly SetView[], width: number): Line[] {
  const rows = sets.map(set => {
    const alone = aloneIn(set, width)
    const beside = alone ?? besideOf(set)
    return { set, beside, below: alone || set.folded ? [] : changeLines(set, width - 4), where: placeOf(set) }
  })
  const names = column(
    rows.flatMap(({ set, beside }) =>
      set.previousName === undefined && beside.length > 0 ? [title(set)] : [],
    ),
    26,
  )
  const firsts = rows.map(({ set, beside }) =>
    beside.length === 0 ? title(set) : [...padded(title(set), names), span('  '), ...beside],
  )
  const places = column(
    rows.map(({ where }) => where),
    width,
  )
  const left = column(
    firsts.map(first => [...first, span('   ')]),
    Math.max(40, width - places),
  )
  const blocks = rows.map(({ set, below, where }, at) => {
    const head = withPlace(itemAt(firsts, at), where, left - 2, width)
    return { head, below, like: set.sign === '~' && below.length > 0 ? joinedText(below) : undefined }
  })
  const lines = groupedBy(blocks, ({ like }) => like).map(group => {
    const below = group[0].below
    const each = group.length > 1 ? [[span('    '), span(`in each of these ${group.length}:`, 'dim')]] : []
    return [...group.flatMap(({ head }) => head), ...each, ...below.map(line => [span('    '), ...line])]
  })
  return flat(lines)
}

/** Beside the set if there is room, else below; a path that is too wide loses its beginning. */
function withPlace(first: Line, where: Line, left: number, width: number): Line[] {
  if (where.length === 0) return [first]
  const beside = [...padded(first, left), span('  '), ...where]
  if (widthOf(beside) <= width) return [beside]
  const [start, ...rest] = where
  const room = width - 4 - widthOf(start === undefined ? [] : [start])
  const below =
    widthOf(rest) <= room ? rest : rest.map(piece => ({ ...piece, text: ending(piece.text, room) }))
  return [first, [span('    '), ...(start === undefined ? [] : [start]), ...below]]
}

/** The last characters that fit, after an ellipsis. */
function ending(text: string, width: number): string {
  const characters = [...text].slice(-width)
  while (characters.length > 0 && widthOf([span(`…${characters.join('')}`)]) > width) characters.shift()
  return `…${characters.join('')}`
}

const joinedText = (lines: readonly Line[]): string => lines.map(lineText).join('\n')

const title = ({ sign, name: text, previousName }: SetView): Line => [
  span(sign, SIGN_STYLE[sign]),
  span(' '),
  ...(previousName === undefined ? [] : [...spansOf([name(previousName)]), span(' -> ', 'dim')]),
  ...spansOf([name(text)], 'bold'),
]

/** The only entry of a set, if it is short enough to stand beside its name. */
function aloneIn(set: SetView, width: number): Line | undefined {
  const only = onlyShort(set)
  if (only === undefined) return undefined
  const line = singleLine(only)
  return widthOf([...title(set), ...line]) + 2 <= width ? line : undefined
}

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

function closing(view: View, width: number): Line[] {
  const cost = view.cost.length === 0 ? [] : [spansOf(view.cost)]
  return [...totalLines([...effectTotals(view), ...view.totals], width), ...cost, ...verdict(view)]
}

const effectTotals = ({ effects }: View): Total[] =>
  effects === undefined
    ? []
    : [
        { label: 'Workspaces', phrase: effects.headline },
        ...effects.notes.map(phrase => ({ label: '', phrase })),
      ]

function totalLines(totals: readonly Total[], width: number): Line[] {
  const word = Math.max(0, ...totals.map(total => total.label.length))
  return totals.flatMap(({ label, phrase }) =>
    hung([span(`${label.padEnd(word)}  `)], spansOf(phrase), width),
  )
}

const verdict = ({ approve, forbidden, review }: View): Line[] => {
  if (forbidden) return [[span('FORBIDDEN', 'red'), span(` by rules. ${FORBIDDEN_NEXT}`)]]
  if (approve === undefined) return []
  const reasons = review.every.filter(({ kind }) => kind === 'blocked').length
  const why = reasons > 1 ? ` (${reasons} reasons above)` : ' (the reason is above)'
  return [[span('BLOCKED', 'red'), span(`${why}. After review: `), ...spansOf(approve, 'bold')]]
}
