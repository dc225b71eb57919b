import { flat } from '../model/lists.ts'
import type { Doc, LinkOf, Row, Section } from './doc.ts'
import { lineText } from './layout.ts'
import { codeBlock, codeCell, codeSpan, sealLines } from './neutralise.ts'
import { figure, type Phrase, place, present, type Quote } from './phrase.ts'
import { alignedCells, saidIn, titleText, toneOf } from './print-text.ts'

/** Fits in a comment on GitHub, of 65,536 characters, with a name in its marker. */
export const COMMENT_LIMIT = 65_000

export interface MarkdownOptions {
  /** Of characters. */
  readonly limit?: number
  readonly link?: LinkOf
  /** Files with the whole report, named where something is left out. */
  readonly elsewhere?: readonly string[]
}

/**
 * The report as a comment on a pull request or a step summary. What does not fit is left out in whole rows: what is below rows first, then
 * the last rows, and those with the tone `bad` at the very end. Says how many are missing.
 */
export function markdownOf(
  doc: Doc,
  { limit = COMMENT_LIMIT, link = noLink, elsewhere }: MarkdownOptions,
): string {
  const whole = `see ${['the log', ...(elsewhere?.map(one => codeSpan(one)) ?? ['another report'])].join(' or ')}`
  const linked = fitted(doc, limit, { link, whole })
  // Rows are worth more than links.
  const own = linked.left === 0 ? linked : fitted(doc, limit, { link: noLink, whole })
  const parts = doc.parts ?? []
  const room = Math.floor((limit - own.text.length) / Math.max(1, parts.length)) - 100
  const bodies =
    parts.length > 0 && room < LEAST
      ? [`The ${parts.length} reports are left out here; ${whole}.`]
      : parts.map(part => markdownOf(part, { limit: room, link, elsewhere }).trimEnd())
  return sealLines(`${[own.text, ...bodies].join('\n\n')}\n`)
}

const noLink: LinkOf = () => undefined

/** With less room a report would be only its heading. */
const LEAST = 2_500

interface Places {
  readonly link: LinkOf
  /** Where the rest is. */
  readonly whole: string
}

/** Shown whole or not at all. Lower ranks are kept first. */
interface MarkdownPiece {
  readonly text: string
  readonly rank: number
}

interface MarkdownBlock {
  readonly pieces: readonly MarkdownPiece[]
  /** The pieces that are kept, and a sentence about the others. */
  readonly render: (kept: readonly string[], more: string | undefined) => string
}

const RANK = { badCall: 0, badChange: 1, line: 2, call: 3, row: 4, folded: 5, badBelow: 6, below: 7 } as const

function fitted(doc: Doc, limit: number, places: Places): { text: string; left: number } {
  const [start, end] = framesOf(doc)
  const blocks = doc.sections.flatMap(section => (section.rows.length === 0 ? [] : blocksOf(section, places)))
  const moreOf = (left: number): string =>
    `${figure(left)} more ${left === 1 ? 'is' : 'are'} left out here; ${places.whole}.`
  const frames = blocks.map(({ pieces, render }) => render([], moreOf(pieces.length)))
  const used = [start, end, ...frames].reduce((sum, text) => sum + text.length + 2, 1)
  const kept = keptOf(blocks, limit - used)
  const texts = blocks.map(({ pieces, render }) => {
    const shown = pieces.filter(piece => kept.has(piece)).map(({ text }) => text)
    const left = pieces.length - shown.length
    return render(shown, left === 0 ? undefined : moreOf(left))
  })
  const left = flat(blocks.map(({ pieces }) => pieces)).filter(
    one => one.rank < RANK.badBelow && !kept.has(one),
  )
  return { text: [start, ...texts, end].filter(text => text !== '').join('\n\n'), left: left.length }
}

/** The pieces that fit: in the order of their ranks, of each block until one does not fit. */
function keptOf(blocks: readonly MarkdownBlock[], budget: number): ReadonlySet<MarkdownPiece> {
  const kept = new Set<MarkdownPiece>()
  const full = new Set<MarkdownBlock>()
  let room = budget
  const all = flat(blocks.map(block => block.pieces.map(piece => ({ piece, block }))))
  for (const { piece, block } of all.toSorted((a, b) => a.piece.rank - b.piece.rank)) {
    const cost = piece.text.length + 2
    if (full.has(block) || cost > room) full.add(block)
    else {
      room -= cost
      kept.add(piece)
    }
  }
  return kept
}

/** The heading, and the last line: what was run, with all digits. */
function framesOf({ command, digest, about, headline }: Doc): [start: string, end: string] {
  const [who = [], ...more] = about
  const whose = who.map(part =>
    typeof part === 'string' || part.kind === 'words' ? wordsOf(part) : plainOrCode(part.text),
  )
  const run = digest === undefined ? command : `${command} ${codeSpan(digest)}`
  return [
    `### ${['Setpoint', command, ...(who.length === 0 ? [] : [whose.join('')])].join(' ')}: ${phraseMarkdown(headline)}`,
    // The command alone stands in the heading.
    digest === undefined && more.length === 0
      ? ''
      : [run, ...more.map(one => phraseMarkdown(one))].join(' · '),
  ]
}

