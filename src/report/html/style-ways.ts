/** Narrow windows, paper, and readers who choose their own colours or want less contrast of motion. */
export const WAYS_STYLE = `
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
