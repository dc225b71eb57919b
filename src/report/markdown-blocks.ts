import type { Diagnostic } from '../model/diagnostic.ts'
import { counted, figure, message, say, spot } from './phrase.ts'
import { phraseMarkdown } from './print-markdown.ts'
import { isGrave, type Review } from './review.ts'

/** Code, as a link if it has an address. */
export const linkMarkdown = (code: string, href: string | undefined): string =>
  href === undefined ? code : `[${code}](${href})`

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

/** A list of the pieces that fit. `before`: entries that were left out already. */
export function listOf(pieces: readonly Piece[], budget: number, mark = '- ', before = 0): string[] {
  const { kept, left } = blockOf(pieces, budget)
  return left + before === 0 ? kept : [...kept, `${mark}and ${figure(left + before)} more`]
}

/** What a reader opens. */
export function folded(summary: string, budget: number, inside: (room: number) => string): string {
  const [open, close] = [`<details><summary>${summary}</summary>\n\n`, '\n\n</details>']
  return `${open}${inside(budget - open.length - close.length)}${close}`
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
  return [head, ...listOf(pieces, budget - head.length - rest.join('').length, '> - '), ...rest].join('\n')
}

export function warningsOf(warnings: readonly Diagnostic[], budget: number): string {
  if (warnings.length === 0) return ''
  const pieces = warnings.map(({ code, message: text, hint, source }) => {
    const where = source && say`${spot(source)} `
    const then = hint !== undefined && say` ${message(hint)}`
    return { text: phraseMarkdown(say`- ${where}${code}: ${message(text)}${then}`), rank: 0 }
  })
  return folded(counted(warnings.length, 'warning'), budget, room => listOf(pieces, room).join('\n'))
}
