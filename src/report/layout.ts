import { styleText } from 'node:util'
import { flat } from '../model/lists.ts'
import type { Sign } from './change.ts'
import { quotedText, sealLines, terminalText } from './neutralise.ts'
import type { Phrase, Quote } from './phrase.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

export const SIGN_STYLE = { '+': 'green', '~': 'yellow', '-': 'red' } as const satisfies Record<Sign, Style>

/** A piece of a line; its text is already neutralised. */
export interface Span {
  readonly text: string
  readonly style?: Style
  /** For copying: never broken, even if it is wider than the terminal. */
  readonly whole?: true
}

export type Line = readonly Span[]

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style })

/** A phrase as pieces of a line. Neutralises the quotes. */
export function spansOf(phrase: Phrase, style?: Style): Line {
  const line: Span[] = []
  for (const part of phrase) {
    const text = typeof part === 'string' ? part : textOf(part)
    if (typeof part === 'string') line.push(span(text, style))
    else if (part.kind === 'command') line.push({ ...span(text, style), whole: true })
    else if (part.kind === 'message') line.push(...proseOf(text, style))
    else line.push(span(text, style))
  }
  return line
}

/** A sentence; a command at its end is not broken. */
export function proseOf(text: string, style?: Style): Line {
  const at = text.search(/\b(?:setpoint|git|terraform|tofu|export|npm) [\w-]/)
  if (at < 0) return [span(text, style)]
  const command = { ...span(text.slice(at), style), whole: true } as const
  return at === 0 ? [command] : [span(text.slice(0, at), style), command]
}

/** A phrase as one neutralised line. */
export const plainText = (phrase: Phrase): string => lineText(spansOf(phrase))

export const lineText = (line: Line): string => line.map(({ text }) => text).join('')

/** Sections with a blank line between them; empty ones are left out. */
export const inSections = (sections: readonly (readonly Line[])[]): Line[] =>
  flat(
    sections
      .filter(section => section.length > 0)
      .map((section, at) => (at === 0 ? section : [[], ...section])),
  )

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

/** Approximate columns on a terminal, for names in any script. */
export function widthOf(line: Line): number {
  const text = lineText(line)
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return [...text.replace(NO_WIDTH, '')].length + (text.match(WIDE)?.length ?? 0)
}

export const padded = (line: Line, width: number): Line => {
  const missing = width - widthOf(line)
  return missing > 0 ? [...line, span(' '.repeat(missing))] : line
}

/** `start` and `rest`, wrapped between words at `width` with a hanging indent. */
export const hung = (start: Line, rest: Line, width: number): Line[] =>
  flowed(start, rest, span(' '.repeat(widthOf(start))), width, word => [...word])

/**
 * Wraps a line that is too wide between words, or within a word that is wider than a line, with a hanging indent. A text for
 * copying stays whole, on a line of its own.
 */
export function fitted(line: Line, width: number): Line[] {
  if (widthOf(trimmed(line)) <= width) return [line]
  const lead = /^ */.exec(lineText(line))?.[0].length ?? 0
  const indent = span(' '.repeat(Math.min(lead + 2, Math.floor(width / 2))))
  const broken = (word: Line, room: number) => piecesThatFit(word, room, width - indent.text.length)
  return flowed([], line, indent, width, broken).map(joinedSpans)
}

/** Words after `start`; `piecesOf` gives the pieces of a word for the room on its line, with `BREAK` between lines. */
function flowed(
  start: Line,
  rest: Line,
  indent: Span,
  width: number,
  piecesOf: (word: Line, room: number) => Span[],
): Line[] {
  let last = [...start]
  const lines = [last]
  const next = () => {
    last = [indent]
    lines.push(last)
  }
  // Leading blanks are the indent: no break after them.
  let isFresh = true
  for (const word of wordsOf(rest)) {
    if (!isFresh && widthOf([...last, ...word]) > width + trailing(word)) next()
    for (const piece of piecesOf(word, width - widthOf(last)))
      if (piece === BREAK) next()
      else last.push(piece)
    isFresh = last.every(({ text }) => text.trim() === '')
  }
  return lines
}

/** Words with the blanks after them. */
function wordsOf(line: Line): Span[][] {
  const pieces = line.flatMap(piece =>
    piece.whole ? [piece] : (piece.text.match(/[^ ]* */g) ?? []).map(text => ({ ...piece, text })),
  )
  const words: Span[][] = []
  let word: Span[] = []
  for (const [at, piece] of pieces.entries()) {
    word.push(piece)
    if (!piece.text.endsWith(' ') && at < pieces.length - 1) continue
    words.push(word)
    word = []
  }
  return words
}

/** Joins neighbours of one style, so that a colour is not switched for every word. */
const joinedSpans = (line: Line): Line =>
  line.reduce<Span[]>((joined, piece) => {
    const last = joined.at(-1)
    if (last === undefined || last.style !== piece.style) joined.push(piece)
    else joined[joined.length - 1] = { ...last, text: last.text + piece.text }
    return joined
  }, [])

const BREAK = span('')

/** A word, with breaks if it fits neither on its line nor on a new one. */
function piecesThatFit(word: Line, first: number, others: number): Span[] {
  if (widthOf(word) <= first + trailing(word) || word.some(({ whole }) => whole)) return [...word]
  let room = first
  return word.flatMap(piece => {
    const parts: Span[] = []
    let text = ''
    for (const character of piece.text) {
      const size = widthOf([span(character)])
      if (size > room && character !== ' ') {
        parts.push({ ...piece, text }, BREAK)
        text = ''
        room = others
      }
      text += character
      room -= size
    }
    return [...parts, { ...piece, text }]
  })
}

/** Trailing blanks do not count; they are removed. */
const trailing = (word: Line): number => {
  const text = word.at(-1)?.text ?? ''
  return text.length - text.trimEnd().length
}

/** The cell of each item, as wide as the widest up to a limit. */
export function aligned<T>(
  items: readonly T[],
  cellOf: (item: T) => Line,
  limit?: number,
): (item: T) => Line {
  const width = column(items.map(cellOf), limit)
  return item => padded(cellOf(item), width)
}

/** The widest line up to a limit; wider ones do not move the others. */
export const column = (lines: readonly Line[], limit = Number.POSITIVE_INFINITY): number =>
  lines.map(widthOf).reduce((most, width) => (width <= limit ? Math.max(most, width) : most), 0)

/** The last step of every text output: wraps, colours, removes trailing blanks and disarms runner commands. */
export function painted(lines: readonly Line[], color: boolean, width = Number.POSITIVE_INFINITY): string {
  const rows = (width === Number.POSITIVE_INFINITY ? lines : lines.flatMap(line => fitted(line, width))).map(
    line =>
      trimmed(line)
        .map(piece => paint(piece, color))
        .join(''),
  )
  return sealLines(`${rows.join('\n')}\n`)
}

const paint = ({ text, style }: Span, color: boolean): string =>
  color && style !== undefined && text !== '' ? styleText(style, text, { validateStream: false }) : text

function trimmed(line: Line): Line {
  const last = line.at(-1)
  if (last === undefined) return line
  const text = last.text.trimEnd()
  if (text === last.text) return line
  return text === '' ? trimmed(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }]
}
