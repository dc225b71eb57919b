import {
  type CST,
  type Document,
  type ErrorCode,
  isCollection,
  isScalar,
  Lexer,
  Parser,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { DiagnosticCode } from '../model/codes.ts'
import type { Findings } from '../model/findings.ts'
import { formLine } from './form-hints.ts'
import { unusualSpaceIn } from './odd-text.ts'
import type { SourceFile } from './source-file.ts'

/** A mistake causes further errors of a parser: the first syntax error of a file is reported, and one unsupported feature of each line. */
export class SyntaxReport {
  readonly #file: SourceFile
  readonly #findings: Findings
  readonly #lines = new Set<number>()
  #isBroken = false

  constructor(file: SourceFile, findings: Findings) {
    this.#file = file
    this.#findings = findings
  }

  /** Whether an error of the line of this offset is reported. */
  isSaid(at: number): boolean {
    return this.#lines.has(this.#file.at(Math.min(at, this.#file.text.length)).line)
  }

  once(
    code: 'yaml-syntax' | 'yaml-feature' | 'duplicate-key' | 'file-limit',
    at: number,
    message: string,
    hint?: string,
  ): undefined {
    const source = this.#file.at(Math.min(at, this.#file.text.length))
    if (this.#lines.has(source.line) || (code === 'yaml-syntax' && this.#isBroken)) return
    this.#lines.add(source.line)
    if (code !== 'yaml-syntax') return void this.#findings.error(code, message, hint, source)
    this.#isBroken = true
    const words = [hint, unusualSpaceIn(lineAt(this.#file.text, at)), ONLY_ONE]
    this.#findings.error(code, message, words.filter(Boolean).join(' '), source)
  }
}

/** What follows was perhaps misread. */
const ONLY_ONE = 'The rest of this file is checked after that.'

function lineAt(text: string, at: number): string {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return text.slice(from, Math.min(end < 0 ? text.length : end, from + LONGEST_INDENT))
}

/** The whole line for a form of a value that lacks its braces: `DB: secret: DB`. */
function formWithoutBraces(text: string, { code, pos: [at] }: YAMLError): string | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined
  const [, quoted, plain = quoted, form = '', rest = ''] = WITHOUT_BRACES.exec(lineAt(text, at)) ?? []
  if (plain === undefined) return undefined
  const above = [...text.slice(0, at).matchAll(/^ {1,80}(env|terraform):[ \t]{0,80}$/gm)].at(-1)
  return formLine(above?.[1] === 'env' ? 'env' : 'terraform', plain, form, rest)
}

const WITHOUT_BRACES =
  /^ {0,80}(?:["']([^"']{1,200})["']|([^\s"':#]{1,200})): {1,20}(secret|external|data|hcl|file): {0,20}(.{0,200}?)\s{0,20}$/

/** Reports the parser's errors and warnings. Returns whether one makes the tree meaningless. */
export function reportErrors(document: Document.Parsed, text: string, report: SyntaxReport): boolean {
  const errors = [...document.errors.slice(0, 1000), ...document.warnings.slice(0, 1000)]
  errors.sort((a, b) => a.pos[0] - b.pos[0])
  const isBroken = errors.some(
    ({ code }) => code !== 'NON_STRING_KEY' && YAML_ERRORS[code][0] !== 'yaml-feature',
  )
  for (const error of errors) {
    const slip = slipAt(error, text)
    if (slip !== undefined) report.once('yaml-syntax', ...slip)
  }
  const unclosed = isBroken ? findUnclosed(document, text) : undefined
  if (unclosed !== undefined)
    report.once('yaml-syntax', unclosed, 'A quote or bracket is opened here and never closed.')
  for (const [index, error] of errors.entries()) {
    // Everything after it was misread.
    if (unclosed !== undefined && error.pos[0] >= unclosed) break
    const indented = indentedAt(error, errors[index + 1], text)
    // The line already has an error, and this is a consequence of it.
    if (indented !== undefined && report.isSaid(error.pos[0])) continue
    const before = errors[index - 1]
    if (before?.pos[0] === error.pos[0] && indentedAt(before, error, text) !== undefined) continue
    const [code, message] = YAML_ERRORS[indented === undefined ? error.code : 'BAD_INDENT']
    const form = formWithoutBraces(text, error)
    if (indented !== undefined) report.once(code, indented, message, ALIGN)
    else report.once(code, error.pos[0], form === undefined ? message : BRACES, form)
  }
  return isBroken
}

/** A slip of one character that the parser notices as something else, with the place of that character. */
function slipAt({ code, pos: [at] }: YAMLError, text: string): [at: number, message: string] | undefined {
  const line = lineAt(text, at)
  const start = text.lastIndexOf('\n', at - 1) + 1
  const tab = /^ *\t/.exec(line)?.[0]
  if (code === 'BAD_INDENT' && tab !== undefined)
    return [start + tab.length - 1, YAML_ERRORS.TAB_AS_INDENT[1]]
  const indent = line.search(/\S/)
  if (
    at <= start + indent &&
    /^ *-[^\s-]/.test(line) &&
    /^ *- /m.test(text.slice(Math.max(0, start - FAR), start))
  )
    return [start + indent, 'A `-` of a list needs a space after it.']
  const quote = text.charAt(at - 1)
  if (code === 'UNEXPECTED_TOKEN' && (quote === "'" || quote === '"'))
    return [
      at - 1,
      `A quote ends here. ${quote === "'" ? "In single quotes, write `''` for `'`." : 'In double quotes, write `\\"` for `"`.'}`,
    ]
  return undefined
}

/** How far back another item of a list is looked for. */
const FAR = 10_000

const BRACES = 'A form of a value needs braces.'
const ALIGN = 'Indent it like the lines beside it, or two spaces more than the line that it belongs to.'

/**
 * The start of the line whose indentation is wrong, if that is the cause of an error. The parser takes a line that is indented too
 * far for the rest of the value before it, fails at its `:`, and reports the line before.
 */
function indentedAt(error: YAMLError, next: YAMLError | undefined, text: string): number | undefined {
  const [start] = error.pos
  if (error.code !== 'BAD_INDENT' && error.code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined
  if (isLineStart(text, start)) return start + text.slice(start, start + LONGEST_INDENT).search(/[^ ]|$/)
  if (error.code === 'BAD_INDENT') return start
  if (next?.code !== 'MULTILINE_IMPLICIT_KEY' || next.pos[0] !== start) return undefined
  const key = text.slice(Math.max(start, next.pos[1] - LONGEST_INDENT), next.pos[1])
  const line = key.lastIndexOf('\n') + 1
  return line === 0 ? undefined : next.pos[1] - key.length + line + key.slice(line).search(/\S/)
}

/** Whether the offset and everything before it on its line are spaces. */
function isLineStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_INDENT), at)
  return text[at] === ' ' && before.slice(before.lastIndexOf('\n') + 1).trim() === ''
}

/** A bound, because there may be many errors, and a line may be as long as a file. */
const LONGEST_INDENT = 1000

/** Valid YAML that is not supported, by its first character: a message and a hint. */
const FEATURES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['&', ['An anchor (`&…`) is not supported.', 'Write the content where it is used.']],
  ['*', ['An alias (`*…`) is not supported.', 'Write the content where it is used.']],
  [
    '!',
    ['A tag (`!…`) is not supported.', 'Remove it. If the text itself begins with `!`, put it in quotes.'],
  ],
  ['%', ['A directive (`%…`) is not supported.', 'Remove the line.']],
])

const NOT_YAML = 'This is not YAML.'

/** Our messages for the parser's errors. Its own may quote the source, which may contain a secret. */
const YAML_ERRORS = {
  ALIAS_PROPS: ['yaml-feature', 'An alias is not supported.'],
  BAD_ALIAS: ['yaml-feature', 'An anchor or alias is not supported.'],
  BAD_COLLECTION_TYPE: ['yaml-feature', 'A tag is not supported.'],
  BAD_DIRECTIVE: ['yaml-feature', 'A directive is not supported.'],
  BAD_DQ_ESCAPE: ['yaml-syntax', 'Double quotes do not support this escape. Write a backslash as `\\\\`.'],
  BAD_INDENT: ['yaml-syntax', 'The indentation does not fit the lines around it.'],
  BAD_PROP_ORDER: ['yaml-feature', 'Anchors and tags are not supported.'],
  BAD_SCALAR_START: ['yaml-syntax', 'An unquoted value cannot begin with this character. Put it in quotes.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'yaml-syntax',
    'A map cannot begin in a line that already has a key. Quote the value if it contains `: `.',
  ],
  BLOCK_IN_FLOW: ['yaml-syntax', 'Inside `[ ]` and `{ }`, write lists and maps with brackets and commas.'],
  DUPLICATE_KEY: ['duplicate-key', 'The key appears twice.'],
  IMPOSSIBLE: ['yaml-syntax', NOT_YAML],
  KEY_OVER_1024_CHARS: [
    'yaml-syntax',
    'A key on the same line as its value can have at most 1024 characters.',
  ],
  MISSING_CHAR: [
    'yaml-syntax',
    'Something is missing here: a closing quote or bracket, a comma, or `: ` after a key.',
  ],
  MULTILINE_IMPLICIT_KEY: ['yaml-syntax', 'A key must be on one line. Is `: ` missing after it?'],
  MULTIPLE_ANCHORS: ['yaml-feature', 'An anchor is not supported.'],
  MULTIPLE_DOCS: ['yaml-feature', 'A file can contain only one YAML document. This begins another.'],
  MULTIPLE_TAGS: ['yaml-feature', 'A tag is not supported.'],
  NON_STRING_KEY: ['yaml-syntax', 'A key must be a string.'],
  RESOURCE_EXHAUSTION: ['file-limit', 'This is nested too deeply.'],
  TAB_AS_INDENT: ['yaml-syntax', 'A tab cannot indent a line. Use spaces.'],
  TAG_RESOLVE_FAILED: ['yaml-feature', 'A tag is not supported.'],
  UNEXPECTED_TOKEN: [
    'yaml-syntax',
    'This is unexpected here. Quote the value if it contains special characters.',
  ],
} as const satisfies Record<ErrorCode, readonly [DiagnosticCode, string]>

/** Where the first unclosed bracket was opened, or the quote in it: the parser only reports where it missed the end. */
function findUnclosed(document: Document, text: string): number | undefined {
  let found: { readonly start: number; readonly end: number } | undefined
  visit(document, (_, node) => {
    if (!(isScalar(node) || isCollection(node)) || !node.range) return undefined
    const [start, end] = node.range
    const closing = isScalar(node) ? closingQuote(node) : closingBracket(node, text.charAt(start))
    // A quote that was never closed may be the whole node.
    const isClosed = end - start > 1 && text.charAt(end - 1) === closing
    if (closing === undefined || isClosed) return undefined
    if (found === undefined || (isScalar(node) && start < found.end)) found = { start, end }
    return isScalar(node) ? visit.BREAK : undefined
  })
  return found?.start
}

function closingQuote({ type }: Scalar): string | undefined {
  if (type === 'QUOTE_DOUBLE') return '"'
  return type === 'QUOTE_SINGLE' ? "'" : undefined
}

function closingBracket({ flow }: YAMLMap | YAMLSeq, opening: string): string | undefined {
  if (flow !== true) return undefined
  return opening === '[' ? ']' : '}'
}

/**
 * How deep the syntax tree may be for the parser's next stage, which is recursive, to survive it. Past some thousand
 * levels it can abort the whole process (docs/fault-model.md F-62); broken text nests without any indentation, so only the
 * tree itself tells. Far above `DEEPEST`, which is checked exactly later.
 */
const SAFE_DEPTH = 200
/** Nested maps and lists of a document. */
export const DEEPEST = 32
/** Of a file: as many as 8 MiB with 100,000 variables have. What a parser makes of each takes memory (docs/fault-model.md F-63). */
const MOST_TOKENS = 2_000_000

/**
 * Runs the first stage of the parser, which is not recursive, and reports unsupported features. Stops before a hostile file costs time
 * and memory: then the result is `undefined`.
 */
export function tokensOf(text: string, report: SyntaxReport): CST.Token[] | undefined {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const features = new Features(report)
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    features.look(lexeme, parser.offset)
    if (++count > MOST_TOKENS)
      return report.once('file-limit', parser.offset, `The file has more than ${MOST_TOKENS} tokens.`, SPLIT)
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > SAFE_DEPTH)
      return report.once('file-limit', parser.offset, TOO_DEEP, 'Use fewer levels.')
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

const SPLIT = 'Divide it into several files.'

/** Reports unsupported features in a text, by its indicators. */
class Features {
  readonly #report: SyntaxReport
  #isText = false

  constructor(report: SyntaxReport) {
    this.#report = report
  }

  look(lexeme: string, offset: number): void {
    const first = lexeme.charAt(0)
    const feature = this.#isText ? undefined : FEATURES.get(first)
    this.#isText = !this.#isText && first === TEXT_FOLLOWS
    if (feature !== undefined) this.#report.once('yaml-feature', offset, ...feature)
  }
}

/** The lexer's sign that the next lexeme is text. */
const TEXT_FOLLOWS = '\x1f'

export const TOO_DEEP = `Maps and lists are nested more than ${DEEPEST} deep.`
