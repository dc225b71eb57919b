import { createHash } from 'node:crypto'
import type { Reach } from '../../plan/reach.ts'
import { sealLines } from '../neutralise.ts'
import type { View } from '../view.ts'
import { effectsSection } from './effects.ts'
import { endSection } from './end.ts'
import { headerMarkup, reviewSection, titleOf } from './header.ts'
import { EMPTY, html, type Markup, ours } from './markup.ts'
import { matrixSection } from './matrix.ts'
import { totalsSection, warningsSection } from './rest.ts'
import { SCRIPT } from './script.ts'
import { setsSection, shownSets } from './sets.ts'
import { STYLE } from './style.ts'
import { reachOfViews } from './view-reach.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page may run the one script and use the one style that it carries, and load nothing from anywhere. */
const policy = (): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/**
 * The report as one file that needs nothing else: no network, no other file, and no script to be read. The script opens
 * and closes, searches and narrows what stands there anyway.
 */
export function renderHtml(view: View, reach?: Reach): string {
  const sections = [
    { id: 'first', title: 'Review first', markup: reviewSection(view) },
    { id: 'end', title: 'How it ended', markup: endSection(view.end) },
    { id: 'sets', title: 'Sets', markup: setsSection(view) },
    { id: 'effects', title: 'What workspaces see', markup: effectsSection(view.effects) },
    { id: 'reach', title: 'What reaches what', markup: reachSection(view, reach) },
    { id: 'warnings', title: 'Warnings', markup: warningsSection(view.warnings) },
    { id: 'totals', title: 'In figures', markup: totalsSection(view.totals) },
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
    ...(view.kind === 'apply' ? ['As it was planned; how each set ended stands above.'] : []),
    ...(reach === undefined
      ? ['Only what this plan assigns and unassigns: a saved plan does not carry the rest.']
      : []),
    ...(reach?.claimed === true && Object.keys(reach.projectOf).length > 0
      ? ['Which workspaces belong to a project is what the directory file says; the service was not asked.']
      : []),
  ].join(' ')
  return matrixSection(reach ?? reachOfViews(view.sets), view.sets, { shown: shownSets(view), note })
}
