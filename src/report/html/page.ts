import { createHash } from 'node:crypto'
import { shortDigest } from '../../plan/plan.ts'
import type { Reach } from '../../plan/reach.ts'
import { type Alert, isGrave } from '../alert.ts'
import { sealLines } from '../neutralise.ts'
import { counted, figure, name, shortTime } from '../phrase.ts'
import type { View } from '../view.ts'
import { EMPTY, html, joinedMarkup, type Markup, ours, phraseMarkup } from './markup.ts'
import { matrixSection } from './matrix.ts'
import { reachOfViews } from './matrix-model.ts'
import { SCRIPT } from './script.ts'
import { effectsSection, endSection, totalsSection, warningsSection } from './sections.ts'
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
    { id: 'first', title: 'Review first', markup: reviewSection(view) },
    { id: 'end', title: 'How it ended', markup: endSection(view.end) },
    { id: 'sets', title: 'Sets', markup: setsSection(view) },
    { id: 'effects', title: 'Effect on workspaces', markup: effectsSection(view.effects) },
    { id: 'reach', title: 'Where each set applies', markup: reachSection(view, reach) },
    { id: 'warnings', title: 'Warnings', markup: warningsSection(view.warnings) },
    { id: 'totals', title: 'Totals', markup: totalsSection(view.totals) },
  ].filter(({ markup }) => markup !== EMPTY)
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
${sections.map(({ markup }) => markup)}</main>
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

function verdict({ approve, end }: View): Markup {
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
  return html`<section aria-labelledby="first">
<h2 id="first" tabindex="-1">Review first</h2>
${listMarkup(shown)}${rest}</section>
`
}

const listMarkup = (alerts: readonly Alert[]): Markup => html`<ul class="alerts">
${alerts.map(
  alert =>
    html`<li class="${isGrave(alert) ? 'grave' : 'heed'}"><strong class="tag">${alert.kind}</strong> <span>${phraseMarkup(alert.phrase)}</span></li>\n`,
)}</ul>
`
