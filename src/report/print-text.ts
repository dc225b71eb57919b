import { flat } from '../model/lists.ts'
import { shortDigest } from '../plan/plan-data.ts'
import type { Doc, Row, Section, Title } from './doc.ts'
import {
  column,
  inSections,
  type Line,
  padded,
  painted,
  type Style,
  span,
  spansOf,
  TONE_STYLE,
  wrapped,
} from './layout.ts'
import { type Phrase, place, present, type Tone } from './phrase.ts'

/** How text is laid out. */
export interface TextOptions {
  readonly color: boolean
  /** Show what is folded. */
  readonly verbose?: boolean
  /** Of the terminal: longer lines of ours break at their words. Absent where no one line should become two. */
  readonly width?: number
}

/** A report of so few lines needs no blank ones. */
const MOST_SMALL = 6

/** The report for a terminal or a log: sections with a blank line between them. The reports that it sums up come first. */
export function textOf(doc: Doc, options: TextOptions): string {
  const parts = (doc.parts ?? []).map(part => textOf(part, options))
  return [...parts, ownText(doc, options)].join('\n')
}

function ownText(doc: Doc, options: TextOptions): string {
  const sections = sectionsOf(doc, options)
  const all = flat(sections)
  return painted(all.length <= MOST_SMALL ? all : inSections(sections), options.color)
}

function sectionsOf(doc: Doc, { verbose = false, width = Number.POSITIVE_INFINITY }: TextOptions): Line[][] {
  const shown = doc.sections.filter(({ folded, rows }) => rows.length > 0 && (verbose || !folded))
  const calls = shown.filter(({ form }) => form === 'calls')
  const others = shown.filter(({ form }) => form !== 'calls')
  const lines = (section: Section) => sectionLines(section, verbose, width)
  const headline = spansOf(doc.headline, doc.tone && TONE_STYLE[doc.tone])
  const top = [headerOf(doc), headline].flatMap(line => wrapped(line, width, 4))
  return [[...top, ...flat(calls.map(lines))], ...others.map(lines)]
}

/** What, of whom and where. */
function headerOf({ command, digest, about }: Doc): Line {
  const [who, ...more] = about
  return [
    span(`setpoint ${command}`, 'bold'),
    ...(digest === undefined ? [] : [span(' '), span(shortDigest(digest), 'bold')]),
    ...(who === undefined ? [] : [span('   '), ...spansOf(who, 'bold')]),
    ...more.flatMap(one => [span('   '), ...spansOf(one)]),
  ]
}

interface Layout {
  readonly form: Section['form']
  readonly verbose: boolean
  readonly width: number
}

const INDENT = { calls: 2, changes: 0, list: 2, lines: 0 } as const satisfies Record<Section['form'], number>

function sectionLines({ title, form, rows }: Section, verbose: boolean, width: number): Line[] {
  const head = title === undefined ? [] : [[span(titleText(title), 'bold')]]
  return [...head, ...rowLines(rows, 0, { form, verbose, width })]
}

export const titleText = ({ words, figures }: Title): string =>
  words.map((word, at) => `${word}${figures[at] ?? ''}`).join('')

/** What a sign means. */
const SIGN_TONE: Readonly<Record<string, Tone>> = { '+': 'good', '~': 'heed', '-': 'bad' }

export const toneOf = ({ mark, tone }: Row): Tone | undefined =>
  tone ?? (mark === undefined ? undefined : SIGN_TONE[mark])

/** Rows with their marks and cells in columns, and those below them. */
function rowLines(rows: readonly Row[], depth: number, layout: Layout): Line[] {
  const { form, verbose, width } = layout
  const indent = INDENT[form] + depth * 4
  const isTop = form === 'changes' && depth === 0
  // The set has a place; that of each entry is on the page. What is called out stands in another section with its place.
  const isPlaced = form !== 'calls' && (form !== 'changes' || depth === 0)
  const cells = alignedCells(rows, isTop ? 'bold' : undefined)
  const marks = rows.reduce((most, { mark = '' }) => Math.max(most, mark.length), 0)
  const gap = isTop ? Math.max(marks, 1) + 1 : marks < 2 ? marks * 2 : marks + 2
  const lines = rows.map(row => {
    const { mark = '', source, rows: below = [], folded = false } = row
    const tone = toneOf(row)
    const style = tone && TONE_STYLE[tone]
    const start = [span(' '.repeat(indent)), span(mark, style), span(' '.repeat(gap - mark.length))]
    const where = source === undefined || !isPlaced ? [] : [span('   '), ...spansOf([place(source)], 'dim')]
    const inside = folded && !verbose ? [] : rowLines(below, depth + 1, layout)
    return [...wrapped([...start, ...cells(row), ...where], width, indent + Math.max(gap, 4)), ...inside]
  })
  return flat(lines)
}

/** The cells. What is said of everything has no subject, and begins with what is said. */
export const saidIn = ({ cells }: Row): readonly Phrase[] => {
  const [subject = [], ...said] = cells
  return subject.length === 0 && said.length > 0 ? said : cells
}

/** Wider cells do not move the others. */
const MOST_ALIGNED = 32

/** The cells of each row in columns, as wide as the widest of its column up to a limit. A row without a mark is as quiet as its tone. */
export function alignedCells(rows: readonly Row[], first?: Style): (row: Row) => Line {
  const spans = new Map(
    rows.map(row => [
      row,
      saidIn(row).map((cell, at) => spansOf(cell, styleOf(row) ?? (at === 0 ? first : undefined))),
    ]),
  )
  // The last cell of a row has nothing beside it.
  const lengths = rows.map(row => saidIn(row).length)
  const count = lengths.reduce((most, length) => Math.max(most, length), 0) - 1
  const widths = Array.from({ length: Math.max(0, count) }, (_, at) =>
    column(
      present(...rows.map((row, i) => (lengths[i] ?? 0) > at + 1 && spans.get(row)?.[at])),
      MOST_ALIGNED,
    ),
  )
  return row => {
    const [start = [], ...rest] = spans.get(row) ?? []
    const all = [start, ...rest]
    return all.flatMap((cell, at) =>
      at === all.length - 1 ? cell : [...padded(cell, widths[at] ?? 0), span('  ')],
    )
  }
}

const styleOf = ({ mark, tone }: Row): Style | undefined =>
  mark === undefined && tone !== undefined ? TONE_STYLE[tone] : undefined
