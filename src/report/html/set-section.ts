import type { EndRow } from '../apply-summary.ts'
import {
  type AssignmentChange,
  type Change,
  type SettingChange,
  type SetView,
  type ShownValue,
  type VariableChange,
  wordsOf,
} from '../change.ts'
import { labelOf, lineCount } from '../change-text.ts'
import type { LineDifference } from '../line-diff.ts'
import { counted, figure, groupedBy, name, place, say } from '../phrase.ts'
import { rankOf } from '../set-view.ts'
import type { View } from '../view.ts'
import { type FilterKind, KIND_WORDS, KINDS, kindsOfChange, kindsOfSet } from './kinds.ts'
import { html, joinedMarkup, type Markup, phraseMarkup } from './markup.ts'

/** Sets on one page; more would be unreadable and slow. */
const MOST_SETS = 2_000
/** With more entries than this, all sets start closed. */
const MOST_OPEN = 400

/** With more sets than this, the browser lays out only what is visible. */
const MANY = 200

/** Ids on the page contain no names. */
export const setId = (at: number): string => `set-${at + 1}`

/** The sets of a page, also of several organizations: deleted ones first. */
export const shownSets = ({ sets }: Pick<View, 'sets'>): readonly SetView[] =>
  sets.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_SETS)

interface Card {
  readonly set: SetView
  readonly id: string
}

export function setsSection(view: View): Markup | undefined {
  const sets = shownSets(view)
  if (sets.length === 0) return undefined
  const groups = groupedBy(
    sets.map((set, at): Card => ({ set, id: setId(at) })),
    ({ set }) => sameOf(set),
  )
  const entries = groups.reduce((sum, [first]) => sum + first.set.changes.length, 0)
  return html`${controls(sets)}
<div class="${groups.length > MANY ? 'sets many' : 'sets'}">
${groups.map(group => cardMarkup(group, entries <= MOST_OPEN))}</div>
<p id="none" hidden>No set matches.</p>
${notShown(view.sets.length - sets.length, 'more set')}`
}

export const notShown = (left: number, noun: string): Markup | false =>
  left > 0 && html`<p class="cut">${counted(left, noun)} not shown on this page; see the JSON report.</p>`

