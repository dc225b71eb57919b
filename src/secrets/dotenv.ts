import type { SourceFile } from '../config/source-file.ts'
import type { Findings } from '../model/findings.ts'

/** A name and its text, with the offset of the name. A name that is there twice is here twice. */
export interface Assignment {
  readonly name: string
  readonly at: number
  readonly text: string
}

/** How many broken lines are reported. */
const MOST_FINDINGS = 10

/**
 * Reads a dotenv file. There is no standard, so this is the whole of what is taken; everything else is an error, never a
 * guess, and nothing is ever put in place of `$NAME`:
 *
 *     file  = line*
 *     line  = blank | "#" comment | ["export" blank] NAME "=" value
 *     NAME  = letters, digits and "_", not beginning with a digit; blanks may surround the "="
 *     value = "'" all up to the next "'", over several lines, as it stands "'"
 *           | '"' the same up to the next '"', with the escapes \n \r \t \" \\ \$ and no other '"'
 *           | the rest of the line as it stands, up to a "#" behind a blank, without the blanks around it
 *
 * Behind a closing quote only blanks and a comment may follow.
 */
export function readDotenv(file: SourceFile, findings: Findings): readonly Assignment[] {
  const { text } = file
  const assignments: Assignment[] = []
  let at = 0
  let mistakes = 0

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at = pattern.lastIndex
    return found
  }

  /** Reading goes on in the next line. */
  function mistake(place: number, message: string, hint?: string): void {
    mistakes++
    findings.error('secret-syntax', file.at(place), message, hint)
    at = endOf(text, '\n', place) + 1
  }

  function value(): string | undefined {
    const start = at
    const [blanks = '', quote] = take(OPENING) ?? []
    if (quote === undefined) {
      at = endOf(text, '\n', start)
      // From the `=` on, for a `#` behind a blank begins a comment there as well.
      return bare(text.slice(start, at))
    }
    const open = at
    at = quote === '"' ? endOfEscaped(text, open) : endOf(text, "'", open)
    if (text[at] === quote) {
      const inside = text.slice(open, at++)
      if (take(NOTHING) !== null) return quote === '"' ? inside.replace(/\\(.)/g, meant) : inside
      mistake(at, 'something follows the closing quote', SINGLE_QUOTES)
    } else if (text[at] === '\\') {
      mistake(at, 'this escape is not known in double quotes', SINGLE_QUOTES)
    } else {
      mistake(start + blanks.length - 1, 'a quote is opened here and never closed')
      at = text.length
    }
    return undefined
  }

  while (at < text.length && mistakes < MOST_FINDINGS) {
    if (take(NOTHING) !== null) continue
    const start = at
    const [head, name] = take(HEAD) ?? []
    if (head === undefined || name === undefined) {
      mistake(start, 'this line is not NAME=value')
      continue
    }
    const found = value()
    if (found !== undefined) assignments.push({ name, at: start + head.lastIndexOf(name), text: found })
  }
  return assignments
}

const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const HEAD = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y
const OPENING = /[ \t]*(['"])/y

const SINGLE_QUOTES = 'Between single quotes everything stands for itself.'
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
const meant = (_: string, sign: string): string => LETTERS[sign] ?? sign

/** Without a comment and the blanks around; other white space stands for itself. */
function bare(line: string): string {
  const text = line.slice(0, /[ \t]#/.exec(line)?.index)
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t\r'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Where the quote closes, or an escape that is not known stands, or the text ends. */
function endOfEscaped(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') {
    const isEscape = text[at] === '\\'
    if (isEscape && !/[nrt"\\$]/.test(text.charAt(at + 1))) return at
    at += isEscape ? 2 : 1
  }
  return at
}

function endOf(text: string, sign: string, from: number): number {
  const end = text.indexOf(sign, from)
  return end < 0 ? text.length : end
}
