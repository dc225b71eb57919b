import { createHash } from 'node:crypto'
import { type Diagnostic, type SourceRange, sortDiagnostics } from '../../model/diagnostic.ts'
import { shortDigest } from '../../plan/plan.ts'
import type { Reach } from '../../plan/reach.ts'
import { type Alert, isGrave } from '../alert.ts'
import type { EffectsView } from '../effects.ts'
import type { EndView } from '../end.ts'
import { sealLines } from '../neutralise.ts'
import { counted, FORBIDDEN_NEXT, figure, name, type Phrase, place, shortTime, spot } from '../phrase.ts'
import type { Total } from '../totals.ts'
import type { View } from '../view.ts'
import { EMPTY, html, joinedMarkup, type Markup, ours, phraseMarkup } from './markup.ts'
import { matrixSection } from './matrix.ts'
import { reachOfViews } from './matrix-model.ts'
import { SCRIPT } from './script.ts'
import { setsSection, shownSets } from './sets.ts'
import { STYLE } from './style.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page may use only its own style and script, and load nothing. */
const policy = (): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/**
 * The report as one self-contained file. It can be read without scripts; the script only searches, filters, opens and
 * closes.
 */
export function renderHtml(view: View, reach?: Reach): string {
  const sections = [
    { id: 'first', title: 'Review first', inside: reviewSection(view) },
    { id: 'end', title: 'How it ended', inside: endSection(view.end) },
    { id: 'sets', title: 'Sets', inside: setsSection(view) },
    { id: 'effects', title: 'Effect on workspaces', inside: effectsSection(view.effects) },
    { id: 'reach', title: 'Where each set applies', inside: reachSection(view, reach) },
    { id: 'warnings', title: 'Warnings', inside: warningsSection(view.warnings) },
    { id: 'totals', title: 'Totals', inside: totalsSection(view.totals) },
  ].filter(({ inside }) => inside !== EMPTY)
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${ours(policy())}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${titleOf(view)}</title>
<style>${ours(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
${headerMarkup(view)}${sections.length < 2 ? EMPTY : html`<nav aria-label="Sections"><ul>${links}</ul></nav>\n`}<main id="main" tabindex="-1">
${sections.map(({ id, title, inside }) => html`<section aria-labelledby="${id}">\n<h2 id="${id}" tabindex="-1">${title}</h2>\n${inside}</section>\n`)}</main>
<script>${ours(SCRIPT)}</script>
</body>
</html>
`
  return sealLines(page.toString())
}

function reachSection(view: View, reach: Reach | undefined): Markup {
  const note = [
    ...(view.kind === 'apply' ? ['As planned. How each set ended is shown above.'] : []),
    ...(reach === undefined
      ? ['Only the assignments that this plan changes; a saved plan does not contain the others.']
      : []),
    ...(reach?.claimed === true && Object.keys(reach.projectOf).length > 0
      ? ['Workspaces of a project come from the directory file and were not checked with the service.']
      : []),
  ].join(' ')
  return matrixSection(reach ?? reachOfViews(view.sets), view.sets, { shown: shownSets(view), note })
}

const TITLES = { plan: 'Plan', drift: 'Drift', apply: 'Apply' } as const

/** The title of the window: `Plan acme/platform`. */
const titleOf = ({ kind, organization, owner }: View): string =>
  `${TITLES[kind]} ${organization}${owner === undefined ? '' : `/${owner}`} - Setpoint`

/** The kind of report, its subject and its result. */
function headerMarkup(view: View): Markup {
  const { kind, organization, owner, address, digest } = view
  const where = [
    html`<strong>${phraseMarkup([name(organization)])}</strong> at ${address === 'SANDBOX' ? html`<strong class="sandbox">SANDBOX</strong>` : html`<code>${address}</code>`}`,
    ...(owner === undefined ? [] : [html`owner ${phraseMarkup([name(owner)])}`]),
    ...(view.at === undefined
      ? []
      : [html`planned <time datetime="${view.at}">${shortTime(view.at)}</time>`]),
    html`${phraseMarkup(view.requests)}`,
  ]
  return html`<header>
<p class="kind">Setpoint ${TITLES[kind].toLowerCase()}${digest === undefined ? EMPTY : html` <code class="digest">${kind === 'plan' ? digest : shortDigest(digest)}</code>`}</p>
<h1>${phraseMarkup(view.headline)}</h1>
<p class="where">${joinedMarkup(where, ' · ')}</p>
${verdict(view)}${counts(view)}</header>
`
}

function verdict({ approve, forbidden, end }: View): Markup {
  if (forbidden)
    return html`<p class="verdict bad"><strong>Forbidden</strong> by rules. ${FORBIDDEN_NEXT}</p>\n`
  if (approve !== undefined)
    return html`<p class="verdict bad"><strong>Blocked</strong> After review, approve exactly this plan: ${phraseMarkup(approve)}</p>\n`
  if (end === undefined) return EMPTY
  return end.ok
    ? html`<p class="verdict good"><strong>Done</strong></p>\n`
    : html`<p class="verdict bad"><strong>Incomplete</strong> ${end.exit === undefined ? EMPTY : phraseMarkup(end.exit)}</p>\n`
}

/** Not for an incomplete apply, where the planned numbers would mislead. */
function counts({ sets, cost, end }: View): Markup {
  if (sets.length === 0 || end?.ok === false) return EMPTY
  const count = (sign: string): number => sets.filter(set => set.sign === sign).length
  const tiles = [
    { mark: '+', word: 'created', style: 'plus', many: count('+') },
    { mark: '~', word: 'changed', style: 'tilde', many: count('~') },
    { mark: '−', word: 'deleted', style: 'minus', many: count('-') },
  ].filter(({ many }) => many > 0)
  const shown = tiles.map(
    ({ mark, word, style, many }) =>
      html`<li class="${style}"><span aria-hidden="true">${mark}</span> <strong>${figure(many)}</strong> ${word}</li>`,
  )
  const requests = cost.length === 0 ? EMPTY : html`<li>${phraseMarkup(cost)}</li>`
  return html`<ul class="counts" aria-label="Sets by what happens to them">${shown}${requests}</ul>\n`
}

/** More would make the page unreadable. */
const MOST_ALERTS = 1_000

/** *Review first*, with all findings to open below it. */
function reviewSection({ review: { shown, every, more } }: View): Markup {
  if (shown.length === 0) return EMPTY
  const left = every.length - MOST_ALERTS
  const cut = left > 0 ? html`<p class="cut">${counted(left, 'more finding')} in the JSON report.</p>` : EMPTY
  const rest =
    more === undefined
      ? EMPTY
      : html`<details class="effects"><summary>Each of the ${counted(every.length, 'finding')}</summary>
${listMarkup(every.slice(0, MOST_ALERTS))}${cut}</details>
`
  return html`${listMarkup(shown)}${rest}`
}

const listMarkup = (alerts: readonly Alert[]): Markup => html`<ul class="alerts">
${alerts.map(alert => item(isGrave(alert) ? 'grave' : 'heed', alert.kind, alert.phrase))}</ul>
`

/** How an apply ended: what is broken and what to do next, then the steps that did not succeed. */
function endSection(end: EndView | undefined): Markup {
  if (end === undefined) return EMPTY
  const said = [
    ...end.broken.map(phrase => item('grave', 'broken now', phrase)),
    ...labelled('stopped', end.stopped),
    ...labelled('closing read', end.closing),
    ...labelled('next', end.next),
  ]
  if (said.length === 0 && end.rows.length === 0) return EMPTY
  return html`${said.length === 0 ? EMPTY : html`<ul class="alerts">\n${said}</ul>\n`}${rowsMarkup(end)}`
}

const labelled = (label: string, phrase: Phrase | undefined): Markup[] =>
  phrase === undefined ? [] : [item('heed', label, phrase)]

const item = (style: string, tag: string, phrase: Phrase): Markup =>
  html`<li class="${style}"><strong class="tag">${tag}</strong> <span>${phraseMarkup(phrase)}</span></li>\n`

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
function effectsSection(effects: EffectsView | undefined): Markup {
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
  return html`<p>${phraseMarkup(effects.headline)}.</p>
${said(effects.telling, 'heed', 'another set wins')}${said(effects.notes, 'note', 'note')}${effects.groups.length === 0 ? EMPTY : list}`
}

const said = (phrases: EffectsView['notes'], style: string, tag: string): Markup =>
  phrases.length === 0
    ? EMPTY
    : html`<ul class="alerts">${phrases.map(phrase => html`<li class="${style}"><strong class="tag">${tag}</strong> <span>${phraseMarkup(phrase)}</span></li>`)}</ul>\n`

function warningsSection(warnings: readonly Diagnostic[]): Markup {
  if (warnings.length === 0) return EMPTY
  const items = sortDiagnostics(warnings).map(
    ({ severity, code, message, hint, source }) =>
      html`<li class="heed"><strong class="tag">${severity}</strong> <span>${at(source)}<strong>${code}</strong><br>${lines(message)}${hint === undefined ? EMPTY : html`<br>${lines(hint)}`}</span></li>\n`,
  )
  return html`<ul class="alerts">
${items}</ul>
`
}

const at = (source: SourceRange | undefined): Markup =>
  source === undefined ? EMPTY : html`${phraseMarkup([spot(source)])} `

const lines = (text: string): Markup =>
  html`${text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`

/** What is counted instead of listed. */
function totalsSection(totals: readonly Total[]): Markup {
  if (totals.length === 0) return EMPTY
  const items = totals.map(
    ({ label, phrase }) => html`<div><dt>${label}</dt><dd>${phraseMarkup(phrase)}</dd></div>\n`,
  )
  return html`<dl class="totals">
${items}</dl>
`
}
