/** The table of sets and targets; its head and first column stay visible. */
const MATRIX_STYLE = `
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: .5rem; color: var(--quiet); }
.legend .cell { display: inline-block; min-width: 1.6em; text-align: center; border-radius: 4px; }
.choice { margin: 0 0 .5rem; }
section > .scroll:has(.matrix) { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 8px; }
.matrix { font-size: .9rem; border-collapse: separate; border-spacing: 0; }
.matrix thead th { position: sticky; top: 0; z-index: 1; background: var(--raised); border-bottom: 1px solid var(--line); padding: .5rem .3rem; vertical-align: bottom; font-weight: 500; }
.matrix thead div { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; margin: 0 auto; }
.matrix thead .tag { border: 0; padding: 0; color: var(--quiet); font-weight: 400; }
.matrix thead .corner { left: 0; z-index: 2; text-align: left; padding-left: .75rem; }
.matrix tbody th { position: sticky; left: 0; background: var(--ground); text-align: left; font-weight: 400; padding: .15rem .75rem; border-right: 1px solid var(--line); white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
.matrix td { min-width: 2.1rem; text-align: center; padding: .1rem .2rem; border-right: 1px solid color-mix(in srgb, var(--line) 45%, transparent); }
.matrix tbody tr > * { border-bottom: 1px solid color-mix(in srgb, var(--line) 45%, transparent); }
.matrix tbody tr:hover > * { background-color: var(--raised); }
.matrix tbody .tag { font-size: .7rem; color: var(--tilde); }
.cell { font-family: ui-monospace, monospace; font-weight: 700; }
.matrix tbody .cell.added, .legend .added { color: var(--plus); background: var(--plus-ground); }
.matrix tbody .cell.removed, .legend .removed { color: var(--minus); background: var(--minus-ground); }
.matrix tbody .cell.changes, .legend .changes { color: var(--tilde); background: var(--tilde-ground); }
.cell.same { color: var(--quiet); font-weight: 400; } .cell.through { font-weight: 400; }
.groups { margin-top: .5rem; } .groups li { padding: .2rem 0; }
.effects > ul > li { padding: .4rem 0; border-bottom: 1px solid var(--line); } .effects strong { font-weight: 600; }
.effects ul ul { list-style: disc; padding-left: 1.5rem; }`

/** Narrow windows, print, and forced colours. */
const WAYS_STYLE = `
@media (max-width: 44rem) {
  .entries { grid-template-columns: 1.5em minmax(0, 1fr); } .entry .sides, .entry .where, .lines { grid-column: 2; }
  .controls, .find { grid-template-columns: 1fr; } .find input { grid-row: auto; } #shown { text-align: left; }
  .alerts li, .totals div { grid-template-columns: 1fr; gap: .1rem; }
  .head .where { margin-left: 2.25rem; width: 100%; text-align: left; }
  summary.head { position: relative; padding-right: 2.5rem; } summary.head::after { position: absolute; right: .9rem; top: .55rem; }
  .matrix tbody th { max-width: 11rem; } .matrix thead div { max-height: 9rem; }
}
@media (forced-colors: active) {
  .sign, .cell, .tag, .pill:has(:checked) { border: 1px solid; }
}
@media print {
  :root { --ground: #fff; --raised: #fff; --line: #999; --text: #000; --quiet: #333; --link: #000; --plus: #0a4d1d; --plus-ground: #fff; --minus: #8c120b; --minus-ground: #fff; --tilde: #5e3d00; --tilde-ground: #fff; --secret: #571a7c; --secret-ground: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .controls, .choice, .skip { display: none; }
  .set { break-inside: avoid-page; } .many .set { content-visibility: visible; } h2 { break-after: avoid; } tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; } summary.head::after { content: none; }
  .scroll, section > .scroll:has(.matrix), .lines, .members { overflow: visible; max-height: none; } .lines > * { white-space: pre-wrap; width: auto; }
  .matrix thead th, .matrix tbody th { position: static; }
}`

