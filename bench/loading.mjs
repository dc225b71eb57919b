import { join } from 'node:path'
import { BIN, EMPTY, here, insideProcess, node, pairsOf, ratioRow } from './measure.mjs'
import { VARIABLES, writeSample } from './samples.mjs'

/** The floor is parsing alone: neither reading the files nor looking at what they say is in it. */
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

/** `validate` holds what the files say; a plan holds what the service says as well. */
export function memoryTable(directory, sizes, count) {
  const rows = sizes.map(sets => {
    const files = writeSample(join(directory, `memory-${sets}`), { sets, form: 'files' })
    const pairs = pairsOf(
      count,
      () => peak([BIN, 'validate', '-C', files]),
      () => peak([EMPTY]),
    )
    return ratioRow(`\`setpoint validate\`, ${sets} files`, pairs, {
      floorIs: 'an empty Node script',
      unit: 'MiB',
    })
  })
  return { title: 'Peak memory: whole processes', rows }
}

function peak(args) {
  const { stderr } = node([`--import=${new URL('cold/memory.mjs', import.meta.url)}`, ...args])
  return Number(stderr.trim().split('\n').at(-1)) / 1024
}
