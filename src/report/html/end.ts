import type { EndView } from '../end.ts'
import { figure, type Phrase, place } from '../phrase.ts'
import { EMPTY, html, type Markup } from './markup.ts'
import { phraseMarkup } from './phrase.ts'

/** How an apply ended: what is broken now and what to do next stand first, then step by step what did not go well. */
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
  const more =
    left === 0 ? EMPTY : html`<p class="cut">and ${figure(left)} more; the JSON report has all.</p>\n`
  return html`<div class="scroll" role="region" aria-labelledby="end" tabindex="0"><table class="rows">
<thead><tr><th scope="col">outcome</th><th scope="col">operation</th><th scope="col">why</th><th scope="col">where</th></tr></thead>
<tbody>
${shown}</tbody></table></div>
${more}`
}
