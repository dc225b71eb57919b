import { compareText } from '../model/diagnostic.ts'
import { meaningOf, type Node, type ScalarNode } from './tree.ts'

/** Called for a value of `data` that HCL cannot represent. */
type ReportHcl = (at: number, message: string, hint: string) => void

/**
 * YAML data as HCL code, in the way of Terraform's `jsonencode`: no spaces, keys sorted by code point, `<`, `>`, `&`,
 * U+2028 and U+2029 escaped. Numbers keep their source text. Template signs are escaped, for the code is evaluated.
 */
export function hclOf(node: Node, report: ReportHcl): string {
  switch (node.kind) {
    case 'list':
      return `[${node.items.map(item => hclOf(item, report)).join(',')}]`
    case 'map': {
      const entries = node.entries.toSorted((a, b) => compareText(a.key, b.key))
      return `{${entries.map(({ key, value }) => `${quotedHcl(key)}:${hclOf(value, report)}`).join(',')}}`
    }
    case 'scalar':
      return scalarHcl(node, report)
  }
}

/** What HCL's scanner takes as one number, a sign before it, and nothing that reads as octal elsewhere. */
const HCL_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/

function scalarHcl(node: ScalarNode, report: ReportHcl): string {
  switch (meaningOf(node)) {
    case 'text':
      return quotedHcl(node.text)
    case 'boolean':
      return node.text.toLowerCase()
    case 'null':
      if (node.text === '' && node.refused === undefined)
        report(node.at, 'A value is missing.', 'Write null, or "" for an empty string.')
      return 'null'
    case 'number':
      if (!HCL_NUMBER.test(node.text))
        report(
          node.at,
          'HCL cannot represent this number as written.',
          'Write it in decimal without a leading zero or plus, or put it in quotes if it is a string.',
        )
      return node.text
  }
}

/**
 * Text as a quoted template. The characters are those that Go's JSON encoder escapes; `\b` and `\f` have no short form
 * in HCL. A sign directly before an escaped `${` is itself written as an escape: `$$${` is ambiguous to read.
 */
export function quotedHcl(text: string): string {
  if (SIMPLE.test(text)) return `"${text}"`
  const escaped = text
    .replace(ESCAPED, escapedCharacter)
    .replace(/[$%]+\{?/g, signs => (signs.endsWith('{') ? escapedTemplate(signs) : signs))
  return `"${escaped}"`
}

function escapedTemplate(signs: string): string {
  const sign = signs.charAt(signs.length - 2)
  return `${Array.from(signs.slice(0, -2), unicodeEscape).join('')}${sign}${sign}{`
}

const SIMPLE = /^[\w .,:/@-]*$/
const ESCAPED = /["\\<>&\p{Cc}\u2028\u2029]/gu
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}
/** U+007F to U+009F are control characters too, and stay. */
const escapedCharacter = (character: string): string =>
  SHORT[character] ?? (/[\u007f-\u009f]/.test(character) ? character : unicodeEscape(character))
const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

interface Imbalance {
  readonly at: number
  /** The rest of a sentence that begins with "The HCL", without its full stop. */
  readonly words: string
}

/** An open bracket, quoted text, heredoc, or the code of a template inside a text. */
interface Open {
  readonly kind: 'bracket' | 'quote' | 'heredoc' | 'template'
  readonly at: number
  /** What closes it; of a heredoc its marker. */
  readonly close: string
}

/**
 * The first bracket, quote, heredoc or comment of HCL code that is not balanced; `undefined` if all are. This is not a parser:
 * balanced code may still be invalid. It follows HCL's own scanner, and reads each character once.
 */
export function imbalanceOf(code: string): Imbalance | undefined {
  const open: Open[] = []
  let at = 0
  while (at < code.length) {
    const top = open.at(-1)
    const isText = top?.kind === 'quote' || top?.kind === 'heredoc'
    const step = isText ? textStep(code, at, top, open) : codeStep(code, at, open)
    if (typeof step !== 'number') return step
    at = step
  }
  const top = open.at(-1)
  return top === undefined ? undefined : { at: top.at, words: unclosed(top, code) }
}

function unclosed({ kind, at, close }: Open, code: string): string {
  if (kind === 'quote') return 'has a quote that is never closed'
  if (kind === 'heredoc') return `has a heredoc that never ends (no line is ${close} alone)`
  return `has a "${code.slice(at, kind === 'template' ? at + 2 : at + 1)}" that is never closed`
}

/** In code: the offset after the token at `at`, or what is wrong with it. */
function codeStep(code: string, at: number, open: Open[]): number | Imbalance {
  const sign = code.charAt(at)
  const isTwice = code.charAt(at + 1) === sign
  if (sign === '#' || (sign === '/' && isTwice)) return behind(code, '\n', at)
  if (sign === '/' && code.charAt(at + 1) === '*') {
    const end = code.indexOf('*/', at + 2)
    return end < 0 ? { at, words: 'has a comment that never ends' } : end + 2
  }
  if (sign === '<' && isTwice) {
    HEREDOC.lastIndex = at
    const [begin, marker] = HEREDOC.exec(code) ?? []
    if (begin === undefined || marker === undefined) return at + 2
    open.push({ kind: 'heredoc', at, close: marker })
    return at + begin.length
  }
  if (sign === '"') {
    open.push({ kind: 'quote', at, close: sign })
    return at + 1
  }
  const close = CLOSING[sign]
  if (close !== undefined) open.push({ kind: 'bracket', at, close })
  if (sign !== ')' && sign !== ']' && sign !== '}') return after(PLAIN_CODE, code, at + 1)
  const expected = open.pop()?.close
  if (expected === sign) return at + 1
  const instead = expected === undefined ? 'closes nothing' : `is where "${expected}" is expected`
  return { at, words: `has a "${sign}" that ${instead}` }
}

/** In a template: the offset after the next part of its text, or what is wrong. */
function textStep(code: string, at: number, top: Open, open: Open[]): number | Imbalance {
  const sign = code.charAt(at)
  if (sign === '$' || sign === '%') {
    if (code.startsWith(`${sign}{`, at + 1)) return at + 3
    if (code.charAt(at + 1) !== '{') return at + 1
    open.push({ kind: 'template', at, close: '}' })
    return at + 2
  }
  if (top.kind === 'heredoc') {
    // The line may be the last one, because it begins here and not after other code.
    const isLine = code.charAt(at - 1) === '\n'
    const end = isLine ? behind(code, '\n', at) : at
    if (!isLine || code.slice(at, Math.min(end, at + LONGEST_LINE)).trim() !== top.close)
      return sign === '\n' ? at + 1 : after(PLAIN_HEREDOC, code, at + 1)
    open.pop()
    return end
  }
  if (sign === '"') {
    open.pop()
    return at + 1
  }
  if (sign === '\n') return { at: top.at, words: 'has a quote that is not closed on its line' }
  return sign === '\\' ? at + 2 : after(PLAIN_QUOTE, code, at + 1)
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
/** Text between characters with a meaning. */
const PLAIN_CODE = /[^"#/<()[\]{}]*/y
const PLAIN_QUOTE = /[^"$%\\\n]*/y
const PLAIN_HEREDOC = /[^$%\n]*/y
const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy
/** No marker is longer, including the spaces before it. */
const LONGEST_LINE = 10_000

function after(pattern: RegExp, code: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(code)
  return pattern.lastIndex
}

function behind(code: string, sign: string, at: number): number {
  const end = code.indexOf(sign, at)
  return end < 0 ? code.length : end + 1
}
