import { join } from 'node:path'
import { here, insideProcess, pairsOf, ratioRow } from './measure.mjs'
import { VARIABLES, writeSample } from './samples.mjs'

/** The floor is only parsing, without reading or checking the files. */
export function loadingTable(directory, sizes, count) {
  const rows = sizes.flatMap(sets =>
    ['one-file', 'files'].map(form => {
      const files = writeSample(join(directory, `load-${form}-${sets}`), { sets, form })
      const pairs = pairsOf(
        count,
        () => insideProcess([here('cold/load.mjs'), files]).ms,
        () => insideProcess([here('cold/parse.mjs'), files]).ms,
      )
      const shape = form === 'one-file' ? 'one file' : `${sets} files`
      const what = `${sets} sets of ${VARIABLES} variables, ${shape}`
      return ratioRow(what, pairs, { target: 0.5, floorIs: 'parse the same YAML' })
    }),
  )
  return { title: 'Load and validate: `loadDesired`, cold, without imports', rows }
}
