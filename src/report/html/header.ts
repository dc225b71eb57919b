import { shortDigest } from '../../plan/plan.ts'
import { type Alert, type AlertKind, isGrave } from '../alert.ts'
import { counted, figure, name, shortTime } from '../phrase.ts'
import type { View } from '../view.ts'
import { EMPTY, html, joinedMarkup, type Markup } from './markup.ts'
import { phraseMarkup } from './phrase.ts'

const TITLES = { plan: 'Plan', drift: 'Drift', apply: 'Apply' } as const

/** Where and whose, in the title of the window: `Plan acme/platform`. */
export const titleOf = ({ kind, organization, owner }: View): string =>
  `${TITLES[kind]} ${organization}${owner === undefined ? '' : `/${owner}`} - Setpoint`

/** What it is, of what, and how it stands: what a reader has to know who reads nothing else. */
export function headerMarkup(view: View): Markup {
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
    return html`<p class="verdict bad"><strong>Blocked</strong> until exactly this plan is approved: ${phraseMarkup(approve)}</p>\n`
  if (end === undefined) return EMPTY
  return end.ok
    ? html`<p class="verdict good"><strong>Done</strong></p>\n`
    : html`<p class="verdict bad"><strong>Not done</strong> ${end.exit === undefined ? EMPTY : phraseMarkup(end.exit)}</p>\n`
}

/** Not after an apply that did not reach its goal: the words say what was done, and there they would say too much. */
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

const ALERT_WORDS = {
  blocked: 'blocked',
  secret: 'secret exposed',
  global: 'global',
  priority: 'priority',
  readable: 'readable',
  gap: 'gap',
  lost: 'lost for good',
  loosened: 'loosened',
  gone: 'gone',
  override: 'override',
  value: 'value',
  drift: 'changed outside',
  unknown: 'not known',
} as const satisfies Record<AlertKind, string>

/** A page of more is none that anybody reads. */
const MOST_ALERTS = 1_000

/** *Review first*; what is summed up there can be opened below it. */
export function reviewSection({ review: { shown, every, more } }: View): Markup {
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
    html`<li class="${isGrave(alert) ? 'grave' : 'heed'}"><strong class="tag">${ALERT_WORDS[alert.kind]}</strong> <span>${phraseMarkup(alert.phrase)}</span></li>\n`,
)}</ul>
`
