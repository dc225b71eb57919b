import type {
  AssignmentChange,
  Change,
  SettingChange,
  SetView,
  ShownValue,
  VariableChange,
} from '../change.ts'
import type { LineDifference } from '../line-diff.ts'
import { labelOf, lineCount, sizeText } from '../lines.ts'
import { counted, groupedBy, name, place } from '../phrase.ts'
import { rankOf } from '../sets.ts'
import type { View } from '../view.ts'
import { type FilterKind, KIND_WORDS, KINDS, kindsOfChange, kindsOfSet } from './kinds.ts'
import { EMPTY, html, joinedMarkup, type Markup, phraseMarkup } from './markup.ts'

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

/** A set with its id on the page. */
interface Card {
  readonly set: SetView
  readonly id: string
}

export function setsSection(view: View): Markup {
  const sets = shownSets(view)
  if (sets.length === 0) return EMPTY
  const groups = groupedBy(
    sets.map((set, at): Card => ({ set, id: setId(at) })),
    ({ set }) => sameOf(set),
  )
  const entries = groups.reduce((sum, [first]) => sum + (first?.set.changes.length ?? 0), 0)
  const left = view.sets.length - sets.length
  const cut =
    left === 0
      ? EMPTY
      : html`<p class="cut">${counted(left, 'more set')} not shown on this page; see the JSON report.</p>`
  return html`${controls(sets)}
<div class="${groups.length > MANY ? 'sets many' : 'sets'}">
${groups.map(group => cardMarkup(group, entries <= MOST_OPEN))}</div>
<p id="none" hidden>No set matches.</p>
${cut}`
}

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
  const seen = changes.map(({ source: _, operations: __, ...change }) => change)
  return JSON.stringify([sign, what, notes, status, seen])
}

/** One card for a set, or for several to which the same happens. */
function cardMarkup(group: readonly Card[], open: boolean): Markup {
  const [first] = group
  if (first === undefined) return EMPTY
  const { set, id } = first
  const many = group.length > 1
  const old =
    set.previousName === undefined
      ? EMPTY
      : html`<code class="old">${set.previousName}</code> <span aria-hidden="true">→</span><span class="ear">becomes</span> `
  const called = many ? html`${counted(group.length, 'set')}` : html`${old}<code>${set.name}</code>`
  const title = html`${sign(set.sign, `${many ? 'sets' : 'set'} ${SET_WORD[set.sign]}`)}<h3>${called}</h3>`
  const where = many ? html`<span class="where"></span>` : whereMarkup(set)
  const head = html`${title}<span class="what">${many ? 'each: ' : ''}${phraseMarkup(set.what)}</span>${setNotesMarkup(set)}${where}${statusOf(set)}`
  const which = many ? html`data-sets="${group.length}"` : html`id="${id}"`
  const article = html`<article class="set" ${which} data-kinds="${kindsOfSet(set).join(' ')}">`
  if (set.changes.length === 0) return html`${article}<div class="head">${head}</div></article>\n`
  const members = group.map(
    ({ set: one, id }) => html`<li id="${id}"><code>${one.name}</code>${whereMarkup(one)}</li>\n`,
  )
  const entries = set.changes.map(({ source, ...change }) =>
    entryMarkup(many ? change : { ...change, source }, set),
  )
  return html`${article}<details${open && !set.folded ? html` open` : EMPTY}><summary class="head">${head}</summary>
${many ? html`<ul class="members">\n${members}</ul>\n` : EMPTY}<ul class="entries">
${entries}</ul></details></article>
`
}

const statusOf = (set: SetView): Markup =>
  set.status === 'planned' ? EMPTY : html` ${statusMarkup(set.status)}`

const whereMarkup = ({ source }: SetView): Markup =>
  source === undefined ? EMPTY : html`<span class="where">${phraseMarkup([place(source)])}</span>`

const setNotesMarkup = ({ notes }: SetView): Markup =>
  notes.length === 0
    ? EMPTY
    : html`<span class="notes">${joinedMarkup(notes.map(phraseMarkup), ' · ')}</span>`

const SET_WORD = { '+': 'created', '~': 'changed', '-': 'deleted' } as const

/** One entry of a set: its sign, label, both values and notes. */
function entryMarkup(change: Change, set: SetView): Markup {
  const kinds = kindsOfChange(change, set)
  const ended =
    change.status === 'planned' || change.status === set.status ? EMPTY : statusMarkup(change.status)
  const where =
    change.source === undefined || change.source.line === set.source?.line
      ? EMPTY
      : html`<div class="where">${phraseMarkup([place(change.source)])}</div>`
  return html`<li class="entry" data-kinds="${kinds.join(' ')}">${signMarkup(change, set)}<div class="about">${phraseMarkup(labelOf(change))}</div><div class="sides">${sidesMarkup(change)}${notesMarkup(change)} ${ended}</div>${where}${linesMarkup(change)}</li>
`
}

