import { createHash } from 'node:crypto'
import { shortDigest } from '../../plan/plan-data.ts'
import type { Doc, LinkOf, Row, Section } from '../doc.ts'
import { plainText } from '../layout.ts'
import { GENERATOR } from '../marks.ts'
import { sealLines } from '../neutralise.ts'
import { figure, type Phrase, place, present } from '../phrase.ts'
import { saidIn, titleText, toneOf } from '../print-text.ts'
import { html, type Markup, ours, phraseMarkup } from './markup.ts'
import { SCRIPT } from './page-script.ts'
import { STYLE } from './page-style.ts'

export interface HtmlOptions {
  readonly link?: LinkOf
}

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
 * The report as one self-contained file: the headline, what must be read in a box, cards in one grid, and what is folded at the end. It can
 * be read without scripts; the script only searches, and opens everything for print.
 */
export function htmlOf(doc: Doc, { link = () => undefined }: HtmlOptions): string {
  const [who = []] = doc.about
  const { command } = doc
  const title = `${command.charAt(0).toUpperCase()}${command.slice(1)} ${plainText(who)} - Setpoint`
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
<header>
${headMarkup(doc, 1)}</header>
${searchMarkup(doc)}<main>
${bodyMarkup(doc, 2, link)}</main>
<script>${ours(SCRIPT)}</script>
</body>
</html>
`
  return sealLines(page.toString())
}

/** What was run, the result, of whom and where. */
function headMarkup({ command, digest, about, headline, tone }: Doc, level: Level): Markup {
  const shown =
    digest !== undefined &&
    html` <code class="digest">${command === 'plan' ? digest : shortDigest(digest)}</code>`
  const where = about.map((one, at) => html`${at > 0 && ' · '}${phraseMarkup(one)}`)
  return html`<p class="kind">Setpoint ${command}${shown}</p>
${headingMarkup(level, html`<span class="${tone ?? 'plain'}">${phraseMarkup(headline)}</span>`)}<p class="about">${where}</p>
`
}

type Level = 1 | 2 | 3 | 4

const deeper = (level: Level): Level => (level === 1 ? 2 : level === 2 ? 3 : 4)

function headingMarkup(level: Level, inside: Markup): Markup {
  switch (level) {
    case 1:
      return html`<h1>${inside}</h1>\n`
    case 2:
      return html`<h2>${inside}</h2>\n`
    case 3:
      return html`<h3>${inside}</h3>\n`
    case 4:
      return html`<h4>${inside}</h4>\n`
  }
}

/** A field over all rows, if there are enough to lose one's way. */
function searchMarkup(doc: Doc): Markup | undefined {
  const rows = [doc, ...(doc.parts ?? [])].flatMap(({ sections }) => sections.flatMap(one => one.rows))
  if (rows.length < FEW) return undefined
  return html`<form id="controls" role="search" hidden>
<label for="find">Search names, keys, values and places <kbd>/</kbd></label><input id="find" type="search" autocomplete="off" spellcheck="false">
<p id="shown" aria-live="polite"></p>
</form>
`
}

const FEW = 5

/** Sections in their order, then those that are folded, then the reports that it sums up. */
function bodyMarkup({ sections, parts = [] }: Doc, level: Level, link: LinkOf): Markup {
  const all = sections.filter(({ rows }) => rows.length > 0)
  const order = [...all.filter(({ folded }) => !folded), ...all.filter(({ folded }) => folded)]
  const inside = order.map(section => sectionMarkup(section, level, link))
  const below = parts.map(
    part => html`<article class="part">
${headMarkup(part, level)}${bodyMarkup(part, deeper(level), link)}</article>
`,
  )
  return html`${inside}${below}`
}

function sectionMarkup(section: Section, level: Level, link: LinkOf): Markup {
  const { title, form, rows, folded = false } = section
  const words = title && titleText(title)
  const inside = formMarkup(section, words === undefined ? level : deeper(level), link)
  const isGrave = form === 'calls' && rows.some(row => toneOf(row) === 'bad')
  const style = `${form}${isGrave ? ' grave' : ''}`
  if (!folded)
    return html`<section class="${style}"${words !== undefined && html` aria-label="${words}"`}>
${words !== undefined && headingMarkup(level, html`${words}`)}${inside}</section>
`
  return html`<section class="${style}"><details><summary>${words ?? 'More'} <span class="count">${figure(rows.length)}</span></summary>
${inside}</details></section>
`
}

function formMarkup({ form, rows, columns }: Section, level: Level, link: LinkOf): Markup {
  switch (form) {
    case 'calls':
      return rowsMarkup(rows, link)
    case 'list':
      return columns === undefined ? rowsMarkup(rows, link) : pictureMarkup(rows, columns)
    case 'changes':
      return cardsMarkup(rows, level, link)
    case 'lines':
      return linesMarkup(rows, link)
  }
}

/** More would not open in a browser. */
const MOST_ROWS = 5_000

/** The rows that fit, those with the tone `bad` first of all, and how many do not. */
function shownOf(rows: readonly Row[]): { shown: readonly Row[]; more: Markup | undefined } {
  const left = rows.length - MOST_ROWS
  if (left <= 0) return { shown: rows, more: undefined }
  const isBad = (row: Row): boolean => toneOf(row) === 'bad'
  const kept = new Set([...rows.filter(isBad), ...rows.filter(row => !isBad(row))].slice(0, MOST_ROWS))
  const more = html`<p class="cut">${figure(left)} more, in the JSON report.</p>\n`
  return { shown: rows.filter(row => kept.has(row)), more }
}

const markMarkup = ({ mark = '', ...row }: Row): Markup =>
  mark === ''
    ? html`<span class="mark"></span>`
    : html`<span class="${mark.length === 1 ? 'sign' : 'mark'} ${toneOf({ mark, ...row }) ?? 'plain'}">${mark.replace(/^-$/, '−')}</span>`

function whereMarkup({ source }: Row, link: LinkOf): Markup {
  if (source === undefined) return html`<span class="where"></span>`
  return html`<span class="where">${phraseMarkup([place(source)], link)}</span>`
}

/** The subject, and what is said of it. */
function cellsMarkup(row: Row, link: LinkOf): Markup {
  const [subject = [], ...said] = saidIn(row)
  if (said.length === 0) return html`<span class="said alone">${phraseMarkup(subject, link)}</span>`
  const inside = said.map((cell, at) => html`${at > 0 && ' '}<span>${phraseMarkup(cell, link)}</span>`)
  return html`<span class="subject">${phraseMarkup(subject, link)}</span><span class="said">${inside}</span>`
}

/** Rows of one grid, so that marks, subjects and places are below each other. */
function rowsMarkup(rows: readonly Row[], link: LinkOf): Markup {
  const { shown, more } = shownOf(rows)
  return html`<ul class="rows">
${shown.map(row => html`<li class="row${(row.tone === 'quiet' && ' quiet') || ''}">${markMarkup(row)}${cellsMarkup(row, link)}${whereMarkup(row, link)}${belowMarkup(row, link)}</li>\n`)}</ul>
${more}`
}

/** What is below a row; to open, if it is folded. */
function belowMarkup({ rows = [], folded = false }: Row, link: LinkOf): Markup | undefined {
  if (rows.length === 0) return undefined
  const inside = rowsMarkup(rows, link)
  return folded
    ? html`<details class="below"><summary>show ${figure(rows.length)}</summary>${inside}</details>`
    : html`<div class="below">${inside}</div>`
}

/** A card for each row, with what is below it. */
function cardsMarkup(rows: readonly Row[], level: Level, link: LinkOf): Markup {
  const { shown, more } = shownOf(rows)
  const cards = shown.map(row => {
    const [name = [], ...said] = row.cells
    const what = said.map((cell, at) => html`${at > 0 && ' '}<span>${phraseMarkup(cell, link)}</span>`)
    const entries = row.rows ?? []
    const head = html`${markMarkup(row)}${headingMarkup(level, phraseMarkup(name, link))}<span class="what">${what}</span>${whereMarkup(row, link)}`
    const inside = html`<ul class="entries">
${entries.map(entry => entryMarkup(entry, link))}</ul>
`
    if (entries.length === 0) return html`<article class="card"><div class="head">${head}</div></article>\n`
    return row.folded
      ? html`<article class="card"><details><summary class="head">${head}</summary>${inside}</details></article>\n`
      : html`<article class="card"><div class="head">${head}</div>${inside}</article>\n`
  })
  return html`<div class="cards">
${cards}</div>
${more}`
}

function entryMarkup(row: Row, link: LinkOf): Markup {
  const below = row.rows ?? []
  const lines = below.map(one => {
    const text = html`${(one.mark ?? '').padEnd(2)}${one.cells.map((cell, at) => html`${at > 0 && '  '}${phraseMarkup(cell, link)}`)}`
    if (one.mark === '-') return html`<del>${text}</del>`
    return one.mark === '+' ? html`<ins>${text}</ins>` : html`<span>${text}</span>`
  })
  const block =
    below.length > 0 && html`<div class="text" role="region" aria-label="Lines" tabindex="0">${lines}</div>`
  return html`<li class="entry">${markMarkup(row)}${cellsMarkup(row, link)}${whereMarkup(row, link)}${block}</li>\n`
}

/** A table with turned headings; marks are words for a screen reader. */
function pictureMarkup(rows: readonly Row[], columns: readonly (string | Phrase)[]): Markup {
  const [corner = '', ...heads] = columns.map(one => phraseMarkup(typeof one === 'string' ? [one] : one))
  const { shown, more } = shownOf(rows)
  const body = shown.map(row => {
    const [name = [], ...cells] = row.cells
    const inside = heads.map((_, at) => {
      const cell = cells[at] ?? []
      const sign = plainText(cell)
      return html`<td class="${CELL[sign.slice(0, 1)] ?? 'none'}">${phraseMarkup(cell)}</td>`
    })
    return html`<tr><th scope="row">${markMarkup(row)} ${phraseMarkup(name)}</th>${inside}</tr>\n`
  })
  return html`<div class="scroll" role="region" aria-label="Table" tabindex="0"><table class="picture">
<thead><tr><th scope="col" class="corner">${corner}</th>${heads.map(head => html`<th scope="col"><div>${head}</div></th>`)}</tr></thead>
<tbody>
${body}</tbody></table></div>
${more}`
}

const CELL: Readonly<Record<string, string>> = { '+': 'good', '~': 'heed', '-': 'bad', '·': 'same' }

function linesMarkup(rows: readonly Row[], link: LinkOf): Markup {
  const items = rows.map(row => {
    const style = present(row.mark === undefined && toneOf(row), 'line').join(' ')
    const label =
      row.mark !== undefined && html`<strong class="${toneOf(row) ?? 'plain'}">${row.mark}</strong> `
    const text = row.cells.map((cell, at) => html`${at > 0 && ' '}${phraseMarkup(cell, link)}`)
    return html`<li class="${style}">${label}<span>${text}</span>${row.source && whereMarkup(row, link)}${belowMarkup(row, link)}</li>\n`
  })
  return html`<ul class="notes">
${items}</ul>
`
}
