import { createHash } from 'node:crypto'
import { type Diagnostic, sortDiagnostics } from '../../model/diagnostic.ts'
import { shortDigest } from '../../plan/plan-data.ts'
import type { Reach } from '../../plan/reach.ts'
import type { EndView } from '../apply-summary.ts'
import { countsBySign } from '../change.ts'
import type { EffectsView } from '../effects.ts'
import { type Failure, type FailureReport, HEADLINES, reasonText } from '../failure-doc.ts'
import { GENERATOR } from '../marks.ts'
import { sealLines } from '../neutralise.ts'
import {
  counted,
  FORBIDDEN_NEXT,
  figure,
  name,
  type Phrase,
  place,
  present,
  shortTime,
  spot,
} from '../phrase.ts'
import { isGrave, type ToldFinding } from '../review.ts'
import type { Total } from '../totals.ts'
import type { View } from '../view.ts'
import { html, joinedMarkup, type Markup, ours, phraseMarkup } from './markup.ts'
import { matrixSection } from './matrix.ts'
import { reachOfViews } from './matrix-model.ts'
import { SCRIPT } from './script.ts'
import { notShown, SET_WORD, SIGN_CLASS, setsSection, shownSets, statusMarkup } from './set-section.ts'
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
export function renderHtml(view: View, reach?: Reach, failure?: Failure): string {
  return pageOf(titleOf(view), headerMarkup(view), [
    {
      id: 'failure',
      title: failure === undefined ? '' : HEADLINES[failure.command],
      inside: warningsSection(failure?.diagnostics ?? []),
    },
    { id: 'first', title: 'Review first', inside: reviewSection(view) },
    { id: 'end', title: 'How it ended', inside: endSection(view.end) },
    { id: 'sets', title: 'Sets', inside: setsSection(view) },
    { id: 'effects', title: 'Effect on workspaces', inside: effectsSection(view.effects) },
    { id: 'reach', title: 'Where each set applies', inside: reachSection(view, reach) },
    { id: 'warnings', title: 'Warnings', inside: warningsSection(view.warnings) },
    { id: 'totals', title: 'Totals', inside: totalsSection(view.totals) },
  ])
}

/** The page of a command that ended before it had a report. */
export function renderFailureHtml(failure: FailureReport): string {
  const { command, organization, exitCode, diagnostics } = failure
  const where = present(
    organization !== undefined && html`<strong>${phraseMarkup([name(organization)])}</strong>`,
    html`exit ${String(exitCode)}`,
  )
  const header = html`<header>
<p class="kind">Setpoint ${command}</p>
<h1>${HEADLINES[command]}</h1>
<p class="where">${joinedMarkup(where, ' · ')}</p>
</header>
`
  const inside = diagnostics.length > 0 ? warningsSection(diagnostics) : html`<p>${reasonText(failure)}</p>\n`
  return pageOf(`${HEADLINES[command]} - Setpoint`, header, [{ id: 'errors', title: 'Errors', inside }])
}

interface PageSection {
  readonly id: string
  readonly title: string
  readonly inside: Markup | undefined
}

