import { commandWord } from '../model/diagnostic.ts'
import { INVISIBLE_CHARACTERS, RUNNER_COMMAND } from '../model/json.ts'

/**
 * Files and responses are untrusted text, which may contain terminal escapes, commands for a CI runner, Markdown or
 * invisible characters. Each function here neutralises it for one sink, as the last step before colours.
 */

/** One line for a terminal or a log: names invisible characters and disarms runner commands. */
export function terminalText(text: string): string {
  if (HARMLESS.test(text)) return text
  return text
    .replace(INVISIBLE_CHARACTERS, named)
    .replace(RUNNER_COMMAND, '\\u{23}')
    .replace(/^::/, '\\u{3a}:')
}

/** Most texts: of characters that nothing below replaces. */
const HARMLESS = /^[\w ./@%+=,-]*$/

/** Several lines, each neutralised, with their line breaks. */
export const harmlessLines = (text: string): string =>
  sealLines(text.split('\n').map(terminalText).join('\n'))

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const named = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const BARE = /^[\p{L}\p{N}_/.][\p{L}\p{N}\p{M}_/.:@%+-]*$/u

/**
 * A name or value among words: quoted if it could be mistaken for them. Single quotes if that avoids the escapes of JSON
 * and HCL.
 */
export function quotedText(text: string): string {
  const harmless = terminalText(text)
  if (harmless === text && BARE.test(text)) return text
  if (text.includes('"') && !/['\\]/.test(text)) return `'${harmless}'`
  return `"${terminalText(text.replace(/["\\]/g, '\\$&'))}"`
}

/** A word that is safe to paste into a POSIX shell. */
export const shellWord = (text: string): string => commandWord(terminalText(text))

/**
 * The last pass over a text output: runners trim whitespace before they look for `::name::`, so neither a line of ours nor
 * two adjacent pieces may form one. Knows our own colour codes.
 */
export function sealLines(output: string): string {
  return output.replace(LINE_COMMAND, '$1\\u{3a}').replace(RUNNER_COMMAND, '\\u{23}')
}

/** At this point all control characters are our own colour codes. */
const LINE_COMMAND = /^((?:[^\S\n]|(?!\n)\p{Cc}\[[\d;]*m)*):(?=(?:(?!\n)\p{Cc}\[[\d;]*m)*:)/gmu

/** A Markdown code span whose fence is longer than any run of backticks in the text. */
export function codeSpan(text: string, limit = 300): string {
  return fenced(terminalText(cropped(text, limit)))
}

/** As `codeSpan`, for a table, where a bar ends the cell even in code. */
export function codeCell(text: string, limit = 300): string {
  const content = terminalText(cropped(text, limit))
  return fenced(content.replaceAll('\\|', '\\\\u{7c}').replaceAll('|', '\\|'))
}

function fenced(content: string): string {
  if (content === '') return '` `'
  const fence = '`'.repeat(longestRun(content) + 1)
  // A parser strips one space from both ends, unless the code is only spaces.
  const padding = /^[ `]|[ `]$/.test(content) && /[^ ]/.test(content) ? ' ' : ''
  return `${fence}${padding}${content}${padding}${fence}`
}

/** Lines in a fenced block; each must already be neutralised. */
export function codeBlock(lines: readonly string[], language: string): string {
  const content = lines.join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1))
  return `${fence}${language}\n${content}\n${fence}`
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)

/** The start of a text, without splitting a character, and its length. */
export function cropped(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
  return `${text.slice(0, end)}… (${text.length} characters)`
}

/** Text for an HTML comment. Stable, so that the comment can be found again. */
export const commentText = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')).slice(0, 200)
