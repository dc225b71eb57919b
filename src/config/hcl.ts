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
