/**
 * A value that HCL code writes out. Offsets are in UTF-16 units; `end` is the offset after it. The text of a number is as
 * written; that of a string is what Terraform makes of it.
 */
export type HclLiteral =
  | (Range & { readonly kind: 'string' | 'number'; readonly text: string })
  | (Range & { readonly kind: 'boolean'; readonly value: boolean })
  | (Range & { readonly kind: 'null' })
  | (Range & { readonly kind: 'list'; readonly items: readonly HclLiteral[] })
  | (Range & { readonly kind: 'map'; readonly entries: readonly HclEntry[] })

interface Range {
  readonly at: number
  readonly end: number
}

/** An entry of a map, in the order of the code. Of two with one key, Terraform takes the last. */
interface HclEntry extends Range {
  readonly key: string
  readonly value: HclLiteral
}

/** A line `name = value`, as in a `.tfvars` file. */
export interface HclAssignment extends Range {
  readonly name: string
  readonly value: HclLiteral
}

export interface HclMistake {
  readonly at: number
  /** The rest of a sentence that begins with "The HCL", without its full stop. Quotes nothing. */
  readonly words: string
  /** What kind of mistake it is, if a hint depends on it. */
  readonly kind?: 'empty' | 'late' | 'word' | 'assignment' | 'reference' | 'template' | 'computed'
}

/**
 * Reads code as Terraform reads it after `name = `: one literal value (a string without templates, a number, a boolean, null, a
 * list, a map, or a heredoc), with comments. Whatever Terraform would have to compute is a mistake, as well as what it refuses.
 */
export function parseLiteral(
  code: string,
): { readonly value: HclLiteral } | { readonly mistake: HclMistake } {
  try {
    return { value: new HclReader(code).only() }
  } catch (error) {
    const mistake = mistakeOf(error)
    const isWord = ONE_WORD.test(code) && !REFERENCE.test(code)
    return { mistake: isWord ? { at: 0, words: 'is a word without quotes', kind: 'word' } : mistake }
  }
}

/** Reads the text of a `.tfvars` file. After a mistake, it goes on in the next line. */
export function parseAssignments(text: string): {
  readonly assignments: readonly HclAssignment[]
  readonly mistakes: readonly HclMistake[]
} {
  const reader = new HclReader(text)
  const assignments = new Map<string, HclAssignment>()
  const mistakes: HclMistake[] = []
  for (;;) {
    try {
      const assignment = reader.assignment()
      if (assignment === undefined) break
      if (assignments.has(assignment.name)) mistakes.push({ at: assignment.at, words: 'has this name twice' })
      else assignments.set(assignment.name, assignment)
    } catch (error) {
      mistakes.push(mistakeOf(error))
      reader.nextLine()
    }
  }
  return { assignments: [...assignments.values()], mistakes }
}

/** Thrown and caught inside this file. */
class NoLiteral {
  readonly mistake: HclMistake
  constructor(at: number, words: string, kind?: HclMistake['kind']) {
    this.mistake = { at, words, kind }
  }
}

function mistakeOf(error: unknown): HclMistake {
  if (error instanceof NoLiteral) return error.mistake
  throw error
}

/** Follows HCL's own scanner and parser (hclsyntax), and reads each character once. */
class HclReader {
  readonly #code: string
  #at: number
  #depth = 0

  constructor(code: string) {
    this.#code = code
    this.#at = 0
  }

