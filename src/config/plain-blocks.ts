import { DEFAULT_LIMITS, type TreeLimits } from './limits.ts'
import type { Node, TreeEntry } from './tree.ts'

/**
 * The tree of a file in the plain style of most files, or `undefined` for any other file, which the YAML package then reads:
 * mistakes, files beyond a limit, and rare YAML. In the plain style, a file is one document of block maps with simple keys. A value
 * is a block map, a list of values other than block maps, a string on one line (plain, or quoted without escapes), brackets that
 * close on their line, or a literal block (`|`, `|-`). Comments may be anywhere. Linear in the text, and never deeper than the limit.
 */
export function readPlainBlocks(text: string, limits: TreeLimits): Node | undefined {
  return new PlainReader(text, limits).document()
}

/** The parser takes a key only with its colon in the first 1,024 characters. */
const KEY = /[A-Za-z_][\w./-]{0,199}/y
/** Begins with no YAML indicator, and ends before `: ` or ` #` or at the end of the line. */
const PLAIN = /(?:[\w./$(+=~^;<\\]|-(?=\w))(?:[^\s:]|:(?=\S)| +(?=[^\s#:]))*/y
const FLOW_PLAIN = /\w(?:[\w./@-]| +(?=\w))*/y
const DOUBLE = /"[^"\\\r\n]*"/y
const SINGLE = /'[^'\r\n]*'/y
const MARKER = /---(?=[ \r\n])/y
const HEADER = /\|(-?)\n/y

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const HASH = 0x23
const SINGLE_QUOTE = 0x27
const COMMA = 0x2c
const DASH = 0x2d
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const BAR = 0x7c
const NOTHING = -1

class PlainReader {
  readonly #text: string
  readonly #mostEntries: number
  readonly #mostDepth: number
  #at = 0
  /** Indentation of the line that is being read; `NOTHING` at the end. */
  #indent = NOTHING

  constructor(text: string, limits: TreeLimits) {
    this.#text = text
    // The parser counts a trailing comma or comment as the beginning of one more.
    this.#mostEntries = limits.keysPerMap - 2
    // This is recursive, so a higher limit applies only to the YAML package.
    this.#mostDepth = Math.min(limits.depth, DEFAULT_LIMITS.depth)
  }

  document(): Node | undefined {
    this.#nextLine()
    if (this.#indent === 0 && this.#take(MARKER) && !this.#endsLine()) return undefined
    const node = this.#indent === 0 ? this.#map(0, 1) : undefined
    return this.#indent === NOTHING ? node : undefined
  }

  /** Moves from the start of a line to the first character of the next line that is neither empty nor a comment. */
  #nextLine(): void {
    const text = this.#text
    while (this.#at < text.length) {
      const start = this.#at
      this.#skipSpaces()
      this.#indent = this.#at - start
      if (this.#at < text.length && this.#unit() !== HASH && !this.#isLineEnd()) return
      this.#skipLine()
    }
    this.#indent = NOTHING
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#text.length : end + 1
  }

  /** Whether the line has nothing more than a comment; then moves to the next line. */
  #endsLine(): boolean {
    const start = this.#at
    this.#skipSpaces()
    const isComment = this.#unit() === HASH && this.#at > start
    if (!isComment && this.#at < this.#text.length && !this.#isLineEnd()) return false
    this.#skipLine()
    this.#nextLine()
    return true
  }

  #isLineEnd(): boolean {
    const unit = this.#unit()
    if (unit === LINE_FEED) return true
    return unit === CARRIAGE_RETURN && this.#text.charCodeAt(this.#at + 1) === LINE_FEED
  }

  #unit(): number {
    return this.#text.charCodeAt(this.#at)
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at++
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }

  /** A key and its colon. */
  #key(): string | undefined {
    const start = this.#at
    if (!this.#take(KEY) || this.#unit() !== COLON) return undefined
    const key = this.#text.slice(start, this.#at++)
    return this.#unit() === SPACE || this.#isLineEnd() || this.#at >= this.#text.length ? key : undefined
  }

  #map(indent: number, depth: number): Node | undefined {
    const at = this.#at
    const entries: TreeEntry[] = []
    while (this.#indent === indent) {
      const start = this.#at
      const key = this.#key()
      const value = key === undefined ? undefined : this.#value(indent, depth + 1)
      if (key === undefined || value === undefined) return undefined
      entries.push({ key, at: start, value })
    }
    const isWhole = this.#indent < indent && this.#isWithin(entries.length, depth)
    return isWhole ? { kind: 'map', at, entries } : undefined
  }

  /** `indent` is the indentation of the key. The dashes of a list may have the same. */
  #value(indent: number, depth: number): Node | undefined {
    if (!this.#endsLine()) return this.#inline(indent, depth)
    const isList = this.#unit() === DASH
    if (depth > this.#mostDepth || this.#indent < indent || (this.#indent === indent && !isList))
      return undefined
    return isList ? this.#list(indent, depth) : this.#map(this.#indent, depth)
  }

  #list(parent: number, depth: number): Node | undefined {
    const at = this.#at
    const indent = this.#indent
    const items: Node[] = []
    while (this.#indent === indent && this.#text.startsWith('- ', this.#at)) {
      this.#at++
      const item = this.#inline(indent, depth + 1)
      if (item === undefined || isEmpty(item)) return undefined
      items.push(item)
    }
    const isEnd = this.#indent < indent || (indent === parent && this.#indent === indent)
    return isEnd && this.#isWithin(items.length, depth) ? { kind: 'list', at, items } : undefined
  }

  #isWithin(count: number, depth: number): boolean {
    return count <= this.#mostEntries && depth <= this.#mostDepth
  }

  /** A value that begins on the line of its key or dash. */
  #inline(indent: number, depth: number): Node | undefined {
    this.#skipSpaces()
    if (this.#unit() === BAR) return this.#literal(indent)
    const node = this.#scalar(PLAIN) ?? this.#flow(depth)
    return node !== undefined && this.#endsLine() ? node : undefined
  }

  /** Not plain: blank lines at the start, lines of only spaces, changing indentation, no final line feed. */
  #literal(parent: number): Node | undefined {
    const text = this.#text
    const at = this.#at
    HEADER.lastIndex = at
    const header = HEADER.exec(text)
    if (header === null) return undefined
    let start = HEADER.lastIndex
    const indent = spacesAt(text, start, text.length)
    if (indent <= parent) return undefined
    const lines: string[] = []
    for (;;) {
      const spaces = spacesAt(text, start, indent)
      const end = text.indexOf('\n', start)
      const isCut = end < 0 && start < text.length
      if (isCut || text.charCodeAt(start + spaces) === CARRIAGE_RETURN) return undefined
      if (end === start + spaces) lines.push('')
      else if (end < 0 || spaces <= parent) break
      else {
        const line = text.slice(start + indent, end)
        if (spaces < indent || line.trim() === '' || line.endsWith('\r')) return undefined
        lines.push(line)
      }
      start = end + 1
    }
    if (lines[0] === '' || lines.length === 0) return undefined
    while (lines[lines.length - 1] === '') lines.pop()
    this.#at = start
    this.#nextLine()
    return { kind: 'scalar', at, text: lines.join('\n') + (header[1] === '-' ? '' : '\n'), plain: false }
  }

  #scalar(plain: RegExp): Node | undefined {
    const at = this.#at
    const unit = this.#unit()
    const isQuoted = unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE
    if (!this.#take(!isQuoted ? plain : unit === DOUBLE_QUOTE ? DOUBLE : SINGLE)) return undefined
    const text = isQuoted ? this.#text.slice(at + 1, this.#at - 1) : this.#text.slice(at, this.#at)
    return { kind: 'scalar', at, text, plain: !isQuoted }
  }

  #flow(depth: number): Node | undefined {
    const at = this.#at
    const isMap = this.#unit() === OPEN_BRACE
    if (!isMap && this.#unit() !== OPEN_BRACKET) return undefined
    const close = isMap ? CLOSE_BRACE : CLOSE_BRACKET
    const entries: TreeEntry[] = []
    if (depth > this.#mostDepth) return undefined
    this.#at++
    this.#skipSpaces()
    while (this.#unit() !== close || entries.length > 0) {
      const start = this.#at
      const key = isMap ? this.#key() : ''
      this.#skipSpaces()
      const value = key === undefined ? undefined : (this.#scalar(FLOW_PLAIN) ?? this.#flow(depth + 1))
      if (key === undefined || value === undefined || (!isMap && isEmpty(value))) return undefined
      entries.push({ key, at: start, value })
      this.#skipSpaces()
      if (this.#unit() === close) break
      if (this.#unit() !== COMMA) return undefined
      this.#at++
      this.#skipSpaces()
    }
    this.#at++
    if (!this.#isWithin(entries.length, depth)) return undefined
    return isMap
      ? { kind: 'map', at, entries }
      : { kind: 'list', at, items: entries.map(({ value }) => value) }
  }
}

/** `[]` or `{}`. The YAML package is stopped at many of them in a row without text between them. */
const isEmpty = (node: Node): boolean =>
  node.kind !== 'scalar' && (node.kind === 'map' ? node.entries : node.items).length === 0

function spacesAt(text: string, start: number, most: number): number {
  let count = 0
  while (count < most && text.charCodeAt(start + count) === SPACE) count++
  return count
}
