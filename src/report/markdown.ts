import { blockOf, calloutOf, endOfApply, warningsOf } from './markdown-blocks.ts'
import { phraseMarkdown, plainOrCode } from './markdown-phrase.ts'
import { codeBlock, codeCell, codeSpan, commentText, sealLines } from './neutralise.ts'
import { counted, place } from './phrase.ts'
import { changeLines } from './set-lines.ts'
import type { SetView } from './sets.ts'
import type { View } from './view.ts'

/** What a comment on a pull request may hold on GitHub, in characters. */
export const COMMENT_LIMIT = 65_536

/** Room for what the notices about cut sections take, and what stands between the sections. */
const RESERVE = 1_000

/** A first line that no reader sees, by which the comment of the last run is found and replaced. */
export const commentMarker = (organization: string, owner?: string): string =>
  `<!-- setpoint:${[organization, ...(owner === undefined ? [] : [owner])].map(commentText).join('/')} -->`

/**
 * The report as a comment on a pull request or a step summary. Fits the limit by leaving out whole entries, what
 * destroys last, and says so.
 */
export function renderMarkdown(view: View): string {
  const start = `${commentMarker(view.organization, view.owner)}\n${heading(view)}`
  const end = footer(view)
  let room = COMMENT_LIMIT - start.length - end.length - RESERVE
  const take = (share: number, make: (budget: number) => string): string => {
    const section = make(Math.floor(room * share))
    room -= section.length
    return section
  }
  const sections = [
    start,
    take(0.4, budget => calloutOf(view.alerts, budget)),
    take(0.5, budget => (view.end === undefined ? '' : endOfApply(view.end, budget))),
    take(0.5, budget => table(view, budget)),
    take(0.3, budget => warningsOf(view.warnings, budget)),
    take(1, budget => values(view, budget)),
    end,
  ]
  return sealLines(`${sections.filter(section => section !== '').join('\n\n')}\n`)
}

function heading(view: View): string {
  const who = [view.organization, ...(view.owner === undefined ? [] : [view.owner])]
    .map(plainOrCode)
    .join('/')
  const blocked = view.approve === undefined ? '' : ' · **blocked: approval needed**'
  const sandbox = view.address === 'SANDBOX' ? ' (SANDBOX)' : ''
  const drift = view.kind === 'drift' ? ' drift' : ''
  return `### Setpoint${drift} ${who}${sandbox}: ${phraseMarkdown(view.headline)}${blocked}`
}

const GRAVEST_FIRST = { '-': 0, '~': 1, '+': 2 } as const satisfies Record<SetView['sign'], number>

function table(view: View, budget: number): string {
  if (view.sets.length === 0) return ''
  const applied = view.kind === 'apply'
  const head = applied
    ? '| | set | what | outcome | where |\n|-|-|-|-|-|'
    : '| | set | what | where |\n|-|-|-|-|'
  const rows = view.sets.map(set => ({ text: row(set, applied), rank: GRAVEST_FIRST[set.sign] }))
  const { kept, left } = blockOf(rows, budget - head.length)
  const more =
    left === 0
      ? ''
      : `\n\n${counted(left, 'more set')} ${left === 1 ? 'is' : 'are'} left out here; the log has all.`
  return `${[head, ...kept].join('\n')}${more}`
}

function row(set: SetView, applied: boolean): string {
  const old = set.previousName === undefined ? '' : `${codeCell(set.previousName)} → `
  const where = set.source === undefined ? '' : codeCell(place(set.source).text)
  const cells = [
    set.sign,
    `${old}${codeCell(set.name)}`,
    phraseMarkdown(set.what),
    ...(applied ? [set.status] : []),
    where,
  ]
  return `| ${cells.join(' | ')} |`
}

/** What changes from what to what, set by set. */
function values(view: View, budget: number): string {
  const shown = view.sets.filter(set => !set.folded)
  if (shown.length === 0 || view.kind === 'apply') return ''
  const open = '<details><summary>Values</summary>\n\n'
  const close = '\n\n</details>'
  const blocks = shown.map(set => ({
    text: `${codeSpan(set.name)}\n\n${valueBlock(set)}`,
    rank: GRAVEST_FIRST[set.sign],
  }))
  const { kept, left } = blockOf(blocks, budget - open.length - close.length)
  const more =
    left === 0 ? [] : [`The values of ${counted(left, 'more set')} are left out here; the log has all.`]
  return `${open}${[...kept, ...more].join('\n\n')}${close}`
}

const valueBlock = (set: SetView): string =>
  codeBlock(
    changeLines(set, 100).map(line =>
      line
        .map(piece => piece.text)
        .join('')
        .trimEnd(),
    ),
    'diff',
  )

function footer(view: View): string {
  const totals = view.totals.map(({ label, phrase }) => `${label}: ${phraseMarkdown(phrase)}`)
  const run = [
    ...(view.digest === undefined ? [] : [`${view.kind} ${codeSpan(view.digest)}`]),
    ...(view.cost.length === 0 ? [] : [phraseMarkdown(view.cost)]),
    phraseMarkdown(view.requests),
  ]
  const approve = view.approve === undefined ? [] : [`Approve after review: ${phraseMarkdown(view.approve)}`]
  return [[...totals].join(' · '), ...approve, run.join(' · ')].filter(line => line !== '').join('\n\n')
}
