/** How programs that execute commands read a line of output: ports of their parsers, independent of our code. */

const LINE_END = /\r\n|[\n\r]/

/** Lines that a runner of GitHub Actions executes as commands, whatever their name, and similar lines of other runners. */
export const commandsIn = (output: string): string[] =>
  output.split(LINE_END).filter(line => isSecondForm(line) || isFirstForm(line) || isElsewhere(line))

/** `::name key=value::text`; whitespace before it does not matter. */
function isSecondForm(line: string): boolean {
  const trimmed = line.replace(/^[\s\u0085]+/, '')
  return trimmed.startsWith('::') && trimmed.indexOf('::', 2) >= 0
}

/** `##[name key=value]text`, anywhere in the line. */
function isFirstForm(line: string): boolean {
  const start = line.indexOf('##[')
  return start >= 0 && line.indexOf(']', start) >= 0
}

/** A command as the runner of GitHub Actions reads it from a line of the second form. */
export interface Obeyed {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

/**
 * Reads a line of the second form: the name up to the first space, properties between commas, each up to its first `=`.
 * Unescapes in the runner's order, `%25` last.
 */
export function obeyed(line: string): Obeyed | undefined {
  if (!isSecondForm(line)) return undefined
  const trimmed = line.replace(/^[\s\u0085]+/, '')
  const end = trimmed.indexOf('::', 2)
  const command = trimmed.slice(2, end)
  const space = command.indexOf(' ')
  const pairs =
    space < 0
      ? []
      : command
          .slice(space + 1)
          .trim()
          .split(',')
  const properties = pairs.flatMap(pair => {
    const at = pair.indexOf('=')
    return at > 0 && at + 1 < pair.length
      ? [[pair.slice(0, at), unescaped(pair.slice(at + 1), PROPERTY)]]
      : []
  })
  return {
    name: space < 0 ? command : command.slice(0, space),
    properties: Object.fromEntries(properties),
    data: unescaped(trimmed.slice(end + 2), DATA),
  }
}

const DATA = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
] as const
const PROPERTY = [...DATA.slice(0, 2), ['%3A', ':'], ['%2C', ','], ['%25', '%']] as const

const unescaped = (text: string, table: readonly (readonly [string, string])[]): string =>
  table.reduce((sofar, [code, character]) => sofar.replaceAll(code, character), text)

/** Azure and TeamCity have similar commands. */
const isElsewhere = (line: string): boolean => /##(vso|teamcity)\[/i.test(line)

/** Code points that control a terminal or that a reader cannot see. */
const UNSEEN: readonly (readonly [number, number])[] = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xa0, 0xa0],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x180b, 0x180e],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
]

/** Such code points in an output, except line breaks, which Setpoint writes. */
export const unseenIn = (output: string): string[] =>
  [...output].filter(character => isUnseen(character.codePointAt(0) ?? 0))

export const isUnseen = (code: number): boolean => UNSEEN.some(([from, to]) => code >= from && code <= to)

/** The output without Setpoint's colours, so any other escape remains. */
export const withoutColors = (output: string): string => output.replaceAll(COLOR, '')

const COLOR = new RegExp(`${String.fromCharCode(27)}\\[(?:1|2|22|3[1-6]|39)m`, 'g')

interface Stripped {
  /** The text that a Markdown parser reads as Markdown: code is replaced by `C`. */
  readonly outside: string
  readonly code: readonly string[]
}

/** Removes fenced blocks and code spans from Markdown, as CommonMark 0.31 finds them (sections 4.5 and 6.1). */
export function withoutCode(markdown: string): Stripped {
  const outside: string[] = []
  const code: string[] = []
  let fence: string | undefined
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,})([^`]*)$/.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) fence = mark
    else if (
      fence !== undefined &&
      mark !== undefined &&
      mark.length >= fence.length &&
      line.trimEnd() === mark
    ) {
      fence = undefined
      outside.push('FENCE')
    } else if (fence !== undefined) code.push(line)
    else outside.push(spans(line, code))
  }
  if (fence !== undefined) outside.push('UNCLOSED')
  return { outside: outside.join('\n'), code }
}

function spans(line: string, code: string[]): string {
  let rest = line
  let out = ''
  for (;;) {
    const open = /`+/.exec(rest)
    if (open === null) return out + rest
    const after = rest.slice(open.index + open[0].length)
    const close = [...after.matchAll(/`+/g)].find(run => run[0].length === open[0].length)
    if (close === undefined) return `${out}${rest}UNCLOSED`
    code.push(after.slice(0, close.index))
    out += `${rest.slice(0, open.index)}C`
    rest = after.slice(close.index + open[0].length)
  }
}

/** Cells of a row of a table: a bar ends a cell even in code, unless a backslash precedes it. */
export const cellsOf = (row: string): number =>
  [...row.matchAll(/\\[\\|]|\|/g)].filter(([mark]) => mark === '|').length - 1
