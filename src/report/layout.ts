import { styleText } from 'node:util'
import { flat } from '../model/lists.ts'
import { quotedText, sealLines, terminalText } from './neutralise.ts'
import type { Phrase, Quote, Tone } from './phrase.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

export const TONE_STYLE = {
  good: 'green',
  bad: 'red',
  heed: 'yellow',
  quiet: 'dim',
} as const satisfies Record<Tone, Style>

/** A piece of a line; its text is already neutralised. */
export interface Span {
  readonly text: string
  readonly style?: Style
  /** A name, value or command, which no line break may cut. */
  readonly isWhole?: true
}

export type Line = readonly Span[]

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style })

/** A phrase as pieces of a line. Neutralises the quotes. */
export const spansOf = (phrase: Phrase, style?: Style): Line =>
  phrase.flatMap(part => {
    if (typeof part === 'string') return sentence(part, style)
    if (part.kind === 'words')
      return sentence(part.text, part.tone === undefined ? style : TONE_STYLE[part.tone])
    if (part.kind === 'message') return sentence(textOf(part), style)
    return { ...span(textOf(part), style), isWhole: true }
  })

/** What a sentence has for copying: text in backticks, and a command that ends it. */
const COPIED = /(`[^`]+`|(?<=: )setpoint .+$)/

const sentence = (text: string, style: Style | undefined): Line =>
  text
    .split(COPIED)
    .flatMap((part, at) =>
      part === '' ? [] : { ...span(part, style), ...(at % 2 === 1 && { isWhole: true }) },
    )

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

const lengthOf = (line: Line): number => lineText(line).length

export const padded = (line: Line, width: number): Line => {
  const missing = width - lengthOf(line)
  return missing > 0 ? [...line, span(' '.repeat(missing))] : line
}

/**
 * A line in as many lines as it needs, the others indented by `indent`. Breaks between columns if that is enough, otherwise at spaces of our
 * words and of sentences.
 */
export function wrapped(line: Line, width: number, indent: number): Line[] {
  if (lengthOf(line) <= width) return [line]
  const words = wordsIn(line)
  for (let at = words.length - 1; at > 1; at--) {
    const [head, tail] = [words.slice(0, at), words.slice(at)]
    const rest = tail.flatMap((one, i) => (i === 0 ? one.word : [...one.gap, ...one.word]))
    if (indent + lengthOf(rest) > width) break
    const first = head.flatMap(({ gap, word }) => [...gap, ...word])
    const isColumn = lengthOf(tail[0]?.gap ?? []) > 1
    if (isColumn && lengthOf(first) <= width) return [first, [span(' '.repeat(indent)), ...rest]]
  }
  const lines: Span[][] = [[]]
  let used = 0
  for (const { gap, word } of words) {
    const length = lengthOf(word)
    // The blanks at the start of a line are its own indent.
    const isFirst = used === 0 || used === indent
    if (!isFirst && used + lengthOf(gap) + length > width) {
      lines.push([span(' '.repeat(indent)), ...word])
      used = indent + length
    } else {
      lines.at(-1)?.push(...gap, ...word)
      used += lengthOf(gap) + length
    }
  }
  return lines
}

/** What no break may cut, each with the blanks before it. */
function wordsIn(line: Line): { gap: Span[]; word: Span[] }[] {
  const words: { gap: Span[]; word: Span[] }[] = [{ gap: [], word: [] }]
  for (const piece of line)
    for (const text of piece.isWhole ? [piece.text] : piece.text.split(/( +)/).filter(part => part !== '')) {
      const isGap = !piece.isWhole && text.trim() === ''
      const last = words.at(-1)
      if (isGap && last !== undefined && last.word.length > 0)
        words.push({ gap: [{ ...piece, text }], word: [] })
      else (isGap ? last?.gap : last?.word)?.push({ ...piece, text })
    }
  return words
}

/** The widest line up to a limit; wider ones do not move the others. */
export const column = (lines: readonly Line[], limit = Number.POSITIVE_INFINITY): number =>
  lines.map(lengthOf).reduce((most, width) => (width <= limit ? Math.max(most, width) : most), 0)

/** The last step of every text output: colours, removes trailing blanks and disarms runner commands. A terminal wraps what is too long. */
export function painted(lines: readonly Line[], color: boolean): string {
  const rows = lines.map(line =>
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