/** One self-contained file with the sections that have something inside. */
function pageOf(title: string, header: Markup, all: readonly PageSection[]): string {
  const sections = all.filter(({ inside }) => inside !== undefined)
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
${ours(GENERATOR)}
<title>${title}</title>
<style>${ours(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
${header}${sections.length > 1 && html`<nav aria-label="Sections"><ul>${links}</ul></nav>\n`}<main id="main" tabindex="-1">
${sections.map(({ id, title, inside }) => html`<section aria-labelledby="${id}">\n<h2 id="${id}" tabindex="-1">${title}</h2>\n${inside}</section>\n`)}</main>
<script>${ours(SCRIPT)}</script>
</body>
</html>
`
  return sealLines(page.toString())
}

function reachSection(view: View, reach: Reach | undefined): Markup | undefined {
  const note = present(
    view.kind === 'apply' && 'As planned. How each set ended is shown above.',
    !reach && 'Only the assignments that this plan changes; a saved plan does not contain the others.',
  ).join(' ')
  return matrixSection(reach ?? reachOfViews(view.sets), view.sets, { shown: shownSets(view), note })
}

const TITLES = { plan: 'Plan', drift: 'Drift', apply: 'Apply' } as const

const titleOf = ({ kind, organization, owner }: View): string =>
  `${TITLES[kind]} ${organization}${owner === undefined ? '' : `/${owner}`} - Setpoint`

function headerMarkup(view: View): Markup {
  const { kind, organization, owner, address, digest } = view
  const where = present(
    html`<strong>${phraseMarkup([name(organization)])}</strong> at ${address === 'SANDBOX' ? html`<strong class="sandbox">SANDBOX</strong>` : html`<code>${address}</code>`}`,
    owner !== undefined && html`owner ${phraseMarkup([name(owner)])}`,
    view.at !== undefined && html`planned <time datetime="${view.at}">${shortTime(view.at)}</time>`,
    phraseMarkup(view.requests),
  )
  return html`<header>
<p class="kind">Setpoint ${TITLES[kind].toLowerCase()}${digest !== undefined && html` <code class="digest">${kind === 'plan' ? digest : shortDigest(digest)}</code>`}</p>
<h1>${phraseMarkup(view.headline)}</h1>
<p class="where">${joinedMarkup(where, ' · ')}</p>
${verdict(view)}${counts(view)}</header>
`
}

function verdict({ approve, forbidden, end }: View): Markup | undefined {
  if (forbidden)
    return html`<p class="verdict bad"><strong>Forbidden</strong> by rules. ${FORBIDDEN_NEXT}</p>\n`
  if (approve !== undefined)
    return html`<p class="verdict bad"><strong>Blocked</strong> After review, approve exactly this plan: ${approve.command === undefined ? 'by its digest' : phraseMarkup([approve.command])}</p>\n`
  if (end === undefined) return undefined
  return end.ok
    ? html`<p class="verdict good"><strong>Done</strong></p>\n`
    : html`<p class="verdict bad"><strong>Incomplete</strong> ${end.exit && phraseMarkup(end.exit)}</p>\n`
}

/** Not for an incomplete apply, where the planned numbers would mislead. */
function counts({ sets, cost, end }: View): Markup | undefined {
  if (sets.length === 0 || end?.ok === false) return undefined
  const many = countsBySign(sets)
  const tiles = (['+', '~', '-'] as const)
    .filter(sign => many[sign] > 0)
    .map(
      sign =>
        html`<li class="${SIGN_CLASS[sign]}"><span aria-hidden="true">${sign.replace('-', '−')}</span> <strong>${figure(many[sign])}</strong> ${SET_WORD[sign]}</li>`,
    )
  const requests = cost.length > 0 && html`<li>${phraseMarkup(cost)}</li>`
  return html`<ul class="counts" aria-label="Sets by change">${tiles}${requests}</ul>\n`
}

const MOST_ALERTS = 1_000

/** *Review first*, with all findings to open below it. */
function reviewSection({ review: { shown, every, more } }: View): Markup | undefined {
  if (shown.length === 0) return undefined
  const left = every.length - MOST_ALERTS
  const cut = left > 0 && html`<p class="cut">${counted(left, 'more finding')} in the JSON report.</p>`
  const rest =
    more &&
    html`<details class="effects"><summary>Each of the ${counted(every.length, 'finding')}</summary>
${alertsMarkup(every.slice(0, MOST_ALERTS))}${cut}</details>
`
  return html`${alertsMarkup(shown)}${rest}`
}

const alertsMarkup = (alerts: readonly ToldFinding[]): Markup =>
  listMarkup(alerts.map(alert => item(isGrave(alert) ? 'grave' : 'heed', alert.kind, alert.phrase)))

const listMarkup = (items: readonly Markup[]): Markup => html`<ul class="alerts">
${items}</ul>
`

/** How an apply ended: what is broken and what to do next, then the steps that did not succeed. */
function endSection(end: EndView | undefined): Markup | undefined {
  if (end === undefined) return undefined
  const said = present(
    ...end.broken.map(phrase => item('grave', 'broken now', phrase)),
    end.stopped && item('heed', 'stopped', end.stopped),
    end.closing && item('heed', 'closing read', end.closing),
    end.next && item('heed', 'next', end.next),
  )
  if (said.length === 0 && end.rows.length === 0) return undefined
  return html`${said.length > 0 && listMarkup(said)}${rowsMarkup(end)}`
}

const item = (style: string, tag: string, phrase: Phrase): Markup =>
  html`<li class="${style}"><strong class="tag">${tag}</strong> <span>${phraseMarkup(phrase)}</span></li>\n`

function rowsMarkup({ rows, left }: EndView): Markup | undefined {
  if (rows.length === 0) return undefined
  const shown = rows.map(
    ({ status, operation, reason, source }) =>
      html`<tr><th scope="row">${statusMarkup(status)}</th><td>${phraseMarkup(operation)}</td><td>${phraseMarkup(reason)}</td><td>${source && phraseMarkup([place(source)])}</td></tr>\n`,
  )
  const more =
    left.length > 0 && html`<p class="cut">and ${figure(left.length)} more; see the JSON report.</p>\n`
  return html`<div class="scroll" role="region" aria-labelledby="end" tabindex="0"><table class="rows">
<thead><tr><th scope="col">outcome</th><th scope="col">operation</th><th scope="col">why</th><th scope="col">where</th></tr></thead>
<tbody>
${shown}</tbody></table></div>
${more}`
}

const MOST_GROUPS = 300

/** Effects on workspaces. Places where another set wins come first, because no set shows them. */
function effectsSection(effects: EffectsView | undefined): Markup | undefined {
  if (effects === undefined) return undefined
  const groups = effects.groups.slice(0, MOST_GROUPS)
  const left = effects.groups.length - groups.length
  const items = groups.map(
    ({ who, effects: seen }) =>
      html`<li><strong>${phraseMarkup(who)}</strong><ul>${seen.map(one => html`<li>${phraseMarkup(one)}</li>`)}</ul></li>\n`,
  )
  const list =
    groups.length > 0 &&
    html`<details class="effects"><summary>${counted(effects.groups.length, 'group')} of workspaces and their effects</summary>
<ul>
${items}</ul>${notShown(left, 'more group')}</details>
`
  return html`<p>${phraseMarkup(effects.headline)}.</p>
${said(effects.notes, 'note', 'note')}${list}`
}

const said = (phrases: EffectsView['notes'], style: string, tag: string) =>
  phrases.length > 0 &&
  html`<ul class="alerts">${phrases.map(phrase => html`<li class="${style}"><strong class="tag">${tag}</strong> <span>${phraseMarkup(phrase)}</span></li>`)}</ul>\n`

function warningsSection(warnings: readonly Diagnostic[]): Markup | undefined {
  if (warnings.length === 0) return undefined
  const items = sortDiagnostics(warnings).map(
    ({ severity, code, message, hint, source }) =>
      html`<li class="heed"><strong class="tag">${severity}</strong> <span>${source && html`${phraseMarkup([spot(source)])} `}<strong>${code}</strong><br>${lines(message)}${hint !== undefined && html`<br>${lines(hint)}`}</span></li>\n`,
  )
  return listMarkup(items)
}

const lines = (text: string): Markup =>
  html`${text.split('\n').map((line, index) => html`${index > 0 && html`<br>`}${line}`)}`

function totalsSection(totals: readonly Total[]): Markup | undefined {
  if (totals.length === 0) return undefined
  const items = totals.map(
    ({ label, phrase }) => html`<div><dt>${label}</dt><dd>${phraseMarkup(phrase)}</dd></div>\n`,
  )
  return html`<dl class="totals">
${items}</dl>
`
}
