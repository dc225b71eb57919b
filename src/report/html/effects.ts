import type { EffectsView } from '../effects.ts'
import { counted } from '../phrase.ts'
import { EMPTY, html, type Markup } from './markup.ts'
import { phraseMarkup } from './phrase.ts'

/** More groups than anybody reads in one place. */
const MOST_GROUPS = 300

/** What workspaces see otherwise, by who sees it: where another set wins first, for no set shows that by itself. */
export function effectsSection(effects: EffectsView | undefined): Markup {
  if (effects === undefined) return EMPTY
  const groups = effects.groups.slice(0, MOST_GROUPS)
  const left = effects.groups.length - groups.length
  const items = groups.map(
    ({ who, effects: seen }) =>
      html`<li><strong>${phraseMarkup(who)}</strong><ul>${seen.map(one => html`<li>${phraseMarkup(one)}</li>`)}</ul></li>\n`,
  )
  const more =
    left === 0 ? EMPTY : html`<p class="cut">${counted(left, 'more group')} are left out of this page.</p>`
  const list = html`<details class="effects"><summary>${counted(effects.groups.length, 'group')} of workspaces, each with what it sees</summary>
<ul>
${items}</ul>${more}</details>
`
  return html`<section aria-labelledby="effects">
<h2 id="effects" tabindex="-1">What workspaces see</h2>
<p>${phraseMarkup(effects.headline)}.</p>
${said(effects.telling, 'heed', 'another set wins')}${said(effects.notes, 'note', 'note')}${effects.groups.length === 0 ? EMPTY : list}</section>
`
}

const said = (phrases: EffectsView['notes'], style: string, tag: string): Markup =>
  phrases.length === 0
    ? EMPTY
    : html`<ul class="alerts">${phrases.map(phrase => html`<li class="${style}"><strong class="tag">${tag}</strong> <span>${phraseMarkup(phrase)}</span></li>`)}</ul>\n`
