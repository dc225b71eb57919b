import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, insideProcess, node, wholeProcess } from './measure.mjs'
import { packageFigures } from './package.mjs'
import { savePages } from './pages.mjs'
import { countRequests } from './requests.mjs'
import { ORGANIZATION, VARIABLES, writeSample } from './samples.mjs'
import { openWorld, requestsOf } from './world.mjs'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const BIN = here('../dist/cli/bin.js')
const EMPTY = here('cold/empty.mjs')

/** Every table, the exact ones first: a mistake there ends the run before the clock is asked anything. */
export async function measureAll(directory, { quick, say }) {
  const sizes = [100, 1_000]
  say('counting requests')
  const counted = []
  for (const sets of sizes) counted.push(...(await countRequests(directory, sets)))
  const timed = quick ? sizes.slice(0, 1) : sizes
  const pairs = quick ? 5 : 9
  say('start-up')
  const startUp = startUpTable(directory, quick ? 7 : 21)
  say('loading files')
  const loading = loadingTable(directory, timed, pairs)
  say('planning')
  const planning = await planningTable(directory, timed, pairs)
  say('memory and package')
  const memory = memoryTable(directory, timed, 5)
  return [startUp, loading, planning, requestsTable(counted), memory, packageTable()]
}

/** A ratio with its floor; `target` undefined: shown, not judged. */
const row = (what, floorIs, measured, target, unit = 'ms') => ({
  what,
  floorIs,
  ...measured,
  unit,
  target,
  met: target === undefined ? undefined : measured.ratio <= target,
})

function startUpTable(directory, pairs) {
  const small = join(directory, 'small')
  mkdirSync(join(small, 'sets'), { recursive: true })
  writeFileSync(join(small, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  writeFileSync(
    join(small, 'sets/aws.yaml'),
    'variableSets:\n  aws:\n    description: Keys of the deploy role.\n    env:\n      AWS_REGION: eu-west-1\n',
  )
  const floor = 'an empty Node script'
  const against = args =>
    compare(
      pairs,
      () => wholeProcess([BIN, ...args]),
      () => wholeProcess([EMPTY]),
    )
  return {
    title: 'Start-up: whole processes',
    rows: [
      row('`setpoint --version`', floor, against(['--version']), 1.2),
      row('`setpoint validate`, one small set', floor, against(['validate', '-C', small]), 2),
      row('`setpoint --help`', floor, against(['--help'])),
    ],
  }
}

function loadingTable(directory, sizes, pairs) {
  const rows = sizes.flatMap(sets =>
    ['one-file', 'files'].map(form => {
      const files = writeSample(join(directory, `load-${form}-${sets}`), { sets, form })
      const measured = compare(
        pairs,
        () => insideProcess([here('cold/load.mjs'), files]).ms,
        () => insideProcess([here('cold/parse.mjs'), files]).ms,
      )
      const shape = form === 'one-file' ? 'one file' : `${sets} files`
      return row(`${sets} sets of ${VARIABLES} variables, ${shape}`, 'parse the same YAML', measured, 1.3)
    }),
  )
  return { title: 'Load and validate: `loadDesired`, cold, without imports', rows }
}

async function planningTable(directory, sizes, pairs) {
  const rows = []
  for (const sets of sizes) {
    const base = writeSample(join(directory, `plan-${sets}`), { sets })
    const changed = writeSample(join(directory, `plan-changed-${sets}`), { sets, changeEvery: 100 })
    const changes = (sets * VARIABLES) / 100
    const saved = await pagesOf(base, join(directory, `pages-${sets}`))
    const planned = (files, steps) => {
      const result = insideProcess([here('cold/plan.mjs'), files, saved])
      if (result.steps !== steps) throw new Error(`${result.steps} steps instead of ${steps}`)
      return result
    }
    const against = ours => compare(pairs, ours, () => insideProcess([here('cold/json.mjs'), saved]).ms)
    const floor = '`JSON.parse` of the list'
    rows.push(
      row(
        `${sets} sets: plan, 0 changes`,
        floor,
        against(() => planned(base, 0).ms),
        1,
      ),
      row(
        `${sets} sets: plan, ${changes} changes (1 %)`,
        floor,
        against(() => planned(changed, changes).ms),
        1,
      ),
      row(
        `${sets} sets: the pages, parsed, checked and decoded`,
        floor,
        against(() => planned(base, 0).decodeMs),
      ),
    )
  }
  return { title: 'Plan: `createPlan`, cold, both states decoded already', rows }
}

/** The list as the sandbox answers it once the sample was applied to it. */
async function pagesOf(files, directory) {
  const world = await openWorld()
  await requestsOf(world, files, { apply: true })
  await savePages(world.uncounted, directory)
  await world.close()
  return directory
}

function requestsTable(counted) {
  const rows = counted.map(({ sets, what, minimum, sent }) => ({
    what: `${sets} sets: ${what}`,
    minimum,
    sent,
    mustHold: true,
    met: minimum.reads === sent.reads && minimum.writes === sent.writes,
  }))
  return { title: 'Requests, counted at the transport', rows }
}

function memoryTable(directory, sizes, pairs) {
  const peak = args => {
    const { stderr } = node(['--import', here('cold/memory.mjs'), ...args])
    return Number(stderr.trim().split('\n').at(-1)) / 1024
  }
  const rows = sizes.map(sets => {
    const files = writeSample(join(directory, `memory-${sets}`), { sets, form: 'files' })
    const measured = compare(
      pairs,
      () => peak([BIN, 'validate', '-C', files]),
      () => peak([EMPTY]),
    )
    return row(`\`setpoint validate\`, ${sets} files`, 'an empty Node script', measured, undefined, 'MiB')
  })
  return { title: 'Peak memory: whole processes', rows }
}

function packageTable() {
  const { files, packed, unpacked, direct, all, allSize, scripts } = packageFigures()
  return {
    title: 'Package',
    rows: [
      { what: 'our package', value: `${unpacked} KiB in ${files} files (${packed} KiB packed)` },
      { what: 'direct dependencies', value: `${direct}` },
      { what: 'packages installed beside it', value: `${all}, ${allSize} KiB, ${scripts} install scripts` },
    ],
  }
}
