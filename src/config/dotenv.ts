import type { Findings } from '../model/findings.ts'
import type { SourceFile } from './source-file.ts'

/** A name and its value, with the offset of the name. Duplicates are kept. */
export interface DotenvLine {
  readonly name: string
  readonly at: number
  readonly text: string
}

/**
 * Reads a dotenv file. There is no standard, so this grammar is all that is accepted. Everything else is an error, never a
 * guess, and `$NAME` is never expanded:
 *
 *     file  = line*
 *     line  = blank | "#" comment | ["export" blank] NAME "=" value
 *     NAME  = letters, digits and "_", not beginning with a digit; blanks may surround the "="
 *     value = "'" all up to the next "'", over several lines, as it stands "'"
 *           | '"' all up to the next '"', the same, without a backslash, which is an escape elsewhere
 *           | the rest of the line as it stands, without a "#" behind a blank, and without the blanks around it
 *
 * After a closing quote, only blanks and a comment may follow. Nothing is dropped: what may be a comment or a value is refused.
 */
export function readDotenv(file: SourceFile, findings: Findings): readonly DotenvLine[] {
  const { text } = file
  const assignments: DotenvLine[] = []
  let at = 0

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at = pattern.lastIndex
    return found
  }

  /** Reports a mistake, and continues on the next line. */
  function mistake(place: number, message: string, hint?: string): void {
    findings.error('secret-syntax', message, hint, file.at(place))
    at = endOf(text, '\n', place) + 1
  }

  function valueText(): string | undefined {
    const start = at
    const [blanks = '', quote] = take(OPENING) ?? []
    if (quote === undefined) {
      at = endOf(text, '\n', start)
      const line = text.slice(start, at)
      const sign = /[ \t]#/.exec(line)
      if (sign === null) return bare(line)
      mistake(
        start + sign.index + 1,
        'After a blank, a `#` may begin a comment or belong to the value.',
        QUOTE_IT,
      )
      return undefined
    }
    const open = at
    at = endOf(text, quote, open)
    const backslash = quote === '"' ? text.slice(open, at).indexOf('\\') : -1
    if (backslash >= 0) {
      mistake(open + backslash, 'Double quotes do not support escapes.', SINGLE_QUOTES)
    } else if (text[at] === quote) {
      const inside = text.slice(open, at++)
      if (take(NOTHING) !== null) return inside
      mistake(at, 'Something follows the closing quote.', quote === '"' ? SINGLE_QUOTES : DOUBLE_QUOTES)
    } else {
      mistake(start + blanks.length - 1, 'A quote is opened here and never closed.')
      at = text.length
    }
    return undefined
  }

  while (at < text.length) {
    if (take(NOTHING) !== null) continue
    const start = at
    const [head, name] = take(HEAD) ?? []
    if (head === undefined || name === undefined) {
      mistake(
        start,
        'This line is not NAME=value.',
        "Put a value of several lines in single quotes: NAME='value'. A comment begins with #.",
      )
      continue
    }
    const written = valueText()
    if (written === undefined) continue
    assignments.push({ name, at: start + head.lastIndexOf(name), text: written })
  }
  return assignments
}

const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const HEAD = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y
const OPENING = /[ \t]*(['"])/y

const QUOTE_IT = "Quote the value: NAME='value'. A comment may follow the closing quote."
const SINGLE_QUOTES =
  'Use single quotes, in which every character stands for itself, also over several lines. For a value with both kinds of quotes, use a JSON or YAML file.'
const DOUBLE_QUOTES =
  'Use double quotes if the value has a single one. For a value with both kinds of quotes, use a JSON or YAML file.'

/** Without surrounding blanks; other whitespace is part of the value. */
function bare(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t\r'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function endOf(text: string, sign: string, from: number): number {
  const end = text.indexOf(sign, from)
  return end < 0 ? text.length : end
}
