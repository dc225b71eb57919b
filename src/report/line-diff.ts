import { diffArrays } from 'diff/lib/diff/array.js'
import { cropped } from './neutralise.ts'

export interface DiffLine {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
}

/** How two texts differ, line by line. */
export interface LineDifference {
  readonly added: number
  readonly removed: number
  /** Runs of changed lines with some equal ones around them; empty where the texts have too little in common. */
  readonly hunks: readonly (readonly DiffLine[])[]
  /** Changed lines that are not shown because there are too many. */
  readonly left: number
}

/** Beyond this distance the comparison costs more than a reader gains (1,000 unrelated lines: about 15 ms). */
const MAX_EDITS = 500
const CONTEXT = 2
const MOST_LINES = 80
const LONG_LINE = 160

/** Line ends are LF and one final newline does not count, as in the plan's equality. */
export const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')

export function lineDifference(before: string, after: string): LineDifference {
  const old = linesOf(before)
  const fresh = linesOf(after)
  const changes = diffArrays(old, fresh, { maxEditLength: MAX_EDITS })
  if (changes === undefined && old.length > 0 && fresh.length > 0)
    return { added: fresh.length, removed: old.length, hunks: [], left: 0 }
  const runs = (changes ?? []).map(({ added, removed, value }) => ({
    sign: added ? ('+' as const) : removed ? ('-' as const) : (' ' as const),
    lines: value,
  }))
  const lines = runs.flatMap((run, index) => {
    const beside = run.sign === '-' ? runs[index + 1] : run.sign === '+' ? runs[index - 1] : undefined
    const other = beside !== undefined && beside.sign !== ' ' ? beside.lines : []
    return run.lines.map((text, at) => ({ sign: run.sign, text: readable(text, other[at]) }))
  })
  const count = (sign: '+' | '-') => lines.filter(line => line.sign === sign).length
  return { added: count('+'), removed: count('-'), ...cut(hunksOf(lines)) }
}

/** Changed lines with their context; the equal lines in between are left out. */
function hunksOf(lines: readonly DiffLine[]): DiffLine[][] {
  const hunks: DiffLine[][] = []
  let open = false
  for (const [at, line] of lines.entries()) {
    const around = lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1)
    const near = around.some(({ sign }) => sign !== ' ')
    if (near && open) hunks.at(-1)?.push(line)
    else if (near) hunks.push([line])
    open = near
  }
  return hunks
}

function cut(hunks: readonly (readonly DiffLine[])[]): Pick<LineDifference, 'hunks' | 'left'> {
  let room = MOST_LINES
  let left = 0
  const shown = hunks.map(hunk => {
    const kept = hunk.slice(0, Math.max(0, room))
    room -= kept.length
    left += hunk.slice(kept.length).filter(line => line.sign !== ' ').length
    return kept
  })
  return { hunks: shown.filter(hunk => hunk.length > 0), left }
}

/** A long line that replaces another is shown around the first difference; any other long line by its start. */
function readable(text: string, other: string | undefined): string {
  if (text.length <= LONG_LINE) return text
  if (other === undefined) return cropped(text, LONG_LINE)
  let start = 0
  while (start < text.length && text[start] === other[start]) start++
  let end = 0
  const most = Math.min(text.length, other.length) - start
  while (end < most && text.at(-1 - end) === other.at(-1 - end)) end++
  const from = boundary(text, Math.max(0, start - 20))
  const to = boundary(text, Math.min(text.length, text.length - end + 20))
  return `${from > 0 ? '…' : ''}${cropped(text.slice(from, to), 4 * LONG_LINE)}${to < text.length ? '…' : ''}`
}

/** Never between the halves of a character. */
const boundary = (text: string, index: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(index)) && index > 0 ? index - 1 : index