/** Colours have a contrast of 4.5 to 1 in both schemes, and always repeat a word or sign. */
const COLOURS = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f6f7f9; --line: #d5d9e0; --text: #1b2028; --quiet: #59616e; --link: #0b57c2;
  --plus: #146c2e; --plus-ground: #e4f5e8; --minus: #b3261e; --minus-ground: #fdeceb;
  --tilde: #7d5200; --tilde-ground: #fdf3dc; --secret: #7a2aa8; --secret-ground: #f5eafb; --focus: #0b57c2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --raised: #1d2128; --line: #363c47; --text: #e6e9ee; --quiet: #a3abb8; --link: #8ab8ff;
    --plus: #7fd69a; --plus-ground: #16301f; --minus: #ff9b93; --minus-ground: #3a1a19;
    --tilde: #f0c36a; --tilde-ground: #33270e; --secret: #dca8f7; --secret-ground: #2d1b38; --focus: #8ab8ff;
  }
}`

const BASE = `
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: 1.5rem clamp(.75rem, 3vw, 2.5rem) 4rem; max-width: 84rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
[hidden] { display: none !important; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; unicode-bidi: isolate; }
h1 { font-size: clamp(1.4rem, 1rem + 2vw, 2rem); line-height: 1.2; margin: 0 0 .4rem; text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; display: inline; }
ul { list-style: none; margin: 0; padding: 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
[tabindex="-1"]:focus { outline: none; }
.ear {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0;
}
.skip { position: absolute; left: -99rem; }
.skip:focus { left: .5rem; top: .5rem; padding: .5rem 1rem; background: var(--ground); z-index: 9; }
.quiet, .notes, .cut, .where { color: var(--quiet); }
.cut { font-style: italic; }
.kind { margin: 0 0 .25rem; color: var(--quiet); font-weight: 600; }
.digest { overflow-wrap: anywhere; padding: .1rem .4rem; border: 1px solid var(--line); border-radius: 4px; font-weight: 400; }
p.where { margin: 0 0 1rem; }
.sandbox { color: var(--secret); }
.verdict { margin: 0 0 1rem; padding: .6rem .9rem; border-left: 5px solid; background: var(--raised); border-radius: 0 6px 6px 0; }
.verdict.bad { border-color: var(--minus); } .verdict.bad > strong { color: var(--minus); }
.verdict.good { border-color: var(--plus); } .verdict.good > strong { color: var(--plus); }
.command { user-select: all; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; }
.counts li { padding: .25rem .8rem; border: 1px solid var(--line); border-radius: 999px; background: var(--raised); }
.counts .plus { color: var(--plus); } .counts .minus { color: var(--minus); } .counts .tilde { color: var(--tilde); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1.25rem; padding: .5rem 0; border-block: 1px solid var(--line); }
.tag {
  display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 4px; font-size: .8rem; font-weight: 600; white-space: nowrap;
}
.alerts li { display: grid; grid-template-columns: 9.5rem 1fr; gap: .75rem; align-items: baseline; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.alerts .tag { justify-self: start; }
.alerts .grave .tag { color: var(--minus); background: var(--minus-ground); }
.alerts .heed .tag { color: var(--tilde); background: var(--tilde-ground); }
.totals div { display: grid; grid-template-columns: 9.5rem 1fr; gap: .75rem; padding: .3rem 0; border-bottom: 1px solid var(--line); }
.totals { margin: 0; } dt { font-weight: 600; } dd { margin: 0; }
table { border-collapse: collapse; }
.rows th, .rows td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
.rows th, .rows td:last-child { overflow-wrap: break-word; }
.scroll { overflow-x: auto; } .alerts + .scroll { margin-top: 1rem; }`

const SETS = `
.controls { display: grid; grid-template-columns: 1fr auto; align-items: end; gap: .75rem 1.5rem; padding: .9rem; margin-bottom: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.find { display: grid; grid-template-columns: 1fr auto; gap: .25rem .75rem; } .find input { grid-column: 1 / -1; grid-row: 2; } .find label, legend { font-weight: 600; padding: 0; }
.find input { font: inherit; padding: .45rem .7rem; width: 100%; border: 1px solid var(--quiet); border-radius: 6px; background: var(--ground); color: var(--text); }
fieldset { grid-column: 1; border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; min-width: 0; } legend { margin-bottom: .25rem; }
.pill { display: inline-flex; align-items: center; gap: .35rem; padding: .2rem .7rem; border: 1px solid var(--quiet); border-radius: 999px; background: var(--ground); cursor: pointer; }
.pill:has(:checked) { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); font-weight: 600; }
.pill:has(:focus-visible) { outline: 3px solid var(--focus); outline-offset: 2px; }
.count { color: var(--quiet); font-variant-numeric: tabular-nums; font-weight: 400; }
button { font: inherit; padding: .3rem .8rem; border: 1px solid var(--quiet); border-radius: 6px; background: var(--ground); color: var(--text); cursor: pointer; }
#shown { margin: 0; text-align: right; }
.set { border: 1px solid var(--line); border-radius: 8px; margin-bottom: .6rem; }
.many .set { content-visibility: auto; contain-intrinsic-size: auto 4rem; }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; padding: .55rem .9rem; }
summary { cursor: pointer; border-radius: 8px; } summary.head { list-style: none; } summary.head::-webkit-details-marker { display: none; }
summary.head::after { content: "+"; order: 9; width: 1.2em; text-align: center; color: var(--quiet); font-family: monospace; font-weight: 700; }
details[open] > summary.head::after { content: "\\2212"; }
details[open] > summary.head { border-bottom: 1px solid var(--line); border-radius: 8px 8px 0 0; background: var(--raised); }
.head .where { margin-left: auto; text-align: right; }
.place { color: var(--quiet); } a.place { text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .15em; } a.place:hover { color: var(--link); }
.members { display: flex; flex-wrap: wrap; gap: .15rem 1.5rem; max-height: 14rem; overflow-y: auto; padding: .5rem .9rem; border-bottom: 1px solid var(--line); list-style: none; margin: 0; } .members .where { margin-left: .5rem; } .old { text-decoration: line-through; color: var(--quiet); }
.sign { display: inline-block; flex: none; width: 1.5em; text-align: center; border-radius: 4px; font-family: ui-monospace, monospace; font-weight: 700; }
.sign.plus { color: var(--plus); background: var(--plus-ground); } .sign.minus { color: var(--minus); background: var(--minus-ground); }
.sign.tilde { color: var(--tilde); background: var(--tilde-ground); }
.entries { display: grid; grid-template-columns: 1.5em fit-content(20rem) minmax(0, 1fr) auto; column-gap: .75rem; padding: 0 .9rem; }
.entry { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; row-gap: .2rem; padding: .35rem 0; align-items: baseline; }
.entry + .entry { border-top: 1px solid var(--line); }
ins { text-decoration: none; } ins > code, ins > .quiet { background: var(--plus-ground); color: var(--plus); padding: 0 .25em; border-radius: 3px; }
del > code, del > .quiet { background: var(--minus-ground); color: var(--minus); padding: 0 .25em; border-radius: 3px; } del { text-decoration-thickness: 1px; }
.arrow { color: var(--quiet); }
.secret { color: var(--secret); background: var(--secret-ground); padding: 0 .4em; border-radius: 3px; }
.notes::before { content: "\\00b7\\00a0"; } .sides > .notes:first-child::before { content: none; } .notes.grave { color: var(--minus); font-weight: 600; }
.status { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 4px; font-size: .85rem; color: var(--quiet); }
.status.failed { color: var(--minus); } .status.unknown { color: var(--tilde); } .status.succeeded { color: var(--plus); }
.lines { grid-column: 2 / -1; margin: .2rem 0 .4rem; padding: .5rem 0; border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; line-height: 1.45; }
.lines > * { display: block; width: max-content; min-width: 100%; padding: 0 .75rem; text-decoration: none; white-space: pre; }
.lines ins { color: var(--plus); background: var(--plus-ground); } .lines del { color: var(--minus); background: var(--minus-ground); }`

export const STYLE = `${COLOURS}${BASE}${SETS}${MATRIX_STYLE}${WAYS_STYLE}
`