const statusMarkup = (status: Change['status']): Markup =>
  html`<strong class="status ${status}">${status}</strong>`

const SIGN_CLASS = { '+': 'plus', '-': 'minus', '~': 'tilde' } as const

/** A sign to see and a word to hear, so that colour adds no information. */
const sign = (change: Change['sign'], word: string): Markup =>
  html`<span class="sign ${SIGN_CLASS[change]}"><span aria-hidden="true">${change}</span><span class="ear">${word}: </span></span>`

function signMarkup(change: Change, set: SetView): Markup {
  if (change.kind === 'assignment')
    return sign(change.sign, change.sign === '-' || set.sign === '-' ? 'unassigned' : 'assigned')
  return sign(change.sign, { '+': 'created', '-': 'deleted', '~': 'changed' }[change.sign])
}

const sidesMarkup = (change: Change): Markup =>
  change.kind === 'assignment' ? namesMarkup(change) : valuesMarkup(change)

/** More would make the list unreadable. */
const MOST_NAMES = 200

function namesMarkup({ names }: AssignmentChange): Markup {
  const shown = names.slice(0, MOST_NAMES).map(text => phraseMarkup([name(text)]))
  const left = names.length - shown.length
  const more = left === 0 ? EMPTY : html` and ${left.toLocaleString('en-US')} more`
  if (names.length <= 12) return joinedMarkup(shown, ', ')
  return html`<details class="names"><summary>${joinedMarkup(shown.slice(0, 8), ', ')} and ${names.length - 8} more</summary>${joinedMarkup(shown.slice(8), ', ')}${more}</details>`
}

function valuesMarkup({ before, after, ...change }: SettingChange | VariableChange): Markup {
  if (change.lines !== undefined) return html`<span class="quiet">${lineCount(change.lines).text}</span>`
  const old = before.kind === 'absent' ? EMPTY : html`<del>${shownMarkup(before)}</del>`
  if (after.kind === 'absent' || (after.kind === 'external' && before.kind === 'absent')) return old
  if (before.kind === 'absent') return html`<ins>${shownMarkup(after)}</ins>`
  return html`${old} <span class="arrow" aria-hidden="true">→</span><span class="ear">becomes</span> <ins>${shownMarkup(after)}</ins>`
}

function shownMarkup(shown: ShownValue): Markup {
  switch (shown.kind) {
    case 'absent':
      return EMPTY
    case 'text':
      return html`<code>${shown.text === '' ? '""' : shown.text}</code>`
    case 'size':
      return html`<span class="quiet">${sizeText(shown.bytes)}, ${counted(shown.lines, 'line')}</span>`
    case 'secret': {
      const which = shown.secret === undefined ? EMPTY : html` <code>${shown.secret}</code>`
      const version = shown.version === undefined ? EMPTY : html` version <code>${shown.version}</code>`
      return html`<span class="secret">secret${which}${version}</span>`
    }
    case 'hidden':
      return html`<span class="quiet">not shown</span>`
    case 'external':
      return html`<span class="quiet">external</span>`
    case 'owner':
      return shown.project === undefined
        ? html`organization`
        : html`project ${phraseMarkup([name(shown.project)])}`
  }
}

function notesMarkup(change: Change): Markup {
  if (change.notes.length === 0) return EMPTY
  const grave = change.kind === 'variable' && change.irreversible ? ' grave' : ''
  return html` <span class="notes${grave}">${joinedMarkup(change.notes.map(phraseMarkup), ' · ')}</span>`
}

const linesMarkup = (change: Change): Markup =>
  change.kind !== 'variable' || change.lines === undefined || change.lines.hunks.length === 0
    ? EMPTY
    : html`<pre class="lines" tabindex="0" role="group" aria-label="Lines that differ">${hunkMarkup(change.lines)}</pre>`

/** Each line keeps its sign, for reading, copying and printing without colour. */
function hunkMarkup({ hunks, left }: LineDifference): Markup {
  const lines = hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [html`<span class="quiet">  …\n</span>`]),
    ...hunk.map(({ sign: mark, text }) =>
      mark === '+'
        ? html`<ins>+ ${text}\n</ins>`
        : mark === '-'
          ? html`<del>- ${text}\n</del>`
          : html`<span>${mark} ${text}\n</span>`,
    ),
  ])
  const more =
    left === 0 ? EMPTY : html`<span class="quiet">  … and ${counted(left, 'changed line')} more</span>`
  return html`${lines}${more}`
}
