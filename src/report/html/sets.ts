import { counted, place } from '../phrase.ts'
import type { SetView } from '../sets.ts'
import type { View } from '../view.ts'
import { entryMarkup, sign, statusMarkup } from './entry.ts'
import { KIND_WORDS, KINDS, type Kind, kindsOfSet } from './kinds.ts'
import { EMPTY, html, joinedMarkup, type Markup } from './markup.ts'
import { phraseMarkup } from './phrase.ts'

/** Sets with their entries; a page of more is none that anybody reads, or that a browser likes. */
const MOST_SETS = 2_000
/** Above so many entries the sets stand closed at first. */
const MOST_OPEN = 400

/** Above so many sets a browser lays out only what is in sight. */
const MANY = 200

/** Ids of the page hold nothing of anybody's names. */
export const setId = (at: number): string => `set-${at + 1}`

/** The sets of a page, and how many are left out: what destroys is kept first. */
export function shownSets({ sets }: View): readonly SetView[] {
  if (sets.length <= MOST_SETS) return sets
  const rank = { '-': 0, '~': 1, '+': 2 }
  const kept = new Set(sets.toSorted((a, b) => rank[a.sign] - rank[b.sign]).slice(0, MOST_SETS))
  return sets.filter(set => kept.has(set))
}

export function setsSection(view: View): Markup {
  const sets = shownSets(view)
  if (sets.length === 0) return EMPTY
  const entries = sets.reduce((sum, set) => sum + set.changes.length, 0)
  const left = view.sets.length - sets.length
  const cut =
    left === 0
      ? EMPTY
      : html`<p class="cut">${counted(left, 'more set')} are left out of this page; the JSON report has all.</p>`
  return html`<section aria-labelledby="sets">
<h2 id="sets" tabindex="-1">Sets</h2>
${controls(sets)}
<div class="${sets.length > MANY ? 'sets many' : 'sets'}">
${sets.map((set, at) => setMarkup(set, setId(at), entries <= MOST_OPEN))}</div>
<p id="none" hidden>Nothing here is of that kind.</p>
${cut}</section>
`
}

/** Made useful by the script; without it they would promise what they cannot do. */
function controls(sets: readonly SetView[]): Markup {
  const counts = new Map<Kind, number>()
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

const SET_WORD = { '+': 'created', '~': 'changed', '-': 'deleted' } as const

function setMarkup(set: SetView, id: string, open: boolean): Markup {
  const old =
    set.previousName === undefined
      ? EMPTY
      : html`<code class="old">${set.previousName}</code> <span aria-hidden="true">→</span><span class="ear">becomes</span> `
  const title = html`${sign(set.sign, `set ${SET_WORD[set.sign]}`)}<h3>${old}<code>${set.name}</code></h3>`
  const status = set.status === 'planned' ? EMPTY : html` ${statusMarkup(set.status)}`
  const where =
    set.source === undefined ? EMPTY : html`<span class="where">${phraseMarkup([place(set.source)])}</span>`
  const notes =
    set.notes.length === 0
      ? EMPTY
      : html`<span class="notes">${joinedMarkup(set.notes.map(phraseMarkup), ' · ')}</span>`
  const head = html`${title}<span class="what">${phraseMarkup(set.what)}</span>${notes}${where}${status}`
  const kinds = kindsOfSet(set).join(' ')
  if (set.changes.length === 0)
    return html`<article class="set" id="${id}" data-kinds="${kinds}"><div class="head">${head}</div></article>\n`
  const isOpen = open && !set.folded ? html` open` : EMPTY
  return html`<article class="set" id="${id}" data-kinds="${kinds}"><details${isOpen}><summary class="head">${head}</summary>
<ul class="entries">
${set.changes.map(change => entryMarkup(change, set))}</ul></details></article>
`
}
