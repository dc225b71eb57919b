import { type Diagnostic, type SourceRange, sortDiagnostics } from '../../model/diagnostic.ts'
import { spot } from '../phrase.ts'
import type { Total } from '../totals.ts'
import { EMPTY, html, type Markup } from './markup.ts'
import { phraseMarkup } from './phrase.ts'

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

/** What is not shown one by one. */
export function totalsSection(totals: readonly Total[]): Markup {
  if (totals.length === 0) return EMPTY
  const items = totals.map(
    ({ label, phrase }) => html`<div><dt>${label}</dt><dd>${phraseMarkup(phrase)}</dd></div>\n`,
  )
  return html`<section aria-labelledby="totals">
<h2 id="totals" tabindex="-1">In figures</h2>
<dl class="totals">
${items}</dl>
</section>
`
}
