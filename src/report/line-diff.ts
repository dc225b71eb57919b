import { structuredPatch } from 'diff/lib/patch/create.js'
import { itemAt } from '../model/lists.ts'
import { cropped } from './neutralise.ts'

interface DiffLine {
  /** `\\`: says whether the line before it ends with a newline, if the texts differ in that. */
  readonly sign: ' ' | '+' | '-' | '\\'
  readonly text: string
}

/** How two texts differ, line by line. */
export interface LineDifference {
  readonly added: number
  readonly removed: number
  /**
   * Groups of changed lines with some equal ones around them. Empty if the texts have too little in common: then `removed` and
   * `added` count the lines from the first difference to the last.
   */
  readonly hunks: readonly (readonly DiffLine[])[]
  /** Number of changed lines beyond the limit. */
  readonly left: number
  /** Without hunks: some of the lines are on both sides. */
  readonly partly?: true
}

/** More edits than this help no reader. */
const MAX_EDITS = 500
/** Limit of the work in lines (about 50 ms): every edit may walk through both texts. */
const MOST_LOOKED = 20_000_000
const CONTEXT = 2
const MOST_LINES = 80
const LONG_LINE = 160

/** A carriage return stays in its line; a final newline is not a line. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

export function lineDifference(before: string, after: string): LineDifference {
  const marks = endMarks(before, after)
  const old = markedLines(before, marks)
  const fresh = markedLines(after, marks)
  const start = sharedStart(old, fresh)
  const end = sharedEnd(old, fresh, start)
  const gone = old.slice(start, old.length - end)
  const come = fresh.slice(start, fresh.length - end)
  const least = leastEdits(gone, come)
  const patch = patchOf(old, fresh, { start, end, least })
  if (patch === undefined) {
    const sizes = { added: come.length, removed: gone.length, hunks: [], left: 0 }
    return least === gone.length + come.length ? sizes : { ...sizes, partly: true }
  }
  const hunks = patch.hunks.map(({ lines }) => withOthers(lines.map(lineOf)))
  const count = (sign: '+' | '-') => hunks.flat().filter(line => line.sign === sign).length
  return { added: count('+'), removed: count('-'), ...cut(hunks, marks) }
}

const END_WORDS = ['newline at end', 'no newline at end'] as const

/** Marks for the last line of a text with a final newline, and of one without, if the texts differ in that. */
function endMarks(before: string, after: string): readonly string[] {
  if (before === '' || after === '' || before.endsWith('\n') === after.endsWith('\n')) return []
  // A noncharacter, repeated until neither text contains it.
  let mark = '\uFDD0'
  while (before.includes(mark) || after.includes(mark)) mark += '\uFDD0'
  return [`${mark}1`, `${mark}0`]
}

function markedLines(text: string, marks: readonly string[]): string[] {
  const mark = marks[text.endsWith('\n') ? 0 : 1]
  return mark === undefined ? linesOf(text) : `${text.replace(/\n$/, '')}${mark}`.split('\n')
}

/** A line without its mark, and the words for the mark. */
function unmarked(line: string, marks: readonly string[]): { readonly text: string; readonly end?: string } {
  const at = marks.findIndex(mark => line.endsWith(mark))
  if (at < 0) return { text: line }
  return { text: line.slice(0, -itemAt(marks, at).length), end: itemAt(END_WORDS, at) }
}

/** A line and the one that it replaces or that replaces it. */
interface WholeLine extends DiffLine {
  readonly other: string | undefined
}

/** `undefined` if the texts are too different. `least`: a lower bound of the edits. */
function patchOf(
  old: readonly string[],
  fresh: readonly string[],
  { start, end, least }: Readonly<Record<'start' | 'end' | 'least', number>>,
) {
  const [gone, come] = [old.length - start - end, fresh.length - start - end]
  const isOneSided = gone === 0 || come === 0
  const maxEditLength = isOneSided ? least : Math.min(MAX_EDITS, Math.floor(MOST_LOOKED / (gone + come)))
  if (least > maxEditLength) return undefined
  // Only the changed lines and their context; each ends with a newline, so that no missing end is reported.
  const text = (lines: readonly string[]) =>
    lines
      .slice(Math.max(0, start - CONTEXT), lines.length - Math.max(0, end - CONTEXT))
      .map(line => `${line}\n`)
      .join('')
  return structuredPatch('', '', text(old), text(fresh), '', '', { context: CONTEXT, maxEditLength })
}

const lineOf = (line: string): DiffLine => ({
  sign: line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ',
  text: line.slice(1),
})

/** Removed lines stand before the added ones that replace them. */
function withOthers(lines: readonly DiffLine[]): WholeLine[] {
  const runs: DiffLine[][] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.[0]?.sign === line.sign) last.push(line)
    else runs.push([line])
  }
  return runs.flatMap((run, index) => {
    const sign = run[0]?.sign
    const beside = sign === '-' ? runs[index + 1] : sign === '+' ? runs[index - 1] : undefined
    const others = beside?.[0]?.sign === ' ' ? undefined : beside
    return run.map((line, at) => ({ ...line, other: others?.[at]?.text }))
  })
}

/** Lines, or characters. */
type Parts = string | readonly string[]

function sharedStart(old: Parts, fresh: Parts): number {
  const most = Math.min(old.length, fresh.length)
  let count = 0
  while (count < most && old[count] === fresh[count]) count++
  return count
}

/** Beyond the shared start. */
function sharedEnd(old: Parts, fresh: Parts, start: number): number {
  const most = Math.min(old.length, fresh.length) - start
  let count = 0
  while (count < most && old[old.length - 1 - count] === fresh[fresh.length - 1 - count]) count++
  return count
}

/** A quick lower bound of the edits: the lines that only one side has. */
function leastEdits(gone: readonly string[], come: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const line of gone) counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const line of come) counts.set(line, (counts.get(line) ?? 0) - 1)
  let edits = 0
  for (const count of counts.values()) edits += Math.abs(count)
  return edits
}

function cut(
  hunks: readonly (readonly WholeLine[])[],
  marks: readonly string[],
): Pick<LineDifference, 'hunks' | 'left'> {
  let room = MOST_LINES
  let left = 0
  const shown = hunks.map(hunk => {
    const kept = hunk.slice(0, Math.max(0, room))
    room -= kept.length
    left += hunk.slice(kept.length).filter(line => line.sign !== ' ').length
    return kept.flatMap(({ sign, text: line, other }): DiffLine[] => {
      const { text, end } = unmarked(line, marks)
      const shown = { sign, text: readable(text, other === undefined ? other : unmarked(other, marks).text) }
      return end === undefined ? [shown] : [shown, { sign: '\\', text: end }]
    })
  })
  return { hunks: shown.filter(hunk => hunk.length > 0), left }
}

/** A long line that replaces another is cut around the difference; any other shows its start. */
function readable(text: string, other: string | undefined): string {
  if (text.length <= LONG_LINE) return text
  if (other === undefined) return cropped(text, LONG_LINE)
  const start = sharedStart(text, other)
  const end = sharedEnd(text, other, start)
  const from = boundary(text, Math.max(0, start - 20))
  const to = boundary(text, Math.min(text.length, text.length - end + 20))
  return `${from > 0 ? '…' : ''}${cropped(text.slice(from, to), 4 * LONG_LINE)}${to < text.length ? '…' : ''}`
}

/** Never splits a surrogate pair. */
const boundary = (text: string, index: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(index)) && index > 0 ? index - 1 : index
