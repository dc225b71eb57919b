import { join } from 'node:path'
import { here, insideProcess, pairsOf, ratioRow } from './measure.mjs'
import { writeSample } from './samples.mjs'

const LARGE = { sets: 10_000, variables: 50, form: 100 }

/** Files to a plan without changes, beside nothing but the parser of the same files. */
export function largeTable(directory, count, { sets, variables, form } = LARGE) {
  const files = writeSample(join(directory, 'large'), { sets, variables, form })
  const pairs = pairsOf(
    count,
    () => insideProcess([here('cold/load-plan.mjs'), files]).ms,
    () => insideProcess([here('cold/parse.mjs'), files]).ms,
  )
  const what = `${sets} sets of ${variables} variables: load, check, plan`
  return {
    title: 'Large: files to a plan, cold, without imports',
    rows: [ratioRow(what, pairs, { target: 0.25, floorIs: 'parse the same YAML' })],
  }
}

/** What one set more costs where there are many, beside what it costs where there are few. */
export function scaleTable(directory, count, [few, some, many] = [100, 1_000, 10_000]) {
  const files = new Map(
    [few, some, many].map(sets => [
      sets,
      writeSample(join(directory, `scale-${sets}`), { sets, form: 'files' }),
    ]),
  )
  const timeOf = (sets, ...args) => insideProcess([here('cold/load-plan.mjs'), files.get(sets), ...args]).ms
  const row = (what, ...args) =>
    ratioRow(
      what,
      pairsOf(
        count,
        () => ((timeOf(many, ...args) - timeOf(some, ...args)) / (many - some)) * 1_000,
        () => ((timeOf(some, ...args) - timeOf(few, ...args)) / (some - few)) * 1_000,
      ),
      { target: 1.2, floorIs: `a thousand sets from ${few} to ${some}` },
    )
  return {
    title: 'Scale: what a thousand sets more cost',
    rows: [
      row(`from ${some} to ${many}, nothing to do`),
      row(`from ${some} to ${many}, all to be created`, 'empty'),
    ],
  }
}
