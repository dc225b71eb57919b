import { join } from 'node:path'
import { here, insideProcess, pairsOf, ratioRow } from './measure.mjs'
import { writeSample } from './samples.mjs'

const LARGE = { sets: 10_000, variables: 50, form: 100 }

/** From files to a plan without changes, compared with the parser alone. */
export function largeTable(directory, count, { sets, variables, form } = LARGE) {
  const files = writeSample(join(directory, 'large'), { sets, variables, form })
  const pairs = pairsOf(
    count,
    () => insideProcess([here('cold/load-plan.mjs'), files]).ms,
    () => insideProcess([here('cold/parse.mjs'), files]).ms,
  )
  const what = `${sets} sets of ${variables} variables: load, check, plan`
  // A smaller sample spends its time on code that runs for the first time, and proves nothing.
  const target = sets < LARGE.sets ? undefined : 0.25
  return {
    title: 'Large configuration: files to a plan, cold, without imports',
    rows: [ratioRow(what, pairs, { target, floorIs: 'parse the same YAML' })],
  }
}

/** The cost of one more set among many, compared with its cost among few. */
export function scaleTable(directory, count, sizes = [100, 1_000, 10_000]) {
  const files = new Map(
    sizes.map(sets => [sets, writeSample(join(directory, `scale-${sets}`), { sets, form: 'files' })]),
  )
  const row = (what, ...args) =>
    marginalRow(`sets, ${what}`, sizes, 1_000, count, sets =>
      insideProcess([here('cold/load-plan.mjs'), files.get(sets), ...args]),
    )(({ ms }) => ms)
  return {
    title: 'Scale: cost of a thousand more sets',
    rows: [row('nothing to do'), row('all to be created', 'empty')],
  }
}

/** The same for workspaces of one set, half of which are new to it. */
export function workspacesTable(count, sizes = [1, 1_000, 5_000]) {
  const row = marginalRow('workspaces of a set: names to a plan', sizes, 1_000, count, workspaces =>
    insideProcess([here('cold/workspaces.mjs'), `${workspaces}`]),
  )
  return { title: 'Scale: cost of a thousand more workspaces', rows: [row(({ ms }) => ms)] }
}

/** The same for operations: planning them, and executing them while the service answers at once. */
export function operationsTable(count, sizes = [1_000, 10_000, 100_000]) {
  const row = marginalRow('operations', sizes, 1_000, count, operations =>
    insideProcess([here('cold/operations.mjs'), `${operations}`]),
  )
  return {
    title: 'Scale: cost of a thousand more operations',
    rows: [
      row(({ planMs }) => planMs, 'plan'),
      row(({ applyMs }) => applyMs, 'execute, without the service'),
    ],
  }
}

/** The cost from `some` to `many`, compared with that from `few` to `some`; one row for each figure of a run. */
function marginalRow(what, [few, some, many], pieces, count, runOf) {
  const runs = Array.from({ length: count }, () => [few, some, many].map(size => runOf(size)))
  return (figureOf, more) => {
    const pairs = runs.map(run => {
      const [small, middle, large] = run.map(figureOf)
      return {
        ours: ((large - middle) / (many - some)) * pieces,
        floor: ((middle - small) / (some - few)) * pieces,
      }
    })
    const full = `from ${some} to ${many} ${what}${more === undefined ? '' : `: ${more}`}`
    return ratioRow(full, pairs, { target: 1.2, floorIs: `the same from ${few} to ${some}` })
  }
}
