import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { effectsTable } from './effects.mjs'
import { loadingTable } from './loading.mjs'
import { machineText } from './machine.mjs'
import { BIN, profileInto } from './measure.mjs'
import { bytesTable, memoryTable } from './memory.mjs'
import { applyTable, networkTable } from './network.mjs'
import { largeTable, scaleTable } from './scale.mjs'
import { pageText, tableText } from './tables.mjs'

/**
 * Figures as ratios to a floor measured in the same run. `--quick` leaves the large samples out where time is measured,
 * `--write` puts the figures into docs/performance.md, `--cpu-prof DIR` leaves a profile of every process in a directory. Ends with 1 where one that is exact does not hold; a missed
 * target of time is only said.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'cpu-prof': { type: 'string' },
  },
})
const say = text => process.stderr.write(`${text}\n`)
if (values['cpu-prof'] !== undefined) profileInto(resolve(values['cpu-prof']))
if (existsSync(BIN)) await run()
else {
  say('dist/ is not there: npm run build')
  process.exitCode = 1
}

async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-bench-'))
  try {
    const machine = machineText()
    const tables = await measure(directory)
    console.log([machine, ...tables.map(tableText)].join('\n\n'))
    if (values.write) {
      writeFileSync(new URL('../docs/performance.md', import.meta.url), pageText(machine, tables))
      say('docs/performance.md is written')
    }
    if (tables.some(table => table.rows.some(row => row.mustHold && !row.met))) process.exitCode = 1
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measure(directory) {
  // These import from dist/, so not before it is known to be there.
  const { planningTable } = await import('./planning.mjs')
  const { requestsTable } = await import('./requests.mjs')
  const { modulesTable, startUpTable, writeSmall } = await import('./start-up.mjs')
  const { packageTable } = await import('./package.mjs')
  const sizes = [100, 1_000]
  const timed = values.quick ? [100] : sizes
  const small = writeSmall(join(directory, 'small'))
  say('requests')
  const requests = await requestsTable(directory, sizes)
  say('start-up')
  const startUp = startUpTable(small, values.quick ? 5 : 21)
  const modules = modulesTable(small)
  say('loading')
  const loading = loadingTable(directory, timed, values.quick ? 5 : 11)
  say('planning')
  const planning = await planningTable(directory, timed, values.quick ? 5 : 11)
  say('network')
  const network = await networkTable(directory, timed, values.quick ? 3 : 9)
  const apply = await applyTable(directory, values.quick ? 60 : 500)
  say('effects')
  const effects = effectsTable(directory, values.quick ? 3 : 9)
  say('memory and package')
  const memory = memoryTable(directory, timed, values.quick ? 3 : 5)
  const usual = [
    startUp,
    modules,
    loading,
    planning,
    network,
    effects,
    apply,
    requests,
    memory,
    packageTable(),
  ]
  if (values.quick) return usual
  say('large')
  const bytes = await bytesTable(directory, 3)
  return [...usual, bytes, largeTable(directory, 3), scaleTable(directory, 5)]
}
