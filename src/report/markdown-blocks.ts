import type { Diagnostic } from '../model/diagnostic.ts'
import { isGrave, type Review } from './alert.ts'
import type { EndRow, EndView } from './end.ts'
import { codeSpan } from './neutralise.ts'
import { counted, figure, message, type Phrase, place, type Quote, spot } from './phrase.ts'

/** Our words as they are, and quotes as code, where no Markdown, mention or link works. */
export const phraseMarkdown = (phrase: Phrase): string =>
  phrase.map(part => (typeof part === 'string' ? part : quoteMarkdown(part))).join('')

/** Sentences and commands may be longer than names. */
const LIMIT = { name: 300, value: 300, place: 300, message: 2_000, command: 2_000 } as const satisfies Record<
  Quote['kind'],
  number
>

const quoteMarkdown = ({ kind, text, href }: Quote): string =>
  linkMarkdown(codeSpan(text === '' ? '""' : text, LIMIT[kind]), href)

/** Code, as a link if it has an address. */
export const linkMarkdown = (code: string, href: string | undefined): string =>
  href === undefined ? code : `[${code}](${href})`

/** In a heading: a plain word as it is, unless a forge could link it as a commit or, as `GH-1`, as an issue. */
export const plainOrCode = (text: string): string =>
  /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/.test(text) && text.length < 100 && !REFERENCE.test(text)
    ? text
    : codeSpan(text)

const REFERENCE = /^[0-9a-f]{7,}$|-\d+$/i

/** Shown whole or not at all. Lower ranks are kept first. */
interface Piece {
  readonly text: string
  readonly rank: number
}

/** The pieces that fit, in their order, and how many do not. */
export function blockOf(pieces: readonly Piece[], budget: number): { kept: string[]; left: number } {
  let room = budget
  const kept = new Set<Piece>()
  for (const piece of pieces.toSorted((a, b) => a.rank - b.rank)) {
    const cost = piece.text.length + 2
    if (cost > room) continue
    room -= cost
    kept.add(piece)
  }
  return {
    kept: pieces.filter(piece => kept.has(piece)).map(piece => piece.text),
    left: pieces.length - kept.size,
  }
}

/** *Review first*, never folded. What does not fit is counted, starting with the least harmful. */
export function calloutOf({ shown, more }: Review, budget: number): string {
  if (shown.length === 0) return ''
  const head = [shown.some(isGrave) ? '> [!CAUTION]' : '> [!WARNING]', '> **Review first**', '>'].join('\n')
  const pieces = shown.map((alert, rank) => ({
    text: `> - **${alert.kind}** ${phraseMarkdown(alert.phrase)}`,
    rank: isGrave(alert) ? 0 : rank + 1,
  }))
  const rest = more === undefined ? [] : [`> - ${phraseMarkdown(more)}`]
  const { kept, left } = blockOf(pieces, budget - head.length - rest.join('').length)
  return [head, ...kept, ...(left === 0 ? [] : [`> - and ${figure(left)} more`]), ...rest].join('\n')
}

export function warningsOf(warnings: readonly Diagnostic[], budget: number): string {
  if (warnings.length === 0) return ''
  const open = `<details><summary>${counted(warnings.length, 'warning')}</summary>\n\n`
  const close = '\n\n</details>'
  const pieces = warnings.map(warning => ({ text: warningItem(warning), rank: 0 }))
  const { kept, left } = blockOf(pieces, budget - open.length - close.length)
  const more = left === 0 ? [] : [`- and ${figure(left)} more`]
  return `${open}${[...kept, ...more].join('\n')}${close}`
}

function warningItem({ code, message: text, hint, source }: Diagnostic): string {
  const where = source === undefined ? '' : `${phraseMarkdown([spot(source)])} `
  const then = hint === undefined ? '' : ` ${phraseMarkdown([message(hint)])}`
  return `- ${where}${code}: ${phraseMarkdown([message(text)])}${then}`
}

const ROW_RANK = { failed: 0, unknown: 1, skipped: 2, note: 3 } as const satisfies Record<
  EndRow['status'],
  number
>

/** How an apply ended; the headline stands in the heading. */
export function endOfApply(end: EndView, budget: number): string {
  const broken = end.broken.map(phrase => `> - ${phraseMarkdown(phrase)}`)
  const paragraphs = [
    ...(broken.length === 0 ? [] : [['> [!CAUTION]', '> Broken now:', ...broken.slice(0, 20)].join('\n')]),
    ...paragraph('Stopped: ', end.stopped),
    ...paragraph('', end.closing),
    ...paragraph('Next: ', end.next),
    ...paragraph('', end.exit),
  ]
  const used = paragraphs.reduce((sum, text) => sum + text.length + 2, 0)
  const pieces = end.rows.map(row => ({ text: rowItem(row), rank: ROW_RANK[row.status] }))
  const { kept, left } = blockOf(pieces, budget - used)
  const more = left + end.left === 0 ? [] : [`- and ${figure(left + end.left)} more`]
  const rows = kept.length + more.length === 0 ? [] : [[...kept, ...more].join('\n')]
  return [...rows, ...paragraphs].join('\n\n')
}

const paragraph = (label: string, phrase: Phrase | undefined): string[] =>
  phrase === undefined ? [] : [`${label}${phraseMarkdown(phrase)}`]

function rowItem({ status, operation, reason, source }: EndRow): string {
  const where = source === undefined ? '' : ` (${phraseMarkdown([place(source)])})`
  return `- **${status}** ${phraseMarkdown(operation)}: ${phraseMarkdown(reason)}${where}`
}
