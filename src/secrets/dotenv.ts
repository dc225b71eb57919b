import type { Findings } from '../config/findings.ts'
import type { SourceFile } from '../config/source-file.ts'

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
  return new DotenvReader(file, findings).read()
}

const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const HEAD = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y
const BLANKS = /[ \t]*/y
const UP_TO_QUOTE = /[^']*/y
const UP_TO_SIGN = /[^"\\]*/y

class DotenvReader {
  readonly #file: SourceFile
  readonly #text: string
  readonly #findings: Findings
  readonly #assignments: Assignment[] = []
  #at = 0
  #mistakes = 0

  constructor(file: SourceFile, findings: Findings) {
    this.#file = file
    this.#text = file.text
    this.#findings = findings
  }

  read(): readonly Assignment[] {
    while (this.#at < this.#text.length && this.#mistakes < MOST_FINDINGS) {
      if (this.#take(NOTHING) !== undefined) continue
      this.#line()
    }
    return this.#assignments
  }

  #line(): void {
    const start = this.#at
    const head = this.#take(HEAD)
    const name = head?.[1]
    if (head === undefined || name === undefined) {
      this.#mistake(start, 'this line is not NAME=value')
      return
    }
    const at = start + head[0].lastIndexOf(name)
    const value = this.#at
    this.#take(BLANKS)
    const quote = this.#text[this.#at]
    const text = quote === "'" || quote === '"' ? this.#quoted(quote) : this.#bare(value)
    if (text !== undefined) this.#assignments.push({ name, at, text })
  }

  /** From the `=` on, for a `#` behind a blank begins a comment there as well. */
  #bare(from: number): string {
    const end = this.#lineEnd(from)
    this.#at = end
    const line = this.#text.slice(from, end)
    return withoutBlanks(line.slice(0, /[ \t]#/.exec(line)?.index))
  }

  #quoted(quote: '"' | "'"): string | undefined {
    const open = this.#at++
    let text = ''
    for (;;) {
      text += this.#take(quote === '"' ? UP_TO_SIGN : UP_TO_QUOTE)?.[0] ?? ''
      const sign = this.#text[this.#at]
      if (sign === undefined) {
        this.#mistake(open, 'a quote is opened here and never closed')
        this.#at = this.#text.length
        return undefined
      }
      if (sign === quote) {
        this.#at++
        return this.#ends() ? text : undefined
      }
      const meant = ESCAPES.get(this.#text[this.#at + 1] ?? '')
      if (meant === undefined) {
        this.#mistake(this.#at, 'this escape is not known in double quotes', SINGLE_QUOTES)
        return undefined
      }
      text += meant
      this.#at += 2
    }
  }

  #ends(): boolean {
    const at = this.#at
    if (this.#take(NOTHING) !== undefined) return true
    this.#mistake(at, 'something follows the closing quote', SINGLE_QUOTES)
    return false
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found
  }

  /** Reading goes on in the next line. */
  #mistake(at: number, message: string, hint?: string): void {
    this.#mistakes++
    this.#findings.error('secret-syntax', this.#file.at(at), message, hint)
    this.#at = this.#lineEnd(at) + 1
  }

  #lineEnd(from: number): number {
    const end = this.#text.indexOf('\n', from)
    return end < 0 ? this.#text.length : end
  }
}

/** Other white space stands for itself. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t\r'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const SINGLE_QUOTES = 'Between single quotes everything stands for itself.'
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
  ['$', '$'],
])
