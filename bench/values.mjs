import { here, insideProcess, pairsOf, ratioRow } from './measure.mjs'
import { CASES } from './value-cases.mjs'

/** Milliseconds. A user notices a longer pause. */
const PAUSE = 200

/**
 * Changes values of the maximum size on HCP Terraform. Planning and rendering give the event loop no turn, so their time is the
 * longest pause.
 */
export function valuesTable(count) {
  const rows = Object.keys(CASES).map(name => {
    const pairs = pairsOf(
      count,
      () => insideProcess([here('cold/value.mjs'), name]).ms,
      () => PAUSE,
    )
    return ratioRow(name, pairs, { target: 1, floorIs: `a pause of ${PAUSE} ms` })
  })
  return { title: 'A changed value of 256 KB: plan, text, Markdown and HTML without a pause', rows }
}