function blocksOf(section: Section, places: Places): MarkdownBlock[] {
  const { title, folded = false } = section
  const head = title && titleText(title)
  const blocks = formOf(section, head, places)
  if (!folded) return blocks
  return blocks.map(({ pieces, render }, at) => ({
    pieces: pieces.map(piece => ({ ...piece, rank: Math.max(piece.rank, RANK.folded) })),
    // All blocks of a section are folded together.
    render: (kept, more) => {
      const start = at === 0 ? opening(head ?? 'Details') : ''
      return `${start}${render(kept, more)}${at === blocks.length - 1 ? CLOSING : ''}`
    },
  }))
}

const opening = (summary: string, isOpen = false): string =>
  `<details${isOpen ? ' open' : ''}><summary>${summary}</summary>\n\n`
const CLOSING = '\n\n</details>'

function formOf(section: Section, head: string | undefined, { link }: Places): MarkdownBlock[] {
  const { form, rows, columns, folded = false } = section
  const bold = head === undefined || folded ? [] : [`**${head}**`, '']
  switch (form) {
    case 'calls':
      return [
        {
          pieces: rows.map(row => ({
            text: pointOf(row, '> ', link, false),
            rank: toneOf(row) === 'bad' ? RANK.badCall : RANK.call,
          })),
          render: (kept, more) => {
            const kind = rows.some(row => toneOf(row) === 'bad') ? 'CAUTION' : 'WARNING'
            const top = [`> [!${kind}]`, ...(head === undefined ? [] : [`> **${head}**`, '>'])]
            return [...top, ...kept, ...present(more && `> - ${more}`)].join('\n')
          },
        },
      ]
    case 'changes':
      return columns === undefined
        ? [blockOf(rows, bold)]
        : [tableOf(rows, columns, bold, link), ...hunksOf(rows, folded)]
    case 'list':
      return [
        {
          pieces: rows.map(row => ({ text: pointOf(row, '', link, true, ': '), rank: RANK.row })),
          render: (kept, more) => [...bold, ...kept, ...present(more && `- ${more}`)].join('\n'),
        },
      ]
    case 'lines':
      return [
        {
          pieces: rows.map(row => ({ text: sentenceOf(row, link, true), rank: RANK.line })),
          render: (kept, more) => [...bold, [...kept, ...present(more)].join('\n\n')].join('\n'),
        },
      ]
  }
}

/** The mark, the cells, with `between` before the last, and the place. Among calls the place stands only as a link. */
function sentenceOf(row: Row, link: LinkOf, isPlaced: boolean, between = ' '): string {
  const { mark, source } = row
  const cells = saidIn(row).map(cell => phraseMarkdown(cell, link))
  const said = [cells.slice(0, -1).join(' '), ...cells.slice(-1)].filter(text => text !== '').join(between)
  const href = source && link(source)
  const where =
    source && (isPlaced || href !== undefined) && `(${linked(codeSpan(place(source).text), href)})`
  // A further line of one label has none.
  return present(mark !== undefined && mark !== '' && `**${mark}**`, said, where).join(' ')
}

function pointOf(row: Row, indent: string, link: LinkOf, isPlaced: boolean, between?: string): string {
  const below = row.folded ? [] : (row.rows ?? [])
  return [
    `${indent}- ${sentenceOf(row, link, isPlaced, between)}`,
    ...below.map(one => pointOf(one, `${indent}  `, link, isPlaced)),
  ].join('\n')
}

/** A row for each; more cells than columns stand in the last one. */
function tableOf(
  rows: readonly Row[],
  columns: readonly (string | Phrase)[],
  bold: readonly string[],
  link: LinkOf,
): MarkdownBlock {
  const isPlaced = rows.some(({ source }) => source !== undefined)
  const heads = columns.map(one => (typeof one === 'string' ? one : phraseMarkdown(one, link, codeCell)))
  const names = ['', ...heads, ...(isPlaced ? ['where'] : [])]
  const head = [`| ${names.join(' | ')} |`.replace('|  |', '| |'), `|${'-|'.repeat(names.length)}`]
  const last = columns.length - 1
  return {
    pieces: rows.map(row => {
      const texts = row.cells.map(cell => phraseMarkdown(cell, link, codeCell))
      const asides = row.cells.map((cell, at) => (at > last && isAside(cell) ? ', ' : ' '))
      const rest = texts.slice(last).map((text, at) => `${at === 0 ? '' : (asides[last + at] ?? '')}${text}`)
      const cells = columns.map((_, at) => (at < last ? (texts[at] ?? '') : rest.join('')))
      const { source } = row
      const where = source === undefined ? '' : linked(codeCell(place(source).text), link(source))
      return {
        text: `| ${[row.mark ?? '', ...cells, ...(isPlaced ? [where] : [])].join(' | ')} |`,
        rank: toneOf(row) === 'bad' ? RANK.badChange : RANK.row,
      }
    }),
    render: (kept, more) =>
      `${[...bold, ...(kept.length === 0 ? [] : head), ...kept].join('\n')}${more === undefined ? '' : `${kept.length === 0 ? '' : '\n\n'}${more}`}`,
  }
}

