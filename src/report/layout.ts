import { quotedText, sealLines, terminalText } from './neutralise.ts'
import type { Phrase, Quote } from './phrase.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

/** A piece of a line; harmless text already. */
export interface Span {
  readonly text: string
  readonly style?: Style
}

export type Line = readonly Span[]

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style })

/** A phrase as pieces of a line: quotes are made harmless here. */
export const spansOf = (phrase: Phrase, style?: Style): Line =>
  phrase.map(part => span(typeof part === 'string' ? part : textOf(part), style))

/** A phrase as one harmless line of text. */
export const plainText = (phrase: Phrase): string =>
  spansOf(phrase)
    .map(({ text }) => text)
    .join('')

export function textOf({ kind, text }: Quote): string {
  switch (kind) {
    case 'name':
    case 'value':
      return quotedText(text)
    case 'message':
    case 'place':
    case 'command':
      return terminalText(text)
  }
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/gu
const NO_WIDTH = /\p{M}/gu

/** Columns on a terminal: near enough to align names in any script. */
export function widthOf(line: Line): number {
  const text = line.map(piece => piece.text).join('')
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return [...text.replace(NO_WIDTH, '')].length + (text.match(WIDE)?.length ?? 0)
}

export const padded = (line: Line, width: number): Line => {
  const missing = width - widthOf(line)
  return missing > 0 ? [...line, span(' '.repeat(missing))] : line
}

/** `rest` after `start`, broken between words where it is wider than `width`, and hung below itself. */
export function hung(start: Line, rest: Line, width: number): Line[] {
  const words = rest.flatMap(({ text, style }) =>
    (text.match(/[^ ]* */g) ?? []).map(part => span(part, style)),
  )
  const lines: Span[][] = [[...start]]
  let word: Span[] = []
  for (const [at, piece] of words.entries()) {
    word.push(piece)
    if (!piece.text.endsWith(' ') && at < words.length - 1) continue
    const last = lines.at(-1) ?? []
    const isFirst = last.length === start.length && lines.length === 1
    if (isFirst || widthOf([...last, ...word]) <= width + trailing(piece)) last.push(...word)
    else lines.push([span(' '.repeat(widthOf(start))), ...word])
    word = []
  }
  return lines
}

/** Blanks at the end of a line do not count: they are taken away. */
const trailing = ({ text }: Span): number => text.length - text.trimEnd().length

/** The widest of some lines, up to a limit; wider ones do not move the others. */
export const column = (lines: readonly Line[], limit: number): number =>
  lines.map(widthOf).reduce((most, width) => (width <= limit ? Math.max(most, width) : most), 0)

/** The end of every text output: colours, no blanks at line ends, and no line that a runner would obey. */
export function painted(lines: readonly Line[], color: boolean): string {
  const rows = lines.map(line =>
    trimmed(line)
      .map(piece => paint(piece, color))
      .join(''),
  )
  return sealLines(`${rows.join('\n')}\n`)
}

const paint = ({ text, style }: Span, color: boolean): string =>
  color && style !== undefined && text !== ''
    ? `\u001b[${ON[style]}m${text}\u001b[${OFF[style] ?? 39}m`
    : text

/** As `node:util` colours text. Loading that costs every start more than these lines. */
const ON: Readonly<Record<Style, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
  cyan: 36,
}
const OFF: Partial<Record<Style, number>> = { bold: 22, dim: 22 }

function trimmed(line: Line): Line {
  const last = line.at(-1)
  if (last === undefined) return line
  const text = last.text.trimEnd()
  if (text === last.text) return line
  return text === '' ? trimmed(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }]
}
