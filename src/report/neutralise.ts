import { commandWord } from '../model/diagnostic.ts'
import { INVISIBLE_CHARACTERS, RUNNER_COMMAND } from '../model/invisible.ts'

/**
 * Files of a repository and every answer of the service are text of others: it may hold terminal escapes, commands
 * for a CI runner, Markdown, or characters that no one sees. Each function here makes it harmless for one sink.
 * They are the last thing that touches such text; colours come after.
 */

/** One line of text for a terminal or a log: what cannot be seen is named, and nothing in it is a command. */
export function terminalText(text: string): string {
  return text
    .replace(INVISIBLE_CHARACTERS, named)
    .replace(RUNNER_COMMAND, '\\u{23}')
    .replace(/^::/, '\\u{3a}:')
}

/** Some lines for a stream, not laid out by a renderer: each harmless, the line ends as they are. */
export const harmlessLines = (text: string): string =>
  sealLines(text.split('\n').map(terminalText).join('\n'))

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const named = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const BARE = /^[\p{L}\p{N}_/.][\p{L}\p{N}\p{M}_/.:@%+-]*$/u

/**
 * A name or value that stands among words: as it is where it cannot be mistaken for them, else in quotes. Single ones
 * where that spares the escapes of JSON and HCL.
 */
export function quotedText(text: string): string {
  const harmless = terminalText(text)
  if (harmless === text && BARE.test(text)) return text
  if (text.includes('"') && !/['\\]/.test(text)) return `'${harmless}'`
  return `"${terminalText(text.replace(/["\\]/g, '\\$&'))}"`
}

/** A word that a POSIX shell takes as it stands, for commands to copy. */
export const shellWord = (text: string): string => commandWord(terminalText(text))

/**
 * The whole of a text output, once more: runners trim white space before they look for `::name::`, so neither a line
 * of ours nor two pieces side by side may make one. Knows our own colour codes.
 */
export function sealLines(output: string): string {
  return output.replace(LINE_COMMAND, '$1\\u{3a}').replace(RUNNER_COMMAND, '\\u{23}')
}

/** The only control characters left by then are those of our own colour codes. */
const LINE_COMMAND = /^((?:[^\S\n]|(?!\n)\p{Cc}\[[\d;]*m)*):(?=(?:(?!\n)\p{Cc}\[[\d;]*m)*:)/gmu

/** Text in a Markdown code span whose fence is longer than any run of backticks inside: nothing in it is Markdown. */
export function codeSpan(text: string, limit = 300): string {
  return fenced(terminalText(cropped(text, limit)))
}

/** As `codeSpan`, inside a table, where a bar would end the cell even in code. */
export function codeCell(text: string, limit = 300): string {
  const content = terminalText(cropped(text, limit))
  return fenced(content.replaceAll('\\|', '\\\\u{7c}').replaceAll('|', '\\|'))
}

function fenced(content: string): string {
  if (content === '') return '` `'
  const fence = '`'.repeat(longestRun(content) + 1)
  // A parser takes a space from both ends, but not from code that is nothing else.
  const padding = /^[ `]|[ `]$/.test(content) && /[^ ]/.test(content) ? ' ' : ''
  return `${fence}${padding}${content}${padding}${fence}`
}

/** Lines in a fenced block; each line must be harmless already. */
export function codeBlock(lines: readonly string[], language: string): string {
  const content = lines.join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1))
  return `${fence}${language}\n${content}\n${fence}`
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)

/** The first characters of a text, never half of one, and how many there are. */
export function cropped(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
  return `${text.slice(0, end)}… (${text.length} characters)`
}

/** Inside an HTML comment, where only `>` and a line end could do harm. Stable, so that a comment can be found again. */
export const commentText = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')).slice(0, 200)
