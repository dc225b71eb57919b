/** Colours have a contrast of 4.5 to 1 in both schemes, and always repeat a word or sign. */
const COLOURS = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f6f7f9; --line: #d5d9e0; --text: #1b2028; --quiet: #59616e; --link: #0b57c2;
  --good: #146c2e; --good-ground: #e4f5e8; --bad: #b3261e; --bad-ground: #fdeceb; --heed: #7d5200; --heed-ground: #fdf3dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --raised: #1d2128; --line: #363c47; --text: #e6e9ee; --quiet: #a3abb8; --link: #8ab8ff;
    --good: #7fd69a; --good-ground: #16301f; --bad: #ff9b93; --bad-ground: #3a1a19; --heed: #f0c36a; --heed-ground: #33270e;
  }
}`

const BASE = `
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem clamp(.75rem, 3vw, 2.5rem) 4rem; max-width: 76rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
[hidden] { display: none !important; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; unicode-bidi: isolate; }
h1 { font-size: clamp(1.4rem, 1rem + 2vw, 1.9rem); line-height: 1.2; margin: 0 0 .4rem; text-wrap: balance; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; } h3, h4, .card h2 { font-size: 1rem; margin: 0; }
ul { list-style: none; margin: 0; padding: 0; }
a { color: var(--link); text-decoration-color: var(--line); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
section { margin: 1.75rem 0; }
section:has(> details) { margin: 0; border-top: 1px solid var(--line); } section:has(> details):last-child { border-bottom: 1px solid var(--line); }
section > details > summary { padding: .6rem 0; font-weight: 600; } section > details[open] { padding-bottom: 1rem; }
summary { cursor: pointer; }
.kind { margin: 0 0 .25rem; color: var(--quiet); font-weight: 600; } .digest { font-weight: 400; }
.about { margin: 0; color: var(--quiet); } .count, .where, .quiet, .cut { color: var(--quiet); } .count { font-weight: 400; }
.good { color: var(--good); } .bad { color: var(--bad); } .heed { color: var(--heed); } h1 .heed, h1 .quiet { color: inherit; }
.command { user-select: all; }
#controls { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .75rem; margin: 1rem 0 0; color: var(--quiet); }
#controls p { margin: 0; } kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 .3em; font-size: .85em; }
input { font: inherit; flex: 1 1 14rem; max-width: 28rem; min-width: 0; padding: .3rem .6rem; border: 1px solid var(--quiet); border-radius: 6px; background: var(--ground); color: var(--text); }`

/** Marks, subjects, what is said and places stand below each other, also over all cards. */
const GRIDS = `
.calls { padding: .9rem 1.1rem; border: 1px solid var(--line); border-left: 5px solid var(--heed); border-radius: 6px; background: var(--raised); } .calls.grave { border-left-color: var(--bad); }
.rows { display: grid; grid-template-columns: max-content fit-content(20rem) minmax(0, 1fr) fit-content(18rem); column-gap: .9rem; }
.row { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; align-items: baseline; padding: .25rem 0; }
.mark { font-weight: 600; } .calls .mark:not(:empty), .list .mark:not(:empty) { padding: 0 .45rem; border: 1px solid currentColor; border-radius: 4px; font-size: .82rem; justify-self: start; }
.calls .mark.bad, .list .mark.bad { background: var(--bad-ground); }
.said.alone { grid-column: 2 / 4; } .where { text-align: right; font-size: .9em; } .where a { color: inherit; } .where a:hover { color: var(--link); }
.below { grid-column: 2 / -1; padding: .1rem 0 .3rem; } .below .row { padding: .1rem 0; }
.cards { display: grid; grid-template-columns: calc(1.5em + .9rem) fit-content(18rem) minmax(0, 1fr) fit-content(18rem); column-gap: .75rem; row-gap: .6rem; }
.card { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; border: 1px solid var(--line); border-radius: 8px; padding: .15rem .9rem; }
.card > details { display: contents; } .card > details > .entries, .head, .entries { grid-column: 1 / -1; }
.head { display: grid; grid-template-columns: subgrid; align-items: baseline; padding: .4rem 0; }
.entries { display: grid; grid-template-columns: subgrid; border-top: 1px solid var(--line); padding: .2rem 0; }
.entry { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; align-items: baseline; padding: .2rem 0; }
.sign { display: inline-block; width: 1.5em; text-align: center; border-radius: 4px; font-family: ui-monospace, monospace; font-weight: 700; }
.sign.good, ins { background: var(--good-ground); color: var(--good); } .sign.bad, del { background: var(--bad-ground); color: var(--bad); } .sign.heed { background: var(--heed-ground); }
ins, del { padding: 0 .25em; border-radius: 3px; } ins { text-decoration: none; } .arrow { color: var(--quiet); white-space: nowrap; }
.text { grid-column: 2 / -1; margin: .2rem 0 .4rem; padding: .4rem 0; border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; line-height: 1.45; }
.text > * { display: block; width: max-content; min-width: 100%; padding: 0 .75rem; border-radius: 0; text-decoration: none; white-space: pre; font-family: ui-monospace, monospace; font-size: .85em; }
.notes { color: var(--quiet); } .line { padding: .15rem 0; } .notes strong { color: var(--text); margin-right: .4rem; } .notes strong.bad { color: var(--bad); } .notes .where { margin-left: .6rem; }
.line.bad { color: var(--bad); } .line.good { color: var(--good); } .line.heed { color: var(--heed); }
.part { margin: 2.5rem 0; padding-top: 1.5rem; border-top: 2px solid var(--line); }`

const PICTURE = `
.scroll { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 8px; }
.picture { font-size: .88rem; border-collapse: separate; border-spacing: 0; }
.picture thead th { position: sticky; top: 0; z-index: 1; background: var(--raised); border-bottom: 1px solid var(--line); padding: .4rem .2rem; vertical-align: bottom; font-weight: 500; }
.picture thead div { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 15rem; overflow: hidden; white-space: nowrap; margin: 0 auto; }
.picture thead .corner { left: 0; z-index: 2; text-align: left; padding-left: .75rem; }
.picture tbody th { position: sticky; left: 0; background: var(--ground); text-align: left; font-weight: 400; padding: .1rem .75rem; border-right: 1px solid var(--line); white-space: nowrap; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; }
.picture td { min-width: 1.9rem; text-align: center; font-family: ui-monospace, monospace; font-weight: 700; border-right: 1px solid color-mix(in srgb, var(--line) 45%, transparent); }
.picture tbody tr > * { border-bottom: 1px solid color-mix(in srgb, var(--line) 45%, transparent); } .picture tbody tr:hover > * { background-color: var(--raised); }
.picture td.good { background: var(--good-ground); } .picture td.bad { background: var(--bad-ground); } .picture td.heed { background: var(--heed-ground); } .picture td.same { color: var(--quiet); font-weight: 400; }`

/** Narrow windows, print, and forced colours. */
const WAYS = `
@media (max-width: 44rem) {
  .rows, .cards { grid-template-columns: max-content minmax(0, 1fr); }
  .subject, .said, .said.alone, .what, .row > .where, .head > .where, .entry > .where, .below, .text { grid-column: 2; text-align: left; }
  .where:empty, .what:empty { display: none; }
  .picture tbody th { max-width: 11rem; } .picture thead div { max-height: 9rem; }
}
@media (forced-colors: active) { .sign, .mark, .picture td { border: 1px solid; } }
@media print {
  :root { --ground: #fff; --raised: #fff; --line: #999; --text: #000; --quiet: #333; --link: #000; --good: #0a4d1d; --good-ground: #fff; --bad: #8c120b; --bad-ground: #fff; --heed: #5e3d00; --heed-ground: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; } #controls { display: none; }
  .card, .row, tr { break-inside: avoid; } h2 { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; }
  .scroll, .text { overflow: visible; max-height: none; } .text > * { white-space: pre-wrap; width: auto; } .picture th { position: static; }
}`

export const STYLE = `${COLOURS}${BASE}${GRIDS}${PICTURE}${WAYS}
`