/** `in 2 workspaces`: no column separates it from what is before it, as `pruned: no file declares it`. */
const isAside = (cell: Phrase): boolean =>
  cell.length > 0 &&
  cell.every(part => typeof part !== 'string' && part.kind === 'words' && part.text.startsWith('in '))

/** More lines than these are folded. */
const MOST_OPEN = 30

/** Of a hunk: its row in the table above says how many workspaces the change concerns. */
function headOf(row: Row): string {
  const head = { ...row, cells: row.cells.filter(cell => !isAside(cell)) }
  return lineText(alignedCells([head])(head))
}

/** What is below the rows of a table, as one block to open, unless its section is: a hunk for each row, whole or not at all. */
function hunksOf(rows: readonly Row[], isFolded: boolean): MarkdownBlock[] {
  const pieces = rows
    .filter(row => row.rows !== undefined && row.rows.length > 0 && !row.folded)
    .map(row => ({
      text: [`@@ ${row.mark ?? ''} ${headOf(row)} @@`, ...diffLines(row.rows ?? [], 0)].join('\n'),
      rank: toneOf(row) === 'bad' ? RANK.badBelow : RANK.below,
    }))
  if (pieces.length === 0) return []
  const render: MarkdownBlock['render'] = (kept, more) => {
    const lines = kept.flatMap(text => text.split('\n'))
    const block = lines.length === 0 ? [] : [codeBlock(lines, 'diff')]
    const inside = [...block, ...present(more)].join('\n\n')
    return isFolded ? inside : `${opening('Details', lines.length <= MOST_OPEN)}${inside}${CLOSING}`
  }
  return [{ pieces, render }]
}

/** What a terminal shows, as one block. */
function blockOf(rows: readonly Row[], bold: readonly string[]): MarkdownBlock {
  const cells = alignedCells(rows)
  return {
    pieces: rows.map(row => ({
      text: diffLines([row], 0, cells).join('\n'),
      rank: toneOf(row) === 'bad' ? RANK.badChange : RANK.row,
    })),
    render: (kept, more) =>
      [
        ...bold,
        [
          ...(kept.length === 0
            ? []
            : [
                codeBlock(
                  kept.flatMap(text => text.split('\n')),
                  'diff',
                ),
              ]),
          ...present(more),
        ].join('\n\n'),
      ].join('\n'),
  }
}

/** Forges colour a line by its first character, with `!` for our `~`, so every line begins with its mark. */
function diffLines(rows: readonly Row[], depth: number, cells = alignedCells(rows)): string[] {
  return rows.flatMap(row => {
    const { mark = '', rows: below = [], folded = false } = row
    const sign = mark === '~' ? '!' : mark.length === 1 ? mark : ' '
    const word = mark.length > 1 ? `${mark}  ` : ''
    const line = `${sign}${' '.repeat(1 + depth * 4)}${word}${lineText(cells(row))}`
    return [line.trimEnd(), ...(folded ? [] : diffLines(below, depth + 1))]
  })
}

/** Our words as they are, and quotes as code, where no Markdown, mention or link works. */
const phraseMarkdown = (phrase: Phrase, link = noLink, code = codeSpan): string =>
  phrase
    .map(part =>
      typeof part === 'string' || part.kind === 'words' ? wordsOf(part) : quoteMarkdown(part, link, code),
    )
    .join('')

/** Sentences and commands may be longer than names. */
const LIMIT = { name: 300, value: 300, place: 300, message: 2_000, command: 2_000 } as const satisfies Record<
  Quote['kind'],
  number
>

const wordsOf = (part: string | { readonly text: string }): string =>
  typeof part === 'string' ? part : part.text

const quoteMarkdown = ({ kind, text, source }: Quote, link: LinkOf, code: typeof codeSpan): string =>
  linked(code(text === '' ? '""' : text, LIMIT[kind]), source && link(source))

/** Code, as a link if it has an address. */
const linked = (code: string, href: string | undefined): string =>
  href === undefined ? code : `[${code}](${href})`

/** In a heading: a plain word as it is, unless a forge could link it as a commit or, as `GH-1`, as an issue. */
const plainOrCode = (text: string): string =>
  /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/.test(text) && text.length < 100 && !REFERENCE.test(text)
    ? text
    : codeSpan(text)

const REFERENCE = /^[0-9a-f]{7,}$|-\d+$/i
