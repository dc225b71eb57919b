import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, EMPTY, here, node, pairsOf, ratioRow } from './measure.mjs'
import { environmentOf, serve } from './network.mjs'
import { writeSample } from './samples.mjs'

/** `validate` keeps the files in memory; a plan keeps the files and the live state. */
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

/** About 50 MB of files with ten times as much in pages, and about 50 MB of both together. */
const LARGE = { sets: 17_000, variables: 50, form: 100 }
const SMALLER = { sets: 1_600, variables: 50, form: 100 }
const TARGET = 2.5

/** Memory of a run beyond an empty Node script, for each byte that it reads, compared with bare programs that read the same. */
export async function bytesTable(directory, count, [large, smaller] = [LARGE, SMALLER]) {
  const files = writeSample(join(directory, 'memory-large'), large)
  const rows = [
    bytesRow(`\`setpoint validate\`, ${shapeOf(large)}`, count, {
      args: [BIN, 'validate', '-C', files],
      bytes: bytesIn(files),
      floorIs: 'bytes of the files',
    }),
    bytesRow('reading the same files, keeping an object per variable', count, {
      args: [here('cold/keep.mjs'), files],
      bytes: bytesIn(files),
      floorIs: 'bytes of the files',
    }),
    ...(await planRows(files, count, shapeOf(large))),
    ...(await planRows(writeSample(join(directory, 'memory-smaller'), smaller), count, shapeOf(smaller))),
  ]
  return { title: 'Peak memory beyond an empty Node script', rows }
}

async function planRows(files, count, shape) {
  const service = await serve([files, '0'])
  const env = environmentOf(service)
  const bare = [here('cold/requests.mjs'), service.url, service.token, service.organization]
  const bytes = bytesIn(files) + JSON.parse(node(bare).stdout).bytes
  const floorIs = 'bytes of the files and of the inflated pages'
  const rows = [
    bytesRow(`\`setpoint plan\`, ${shape}`, count, {
      args: [BIN, 'plan', '-C', files],
      env,
      bytes,
      floorIs,
      target: TARGET,
    }),
    bytesRow('only the requests of the same plan, keeping nothing', count, { args: bare, bytes, floorIs }),
  ]
  service.end()
  return rows
}

const shapeOf = ({ sets, variables }) => `${sets} sets of ${variables} variables`

function bytesRow(what, count, { args, env, bytes, ...floor }) {
  const pairs = pairsOf(
    count,
    () => peak(args, env) - peak([EMPTY]),
    () => bytes / MIB,
  )
  return ratioRow(what, pairs, { ...floor, unit: 'MiB' })
}

const MIB = 1024 * 1024

const bytesIn = directory =>
  readdirSync(directory, { recursive: true })
    .map(path => statSync(join(directory, path)))
    .reduce((sum, status) => sum + (status.isFile() ? status.size : 0), 0)

/** In MiB. */
function peak(args, env = process.env) {
  const { stderr } = node([`--import=${new URL('cold/memory.mjs', import.meta.url)}`, ...args], { env })
  return Number(stderr.trim().split('\n').at(-1)) / 1024
}
