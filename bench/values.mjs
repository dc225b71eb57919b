import { here, insideProcess, pairsOf, ratioRow } from './measure.mjs'
import { CASES } from './value-cases.mjs'

/** Longer than this, and somebody who waits notices. */
const PAUSE = 200

/**
 * What HCP Terraform takes at the most, changed: planning and rendering never give the event loop a turn, so their time is
 * the longest stretch without one.
 */
export function valuesTable(count) {
  const rows = Object.keys(CASES).map(name => {
    const pairs = pairsOf(
      count,
      () => insideProcess([here('cold/value.mjs'), name]).ms,
      () => PAUSE,
    )
    return ratioRow(name, pairs, { target: 1, floorIs: `${PAUSE} ms: a pause` })
  })
  return { title: 'A changed value of 256 KB: plan, text, Markdown and HTML in one stretch', rows }
}