/** Hidden until the script makes them work. */
function controls(sets: readonly SetView[]): Markup {
  const counts = new Map<FilterKind, number>()
  for (const set of sets) for (const kind of kindsOfSet(set)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const boxes = KINDS.filter(kind => counts.has(kind)).map(
    kind =>
      html`<label class="pill"><input type="checkbox" name="kind" value="${kind}"> ${KIND_WORDS[kind] ?? kind} <span class="count">${counts.get(kind)}</span></label>\n`,
  )
  return html`<form id="controls" class="controls" role="search" hidden>
<div class="find"><label for="find">Search names, keys, values and places</label>
<input id="find" type="search" autocomplete="off" spellcheck="false" aria-describedby="keys" placeholder="Search"><span id="keys" class="quiet">/ to search, Escape to clear</span></div>
<div class="buttons"><button type="button" id="open">Open all</button> <button type="button" id="close">Close all</button></div>
<fieldset><legend>Show only</legend>
${boxes}</fieldset>
<p id="shown" role="status" class="quiet"></p>
</form>
`
}

/** All that is shown of a set except its name and places: equal sets share a card. */
function sameOf({ sign, what, notes, status, changes, previousName }: SetView): string | undefined {
  if (previousName !== undefined || changes.length === 0) return undefined
  const seen = changes.map(({ source: _, steps: __, ...change }) => change)
  return JSON.stringify([sign, what, notes, status, seen])
}

/** One card for a set, or for several to which the same happens. */
function cardMarkup(group: readonly Card[], open: boolean): Markup {
  const [first] = group
  if (first === undefined) return html``
  const { set, id } = first
  const many = group.length > 1
  const old = set.previousName !== undefined && html`<code class="old">${set.previousName}</code> ${BECOMES} `
  const serviceName = many ? html`${counted(group.length, 'set')}` : html`${old}<code>${set.name}</code>`
  const title = html`${sign(set.sign, `${many ? 'sets' : 'set'} ${SET_WORD[set.sign]}`)}<h3>${serviceName}</h3>`
  const notes =
    set.notes.length > 0 &&
    html`<span class="notes">${joinedMarkup(
      set.notes.map(one => phraseMarkup(one)),
      ' · ',
    )}</span>`
  const where = many ? html`<span class="where"></span>` : whereMarkup(set)
  const status = set.status !== 'planned' && html` ${statusMarkup(set.status)}`
  const head = html`${title}<span class="what">${many && 'each: '}${phraseMarkup(set.what)}</span>${notes}${where}${status}`
  const which = many ? html`data-sets="${group.length}"` : html`id="${id}"`
  const article = html`<article class="set" ${which} data-kinds="${kindsOfSet(set).join(' ')}">`
  if (set.changes.length === 0) return html`${article}<div class="head">${head}</div></article>\n`
  const members = group.map(
    ({ set: one, id }) => html`<li id="${id}"><code>${one.name}</code>${whereMarkup(one)}</li>\n`,
  )
  const entries = set.changes.map(({ source, ...change }) =>
    entryMarkup(many ? change : { ...change, source }, set),
  )
  return html`${article}<details${open && !set.folded && ' open'}><summary class="head">${head}</summary>
${many && html`<ul class="members">\n${members}</ul>\n`}<ul class="entries">
${entries}</ul></details></article>
`
}

const BECOMES = html`<span aria-hidden="true">→</span><span class="ear">becomes</span>`

const whereMarkup = ({ source }: SetView) =>
  source && html`<span class="where">${phraseMarkup([place(source)])}</span>`

export const SET_WORD = { '+': 'created', '~': 'changed', '-': 'deleted' } as const

/** One entry of a set: its sign, label, both values and notes. */
function entryMarkup(change: Change, set: SetView): Markup {
  const { source, status } = change
  const kinds = kindsOfChange(change, set)
  const ended = status !== 'planned' && status !== set.status && statusMarkup(status)
  const where =
    source &&
    source.line !== set.source?.line &&
    html`<div class="where">${phraseMarkup([place(source)])}</div>`
  const sides = change.kind === 'assignment' ? namesMarkup(change) : valuesMarkup(change)
  return html`<li class="entry" data-kinds="${kinds.join(' ')}">${signMarkup(change, set)}<div class="about">${phraseMarkup(labelOf(change))}</div><div class="sides">${sides}${notesMarkup(change)} ${ended}</div>${where}${linesMarkup(change)}</li>
`
}

export const statusMarkup = (status: Change['status'] | EndRow['status']): Markup =>
  html`<strong class="status ${status}">${status}</strong>`

export const SIGN_CLASS = { '+': 'plus', '-': 'minus', '~': 'tilde' } as const

/** A sign to see and a word to hear, so that colour adds no information. */
const sign = (change: Change['sign'], word: string): Markup =>
  html`<span class="sign ${SIGN_CLASS[change]}"><span aria-hidden="true">${change}</span><span class="ear">${word}: </span></span>`

function signMarkup(change: Change, set: SetView): Markup {
  if (change.kind === 'assignment')
    return sign(change.sign, change.sign === '-' || set.sign === '-' ? 'unassigned' : 'assigned')
  return sign(change.sign, SET_WORD[change.sign])
}

const MOST_NAMES = 200

function namesMarkup({ named }: AssignmentChange): Markup {
  const shown = named.slice(0, MOST_NAMES).map(target => phraseMarkup([name(target.name)]))
  const left = named.length - shown.length
  const more = left > 0 && html` and ${figure(left)} more`
  if (named.length <= 12) return joinedMarkup(shown, ', ')
  return html`<details class="names"><summary>${joinedMarkup(shown.slice(0, 8), ', ')} and ${named.length - 8} more</summary>${joinedMarkup(shown.slice(8), ', ')}${more}</details>`
}

function valuesMarkup({ before, after, ...change }: SettingChange | VariableChange): Markup | false {
  if (change.lines !== undefined) return html`<span class="quiet">${lineCount(change.lines).text}</span>`
  const old = before.kind !== 'absent' && html`<del>${shownMarkup(before)}</del>`
  if (after.kind === 'absent' || (after.kind === 'external' && !old)) return old
  const fresh = html`<ins>${shownMarkup(after)}</ins>`
  if (!old) return fresh
  return html`${old} <span class="arrow" aria-hidden="true">→</span><span class="ear">becomes</span> ${fresh}`
}

function shownMarkup(shown: ShownValue): Markup {
  const { said, version, style } = wordsOf(shown)
  const words = phraseMarkup(say`${said}${version}`)
  return style === undefined
    ? words
    : html`<span class="${style === 'dim' ? 'quiet' : 'secret'}">${words}</span>`
}

function notesMarkup(change: Change): Markup | undefined {
  if (change.notes.length === 0) return undefined
  const grave = change.kind === 'variable' && change.loss !== undefined ? ' grave' : ''
  return html` <span class="notes${grave}">${joinedMarkup(
    change.notes.map(one => phraseMarkup(one)),
    ' · ',
  )}</span>`
}

const linesMarkup = (change: Change) =>
  change.kind === 'variable' &&
  change.lines !== undefined &&
  change.lines.hunks.length > 0 &&
  html`<pre class="lines" tabindex="0" role="group" aria-label="Lines that differ">${hunkMarkup(change.lines)}</pre>`

/** Each line keeps its sign, for reading, copying and printing without colour. */
function hunkMarkup({ hunks, left }: LineDifference): Markup {
  const lines = hunks.map((hunk, at) => {
    const changed = hunk.map(({ sign: mark, text }) => {
      if (mark === '+') return html`<ins>+ ${text}\n</ins>`
      return mark === '-' ? html`<del>- ${text}\n</del>` : html`<span>${mark} ${text}\n</span>`
    })
    return html`${at > 0 && html`<span class="quiet">  …\n</span>`}${changed}`
  })
  const more = left > 0 && html`<span class="quiet">  … and ${counted(left, 'changed line')} more</span>`
  return html`${lines}${more}`
}
