import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { againstTable, casesWith } from './against.mjs'
import { effectsTable } from './effects.mjs'
import { loadingTable } from './loading.mjs'
import { machineText } from './machine.mjs'
import { BIN, profileInto } from './measure.mjs'
import { bytesTable, memoryTable } from './memory.mjs'
import { applyTable, networkTable } from './network.mjs'
import { rulesTable } from './rules.mjs'
import { writeSmall } from './samples.mjs'
import { largeTable, operationsTable, scaleTable, workspacesTable } from './scale.mjs'
import { pageText, plain, tableText } from './tables.mjs'
import { valuesTable } from './values.mjs'

/**
 * Measures ratios to a floor of the same run. `--quick` takes small samples and few pairs: every table, in under a minute.
 * `--write` puts the figures into docs/performance.md, `--node PATH` (repeatable) also measures the start of another Node,
 * `--cpu-prof DIR` saves a profile of every process. `--against DIR` only compares this build with the one in another clone;
 * `--only TEXT` selects the rows with that text. Exits 1 if an exact row is wrong; a missed target of time is only reported.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
    'cpu-prof': { type: 'string' },
    against: { type: 'string' },
    only: { type: 'string' },
  },
})
const say = text => process.stderr.write(`${text}\n`)
/** How many pairs, and how large; `undefined`: the default of the table. */
const FULL = {
  counts: {
    against: 9,
    startUp: 21,
    loading: 11,
    planning: 11,
    network: 9,
    effects: 9,
    memory: 5,
    large: 3,
    scale: 5,
    workspaces: 11,
    operations: 5,
    values: 7,
  },
  operations: 500,
  shapes: {},
}
const QUICK = {
  timed: [100],
  counts: {
    against: 3,
    startUp: 5,
    loading: 3,
    planning: 3,
    network: 2,
    effects: 1,
    memory: 1,
    large: 1,
    scale: 1,
    workspaces: 3,
    operations: 1,
    values: 1,
  },
  operations: 60,
  shapes: {
    large: { sets: 500, variables: 50, form: 100 },
    sets: [50, 200, 1_000],
    workspaces: [1, 500, 2_500],
    operations: [500, 2_000, 10_000],
  },
}

if (values['cpu-prof'] !== undefined) profileInto(resolve(values['cpu-prof']))
if (values.against !== undefined && values.write) {
  say('--against cannot be combined with --write')
  process.exitCode = 1
} else if (values.only !== undefined && values.against === undefined) {
  say('--only needs --against DIR')
  process.exitCode = 1
} else if (casesWith(values.only).length === 0) {
  say(`--only: no row contains "${values.only}". The rows are:`)
  for (const { what } of casesWith()) say(`  ${plain(what)}`)
  process.exitCode = 1
} else if (existsSync(BIN)) await run()
else {
  say('dist/ does not exist. Run: npm run build')
  process.exitCode = 1
}

async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-bench-'))
  try {
    const machine = machineText()
    const tables =
      values.against === undefined
        ? await measure(directory)
        : [
            againstTable(
              directory,
              resolve(values.against),
              (values.quick ? QUICK : FULL).counts.against,
              values.only,
            ),
          ]
    console.log([machine, ...tables.map(tableText)].join('\n\n'))
    if (values.write) {
      writeFileSync(new URL('../docs/performance.md', import.meta.url), pageText(machine, tables))
      say('wrote docs/performance.md')
    }
    if (tables.some(table => table.rows.some(row => row.mustHold && !row.met))) process.exitCode = 1
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measure(directory) {
  // These import from dist/, so they are imported after the check that it exists.
  const { planningTable } = await import('./planning.mjs')
  const { requestsTable } = await import('./requests.mjs')
  const { modulesTable, startUpTable } = await import('./start-up.mjs')
  const { packageTable } = await import('./package.mjs')
  const sizes = [100, 1_000]
  const { timed, counts, operations, shapes } = values.quick ? QUICK : { ...FULL, timed: sizes }
  const small = writeSmall(join(directory, 'small'))
  say('requests')
  const requests = await requestsTable(directory, sizes)
  say('start-up')
  const startUp = await startUpTable(
    small,
    counts.startUp,
    values.node.map(path => resolve(path)),
  )
  const modules = modulesTable(small)
  say('loading')
  const loading = loadingTable(directory, timed, counts.loading)
  say('planning')
  const planning = await planningTable(directory, timed, counts.planning)
  say('network')
  const network = await networkTable(directory, timed, counts.network)
  const apply = await applyTable(directory, operations)
  say('effects')
  const effects = effectsTable(directory, counts.effects)
  say('rules')
  const rules = rulesTable(directory, counts.effects)
  say('memory and package')
  const memory = memoryTable(directory, timed, counts.memory)
  const bytes = values.quick ? [] : [await bytesTable(directory, 3)]
  say('large')
  const large = largeTable(directory, counts.large, shapes.large)
  say('scale')
  const scale = [
    scaleTable(directory, counts.scale, shapes.sets),
    workspacesTable(counts.workspaces, shapes.workspaces),
    operationsTable(counts.operations, shapes.operations),
    valuesTable(counts.values),
  ]
  return [
    startUp,
    modules,
    loading,
    planning,
    network,
    effects,
    rules,
    apply,
    requests,
    memory,
    ...bytes,
    packageTable(),
    large,
    ...scale,
  ]
}
