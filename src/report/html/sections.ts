import { type Diagnostic, type SourceRange, sortDiagnostics } from '../../model/diagnostic.ts'
import type { EffectsView } from '../effects.ts'
import type { EndView } from '../end.ts'
import { counted, figure, type Phrase, place, spot } from '../phrase.ts'
import type { Total } from '../totals.ts'
import { EMPTY, html, type Markup, phraseMarkup } from './markup.ts'

/** How an apply ended: what is broken and what to do next, then the steps that did not succeed. */
export function endSection(end: EndView | undefined): Markup {
  if (end === undefined) return EMPTY
  const said = [
    ...end.broken.map(
      phrase =>
        html`<li class="grave"><strong class="tag">broken now</strong> <span>${phraseMarkup(phrase)}</span></li>\n`,
    ),
    ...labelled('stopped', end.stopped),
    ...labelled('closing read', end.closing),
    ...labelled('next', end.next),
  ]
  if (said.length === 0 && end.rows.length === 0) return EMPTY
  return html`<section aria-labelledby="end">
<h2 id="end" tabindex="-1">How it ended</h2>
${said.length === 0 ? EMPTY : html`<ul class="alerts">\n${said}</ul>\n`}${rowsMarkup(end)}</section>
`
}

const labelled = (label: string, phrase: Phrase | undefined): Markup[] =>
  phrase === undefined
    ? []
    : [
        html`<li class="heed"><strong class="tag">${label}</strong> <span>${phraseMarkup(phrase)}</span></li>\n`,
      ]

function rowsMarkup({ rows, left }: EndView): Markup {
  if (rows.length === 0) return EMPTY
  const shown = rows.map(
    ({ status, operation, reason, source }) =>
      html`<tr><th scope="row"><strong class="status ${status}">${status}</strong></th><td>${phraseMarkup(operation)}</td><td>${phraseMarkup(reason)}</td><td>${source === undefined ? EMPTY : phraseMarkup([place(source)])}</td></tr>\n`,
  )
  const more = left === 0 ? EMPTY : html`<p class="cut">and ${figure(left)} more; see the JSON report.</p>\n`
  return html`<div class="scroll" role="region" aria-labelledby="end" tabindex="0"><table class="rows">
<thead><tr><th scope="col">outcome</th><th scope="col">operation</th><th scope="col">why</th><th scope="col">where</th></tr></thead>
<tbody>
${shown}</tbody></table></div>
${more}`
}

/** More would make the section unreadable. */
const MOST_GROUPS = 300

/** Effects on workspaces. Places where another set wins come first, because no set shows them. */
export function effectsSection(effects: EffectsView | undefined): Markup {
  if (effects === undefined) return EMPTY
  const groups = effects.groups.slice(0, MOST_GROUPS)
  const left = effects.groups.length - groups.length
  const items = groups.map(
    ({ who, effects: seen }) =>
      html`<li><strong>${phraseMarkup(who)}</strong><ul>${seen.map(one => html`<li>${phraseMarkup(one)}</li>`)}</ul></li>\n`,
  )
  const more =
    left === 0
      ? EMPTY
      : html`<p class="cut">${counted(left, 'more group')} not shown on this page; see the JSON report.</p>`
  const list = html`<details class="effects"><summary>${counted(effects.groups.length, 'group')} of workspaces and their effects</summary>
<ul>
${items}</ul>${more}</details>
`
  return html`<section aria-labelledby="effects">
<h2 id="effects" tabindex="-1">Effect on workspaces</h2>
<p>${phraseMarkup(effects.headline)}.</p>
${said(effects.telling, 'heed', 'another set wins')}${said(effects.notes, 'note', 'note')}${effects.groups.length === 0 ? EMPTY : list}</section>
`
}

const said = (phrases: EffectsView['notes'], style: string, tag: string): Markup =>
  phrases.length === 0
    ? EMPTY
    : html`<ul class="alerts">${phrases.map(phrase => html`<li class="${style}"><strong class="tag">${tag}</strong> <span>${phraseMarkup(phrase)}</span></li>`)}</ul>\n`

export function warningsSection(warnings: readonly Diagnostic[]): Markup {
  if (warnings.length === 0) return EMPTY
  const items = sortDiagnostics(warnings).map(
    ({ severity, code, message, hint, source }) =>
      html`<li class="heed"><strong class="tag">${severity}</strong> <span>${at(source)}<strong>${code}</strong><br>${lines(message)}${hint === undefined ? EMPTY : html`<br>${lines(hint)}`}</span></li>\n`,
  )
  return html`<section aria-labelledby="warnings">
<h2 id="warnings" tabindex="-1">Warnings</h2>
<ul class="alerts">
${items}</ul>
</section>
`
}

const at = (source: SourceRange | undefined): Markup =>
  source === undefined ? EMPTY : html`${phraseMarkup([spot(source)])} `

const lines = (text: string): Markup =>
  html`${text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`

/** What is counted instead of listed. */
export function totalsSection(totals: readonly Total[]): Markup {
  if (totals.length === 0) return EMPTY
  const items = totals.map(
    ({ label, phrase }) => html`<div><dt>${label}</dt><dd>${phraseMarkup(phrase)}</dd></div>\n`,
  )
  return html`<section aria-labelledby="totals">
<h2 id="totals" tabindex="-1">Totals</h2>
<dl class="totals">
${items}</dl>
</section>
`
}