  /** The value that is all of the code. */
  only(): HclLiteral {
    if (this.#code.trim() === '') throw new NoLiteral(0, 'is empty', 'empty')
    this.#skip('inline')
    if (this.#isLineEnd()) throw new NoLiteral(this.#at, 'does not have its value on its first line', 'late')
    const [, assigned] = this.#match(ASSIGNED) ?? []
    if (assigned !== undefined)
      throw new NoLiteral(this.#at, 'is an assignment (`name = value`)', 'assignment')
    const value = this.#value()
    this.#endLine(value)
    this.#skip('lines')
    if (this.#at < this.#code.length) throw new NoLiteral(this.#at, 'has something after its value')
    return value
  }

  /** The next assignment of a file; `undefined` at its end. */
  assignment(): HclAssignment | undefined {
    if (this.#at === 0 && this.#code.startsWith('\ufeff')) this.#at = 1
    this.#skip('lines')
    const at = this.#at
    if (at >= this.#code.length) return undefined
    const name = this.#take(IDENTIFIER)
    if (name === undefined) throw new NoLiteral(at, 'has no name where `name = value` is expected')
    this.#skip('inline')
    if (this.#code[this.#at] === '{') throw new NoLiteral(at, 'has a block where `name = value` is expected')
    if (this.#code[this.#at] !== '=') throw new NoLiteral(at, 'has a name without `=` and a value')
    this.#at++
    this.#skip('inline')
    if (this.#isLineEnd()) throw new NoLiteral(at, 'has a name without a value on its line')
    const value = this.#value()
    this.#endLine(value)
    return { at, end: value.end, name, value }
  }

  nextLine(): void {
    const end = this.#code.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#code.length : end + 1
    this.#depth = 0
    this.#isInList = false
  }

  /** Nothing but a comment may follow on the line of a value. A heredoc ends with its line. */
  #endLine(value: HclLiteral): void {
    if (this.#code[value.end - 1] === '\n') return
    this.#skip('inline')
    if (!this.#isLineEnd()) throw this.#follows('the end of the line')
  }

  #isLineEnd(): boolean {
    return this.#at >= this.#code.length || LINE_END.test(this.#code.slice(this.#at, this.#at + 2))
  }

  #value(): HclLiteral {
    const at = this.#at
    const sign = this.#code.charAt(at)
    switch (sign) {
      case '"':
        return { kind: 'string', at, text: this.#quoted(), end: this.#at }
      case '[':
        return this.#list()
      case '{':
        return this.#map()
      case '<':
        return this.#heredoc()
      case "'":
      case '\u2018':
      case '\u2019':
      case '\u201c':
      case '\u201d':
        throw new NoLiteral(at, 'has a quote of another kind, and HCL knows only `"`')
      case '(':
        throw new NoLiteral(at, 'has a parenthesis', 'computed')
      case '':
        throw new NoLiteral(at, 'ends where a value is expected')
    }
    if (sign === '-' || /[0-9]/.test(sign)) return this.#number()
    const word = this.#take(IDENTIFIER)
    if (word !== undefined) return this.#word(word, at)
    if (/[!+*/%<>=&|?]/.test(sign)) throw new NoLiteral(at, 'has an operator', 'computed')
    throw new NoLiteral(at, this.#unexpected('a value'))
  }

  #word(word: string, at: number): HclLiteral {
    const end = this.#at
    const next = this.#code.charAt(end)
    if (next === '(') throw new NoLiteral(at, 'calls a function', 'computed')
    if (next === '.' || next === '[') throw new NoLiteral(at, 'refers to something (`a.b`)', 'reference')
    if (word === 'null') return { kind: 'null', at, end }
    if (word === 'true' || word === 'false') return { kind: 'boolean', at, end, value: word === 'true' }
    throw new NoLiteral(at, 'has a word without quotes', 'word')
  }

  #number(): HclLiteral {
    const at = this.#at
    const isNegative = this.#code[at] === '-'
    if (isNegative) {
      this.#at++
      this.#skip(this.#depth > 0 && this.#isInList ? 'lines' : 'inline')
    }
    const digits = this.#take(NUMBER)
    if (digits === undefined) throw new NoLiteral(at, 'has a minus without a number', 'computed')
    if (/[\p{L}\p{N}_.]/u.test(this.#code.charAt(this.#at)))
      throw new NoLiteral(at, 'has a word without quotes', 'word')
    return { kind: 'number', at, end: this.#at, text: `${isNegative ? '-' : ''}${digits}` }
  }

  /** Newlines mean nothing directly in a list, and separate the entries of a map. */
  #isInList = false

  #inside<T>(isList: boolean, read: () => T): T {
    const outer = this.#isInList
    this.#isInList = isList
    if (++this.#depth > DEEPEST) throw new NoLiteral(this.#at, `is nested more than ${DEEPEST} deep`)
    const result = read()
    this.#depth--
    this.#isInList = outer
    return result
  }

  #list(): HclLiteral {
    const at = this.#at++
    return this.#inside(true, () => {
      const items: HclLiteral[] = []
      for (;;) {
        this.#skip('lines')
        if (this.#closes(']', at)) return { kind: 'list', at, end: this.#at, items }
        if (items.length === 0 && this.#match(FOR) !== null)
          throw new NoLiteral(at, 'has a `for` expression', 'computed')
        items.push(this.#value())
        this.#skip('lines')
        if (this.#closes(']', at)) return { kind: 'list', at, end: this.#at, items }
        if (this.#code[this.#at] !== ',') throw this.#follows('a comma or "]"')
        this.#at++
      }
    })
  }

  #map(): HclLiteral {
    const at = this.#at++
    return this.#inside(false, () => {
      const entries: HclEntry[] = []
      for (;;) {
        this.#skip('lines')
        if (this.#closes('}', at)) return { kind: 'map', at, end: this.#at, entries }
        // As the first key, the word always begins an expression.
        if (entries.length === 0 && this.#match(FOR) !== null)
          throw new NoLiteral(at, 'has a `for` expression', 'computed')
        const entry = this.#entry()
        entries.push(entry)
        this.#skip('inline')
        if (this.#closes('}', at)) return { kind: 'map', at, end: this.#at, entries }
        const isOnNextLine = this.#code[entry.end - 1] === '\n' || this.#isLineEnd()
        if (this.#code[this.#at] === ',' && this.#code[entry.end - 1] !== '\n') this.#at++
        else if (!isOnNextLine) throw this.#follows('a comma, a new line or "}"')
      }
    })
  }

  #entry(): HclEntry {
    const at = this.#at
    const key = this.#key()
    this.#skip('inline')
    const sign = this.#code.charAt(this.#at)
    if (sign !== '=' && sign !== ':') throw new NoLiteral(at, 'has a key without `=` and a value on its line')
    this.#at++
    this.#skip('inline')
    if (this.#isLineEnd()) throw new NoLiteral(at, 'has a key without a value on its line')
    const value = this.#value()
    return { at, end: value.end, key, value }
  }

  #key(): string {
    const at = this.#at
    const sign = this.#code.charAt(at)
    if (sign === '"') return this.#quoted()
    if (sign === '-' || /[0-9]/.test(sign)) {
      const number = this.#number()
      return number.kind === 'number' ? String(Number(number.text)) : ''
    }
    const word = this.#take(IDENTIFIER)
    if (word === undefined) throw new NoLiteral(at, this.#unexpected('a key'))
    const next = this.#code.charAt(this.#at)
    if (next === '.' || next === '[')
      throw new NoLiteral(at, 'has a key that refers to something (`a.b`)', 'reference')
    if (next === '(') throw new NoLiteral(at, 'calls a function', 'computed')
    return word
  }

  /** Whether the bracket that was opened at `open` ends here. */
  #closes(sign: ']' | '}', open: number): boolean {
    const here = this.#code.charAt(this.#at)
    if (here === '') throw new NoLiteral(open, `has a "${this.#code.charAt(open)}" that is never closed`)
    if (here !== sign) return false
    this.#at++
    return true
  }

  /** What is wrong with what follows a value. */
  #follows(expected: string): NoLiteral {
    const sign = this.#code.charAt(this.#at)
    if (/[+*/%<>=!&|?-]/.test(sign)) return new NoLiteral(this.#at, 'has an operator', 'computed')
    if (sign === '.' || sign === '[') return new NoLiteral(this.#at, 'selects a part of a value', 'computed')
    return new NoLiteral(this.#at, this.#unexpected(expected))
  }

  #unexpected(expected: string): string {
    const sign = this.#code.charAt(this.#at)
    if (sign === ']' || sign === '}' || sign === ')') return `has a "${sign}" where ${expected} is expected`
    if (ODD_SPACE.test(sign)) {
      const code = sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
      return `has the character U+${code}, which looks like a space or like nothing, where ${expected} is expected`
    }
    return `has something else where ${expected} is expected`
  }

  #quoted(): string {
    const open = this.#at++
    let text = ''
    for (;;) {
      text += this.#take(PLAIN) ?? ''
      const at = this.#at
      const sign = this.#code.charAt(at)
      if (sign === '"') {
        this.#at++
        return text.normalize('NFC')
      }
      if (sign === '') throw new NoLiteral(open, 'has a quote that is never closed')
      if (sign === '\n' || sign === '\r')
        throw new NoLiteral(open, 'has a quote that is not closed on its line')
      text += sign === '\\' ? this.#escape() : this.#sign(sign)
    }
  }

  #escape(): string {
    const [all, simple, short, long] = this.#match(ESCAPE) ?? []
    if (all === undefined)
      throw new NoLiteral(
        this.#at,
        'has a backslash that does not begin an escape; write a backslash as `\\\\`',
      )
    const code = Number.parseInt(short ?? long ?? '', 16)
    if (simple === undefined && (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)))
      throw new NoLiteral(this.#at, 'has an escape that is not a valid character')
    this.#at += all.length
    return simple === undefined ? String.fromCodePoint(code) : (SIMPLE[simple] ?? '')
  }

  /** At a `$` or `%`, which begins a template before `{`, and its escape if it stands twice. */
  #sign(sign: string): string {
    if (this.#code.startsWith(`${sign}{`, this.#at + 1)) {
      this.#at += 3
      return `${sign}{`
    }
    if (this.#code[this.#at + 1] === '{')
      throw new NoLiteral(this.#at, `has a template (\`${sign}{…}\`)`, 'template')
    this.#at++
    return sign
  }

  #heredoc(): HclLiteral {
    const at = this.#at
    const [begin, indented, marker] = this.#match(HEREDOC) ?? []
    if (begin === undefined || marker === undefined) throw new NoLiteral(at, 'has an operator', 'computed')
    this.#at += begin.length
    const lines: string[] = []
    while (this.#at < this.#code.length) {
      const end = this.#code.indexOf('\n', this.#at)
      const next = end < 0 ? this.#code.length : end + 1
      if (this.#isMarker(marker, next)) {
        this.#at = next
        const text = (indented === '-' ? dedented(lines) : lines).join('')
        return { kind: 'string', at, end: next, text: text.normalize('NFC') }
      }
      lines.push(this.#heredocLine(next))
    }
    throw new NoLiteral(at, `has a heredoc that never ends (no line is ${marker} alone)`)
  }

  #isMarker(marker: string, next: number): boolean {
    if (next - this.#at > marker.length + LONGEST_INDENT) return false
    const line = this.#code.slice(this.#at, next).replace(/\r?\n?$/, '')
    return line.trim() === marker && !line.includes('\r')
  }

  /** Up to `next`, with the newline. */
  #heredocLine(next: number): string {
    let line = ''
    while (this.#at < next) {
      const sign = this.#code.charAt(this.#at)
      if (sign === '\r' && this.#code[this.#at + 1] !== '\n')
        throw new NoLiteral(this.#at, 'has a carriage return without a newline')
      line += this.#take(PLAIN_OF_HEREDOC) ?? this.#sign(sign)
    }
    return line
  }

  /** Skips spaces and comments, and with `lines` newlines as well. A comment to the end of its line leaves the newline. */
  #skip(what: 'inline' | 'lines'): void {
    for (;;) {
      const at = this.#at
      this.#take(what === 'lines' ? BLANKS : SPACES)
      if (this.#code.startsWith('/*', this.#at)) {
        const end = this.#code.indexOf('*/', this.#at + 2)
        if (end < 0) throw new NoLiteral(this.#at, 'has a comment that never ends')
        this.#at = end + 2
      } else if (this.#code[this.#at] === '#' || this.#code.startsWith('//', this.#at)) {
        const end = this.#code.indexOf('\n', this.#at)
        this.#at = end < 0 ? this.#code.length : this.#code[end - 1] === '\r' ? end - 1 : end
      }
      if (this.#at === at) return
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#code)
  }

  #take(pattern: RegExp): string | undefined {
    const [text] = this.#match(pattern) ?? []
    this.#at += text?.length ?? 0
    return text
  }
}

/** Lines without the indentation that all of them have, as `<<-` means it. Lines of nothing but spaces do not count, and stay. */
function dedented(lines: readonly string[]): string[] {
  const isBlank = (line: string): boolean => line.trim() === ''
  const indents = lines.filter(line => !isBlank(line)).map(line => line.length - line.trimStart().length)
  const least = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return lines.map(line => (isBlank(line) ? line : line.slice(least)))
}

/** Deeper values have no use, and each level takes room on the stack. */
const DEEPEST = 100
/** A marker may be indented. */
const LONGEST_INDENT = 10_000

/** Such as a region, a date, a version, a network. */
const ONE_WORD = /^[ \t\r\n]*\w[\w.:/@-]*[ \t\r\n]*$/
const REFERENCE = /^[ \t]*(?:var|local|data|module|path|terraform|each|count|self)\./
const IDENTIFIER = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const ASSIGNED = /([\p{ID_Start}_][\p{ID_Continue}-]*)[ \t]*=(?!=)/uy
const FOR = /for(?![\p{ID_Continue}-])/uy
const NUMBER = /[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
const HEREDOC = /<<(-?)([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy
const SPACES = /[ \t]+/y
const BLANKS = /(?:[ \t\n]|\r\n)+/y
const LINE_END = /^\r?\n/
const PLAIN = /[^"$%\\\r\n]+/y
const PLAIN_OF_HEREDOC = /[^$%\r\n]*\r?\n|[^$%\r\n]+/y
const ESCAPE = /\\(?:([nrt"\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y
const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }
/** Copied from documents and chats, where they look like a space or like nothing. */
const ODD_SPACE = /[\u00a0\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]/
