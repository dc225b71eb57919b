import { itemAt } from '../model/lists.ts'
import { shortDigest } from '../plan/plan-data.ts'
import type { SetView } from './change.ts'
import { diffLines, onlyShort, singleLine } from './change-text.ts'
import type { EffectsView } from './effects.ts'
import { lineText } from './layout.ts'
import { blockOf, calloutOf, folded, linkMarkdown, listOf, warningsOf } from './markdown-blocks.ts'
import { codeBlock, codeCell, codeSpan, commentText, sealLines } from './neutralise.ts'
import {
  counted,
  FORBIDDEN_NEXT,
  groupedBy,
  joined,
  listed,
  name,
  type Phrase,
  place,
  present,
  say,
  shortTime,
} from './phrase.ts'
import { COMMENT_LIMIT, phraseMarkdown, plainOrCode } from './print-markdown.ts'
import { rankOf, whyOf } from './set-view.ts'
import { needed } from './totals.ts'
import type { View } from './view.ts'

/** Room for separators and for the notices about cut sections. */
const RESERVE = 1_000

/** The invisible first line, by which the next run finds and replaces the comment. */
export const commentMarker = (organization: string, owner?: string): string =>
  `<!-- setpoint:${present(organization, owner).map(commentText).join('/')} -->`

/** The form of that line. */
export const COMMENT_MARKER = /^<!-- setpoint:[\w!~*'().%/-]{1,410} -->$/

/** The invisible second line of a report without changes, for which no comment is created. */
export const NOTHING_CHANGES = '<!-- nothing changes -->'

/** No change, no finding, and no warning that a set is left behind. */
export const saysNothing = ({ sets, review, warnings }: View): boolean =>
  sets.length === 0 && review.every.length === 0 && !warnings.some(({ code }) => code === 'left-behind')

/**
 * The report as a comment on a pull request or a step summary. Drops whole entries to fit the limit, deletions last, and
 * says so.
 */
export function renderMarkdown(
  view: View,
  limit: number = COMMENT_LIMIT,
  elsewhere?: readonly string[],
): string {
  const whole = phraseMarkdown(wholeIn(elsewhere))
  const marker = commentMarker(view.organization, view.owner)
  const start = present(marker, saysNothing(view) && NOTHING_CHANGES, heading(view)).join('\n')
  const end = footer(view)
  let room = limit - start.length - end.length - RESERVE
  const take = (share: number, make: (budget: number) => string): string => {
    const section = make(Math.floor(room * share))
    room -= section.length
    return section
  }
  const sections = [
    start,
    take(0.4, budget => calloutOf(view.review, budget)),
    take(0.5, budget => table(view, budget, whole)),
    take(0.3, budget => warningsOf(view.warnings, budget)),
    take(0.3, budget => effectsBlock(view.effects, budget)),
    take(1, budget => values(view, budget, whole)),
    end,
  ]
  return sealLines(`${sections.filter(section => section !== '').join('\n\n')}\n`)
}

function wholeIn(elsewhere: readonly string[] | undefined): Phrase {
  if (elsewhere === undefined) return ['see the log or another report']
  return say`see ${joined([['the log'], ...elsewhere.map(name)], ' or ')}`
}

function heading(view: View): string {
  const who = present(view.organization, view.owner).map(plainOrCode).join('/')
  const blocked = view.forbidden
    ? ' · **forbidden by rules**'
    : view.approve === undefined
      ? ''
      : ' · **blocked: approval needed**'
  const sandbox = view.address === 'SANDBOX' ? ' (SANDBOX)' : ''
  const drift = view.kind === 'drift' ? ' drift' : ''
  return `### Setpoint${drift} ${who}${sandbox}: ${phraseMarkdown(view.headline)}${blocked}`
}

function table(view: View, budget: number, elsewhere: string): string {
  if (view.sets.length === 0) return ''
  const why = view.sets.some(set => onlyShort(set) === undefined && set.origins.length > 0)
  const third = why ? ' why |' : ''
  const head = `| | set | what |${third} where |\n|-|-|-|${third === '' ? '' : '-|'}-|`
  const rows = (links: boolean) =>
    blockOf(
      view.sets.map(set => ({ text: row(set, { why, links }), rank: rankOf(set) })),
      budget - head.length,
    )
  const whole = rows(true)
  // Rows are worth more than links.
  const { kept, left } = whole.left === 0 ? whole : rows(false)
  const more =
    left === 0
      ? ''
      : `\n\n${counted(left, 'more set')} ${left === 1 ? 'is' : 'are'} left out here; ${elsewhere}.`
  return `${[head, ...kept].join('\n')}${more}`
}

function row(set: SetView, { why, links }: Readonly<Record<'why' | 'links', boolean>>): string {
  const old = set.previousName === undefined ? '' : `${codeCell(set.previousName)} → `
  const where = set.source && place(set.source)
  const cells = present(
    set.sign,
    `${old}${codeCell(set.name)}`,
    whatOf(set),
    // An only entry says why by itself.
    why && (onlyShort(set) === undefined ? whyOf(set) : ''),
    where === undefined ? '' : linkMarkdown(codeCell(where.text), links ? where.href : undefined),
  )
  return `| ${cells.join(' | ')} |`
}

/** The only entry of a set, or counts of its entries. */
function whatOf(set: SetView): string {
  const only = onlyShort(set)
  return only === undefined
    ? phraseMarkdown(set.what)
    : codeCell(lineText(singleLine(only).slice(only.sign === '~' ? 2 : 0)))
}

function values(view: View, budget: number, whole: string): string {
  const shown = view.sets.filter(set => !set.folded && onlyShort(set) === undefined)
  if (shown.length === 0) return ''
  const groups = groupedBy(
    shown.map(set => ({ set, block: valueBlock(set) })),
    ({ set, block }) => (set.sign === '~' ? block : undefined),
  )
  const blocks = groups.map(group => ({
    text: `${namesOf(group.map(({ set }) => set.name))}\n\n${group[0].block}`,
    rank: rankOf(group[0].set),
    sets: group.length,
  }))
  return folded('Values', budget, room => {
    const { kept } = blockOf(blocks, room)
    const texts = new Set(kept)
    const left = blocks.reduce((sum, { text, sets }) => (texts.has(text) ? sum : sum + sets), 0)
    const more = left > 0 && `The values of ${counted(left, 'more set')} are left out here; ${whole}.`
    return present(...kept, more).join('\n\n')
  })
}

/** The table above has all of them. */
const namesOf = (names: readonly string[]): string =>
  names.length === 1 ? codeSpan(itemAt(names, 0)) : `${phraseMarkdown(listed(names, 20))}: the same in each`

const valueBlock = (set: SetView): string => codeBlock(diffLines(set), 'diff')

/** What the run could not know or left out, and what a person may do. The rest is in other formats. */
function footer(view: View): string {
  const totals = needed(view.totals).map(({ label, phrase }) => `${label}: ${phraseMarkdown(phrase)}`)
  const { kind, digest, at, approve } = view
  const ways = present(
    digest && `start the apply with the digest ${codeSpan(digest)}`,
    approve?.command && phraseMarkdown([approve.command]),
  )
  const next = view.forbidden ? FORBIDDEN_NEXT : approve && `Approve after review: ${ways.join(', or ')}`
  // All digits, unless the command above has them.
  const isCopied = kind === 'plan' && approve === undefined
  const run = present(
    digest && `${kind} ${codeSpan(isCopied ? digest : shortDigest(digest))}`,
    at !== undefined && `planned ${codeSpan(shortTime(at))}`,
  )
  return [totals.join(' · '), next, run.join(' · ')].filter(line => line).join('\n\n')
}

/** Who is affected; with what they get, folded, unless the table shows it. */
function effectsBlock(effects: EffectsView | undefined, budget: number): string {
  if (effects === undefined) return ''
  const { headline, groups, notes } = effects
  const who = `Workspaces: ${phraseMarkdown(headline)}`
  if (effects.isTold && notes.length === 0) return who
  const pieces = groups.map(({ who, effects: lines }, rank) => ({
    text: [`- ${phraseMarkdown(who)}`, ...lines.map(line => `  - ${phraseMarkdown(line)}`)].join('\n'),
    rank,
  }))
  const said = notes.map(note => `- ${phraseMarkdown(note)}`)
  const affected = groups.length === 0 ? 'none affected' : counted(groups.length, 'group')
  // A summary is HTML, where names of others would need another form.
  const details = folded(`Effect on workspaces (${affected})`, budget - who.length - 2, room =>
    [...listOf(pieces, room - said.join('\n').length), ...said].join('\n'),
  )
  return `${who}\n\n${details}`
}
