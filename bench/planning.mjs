import { join } from 'node:path'
import { here, insideProcess, pairsOf, ratioRow } from './measure.mjs'
import { savePages } from './pages.mjs'
import { VARIABLES, writeSample } from './samples.mjs'
import { openWorld, requestsOf } from './world.mjs'

export async function planningTable(directory, sizes, count) {
  const rows = []
  for (const sets of sizes) rows.push(...(await rowsOf(directory, sets, count)))
  return { title: 'Plan: `createPlan`, cold, with decoded states', rows }
}

async function rowsOf(directory, sets, count) {
  const base = writeSample(join(directory, `plan-${sets}`), { sets })
  const changed = writeSample(join(directory, `plan-changed-${sets}`), { sets, changeEvery: 100 })
  const changes = (sets * VARIABLES) / 100
  const saved = await pagesOf(base, join(directory, `pages-${sets}`))
  const planned = (files, steps) => {
    const result = insideProcess([here('cold/plan.mjs'), files, saved])
    if (result.steps !== steps) throw new Error(`${result.steps} steps instead of ${steps}`)
    return result
  }
  const parsed = () => insideProcess([here('cold/json.mjs'), saved]).ms
  const idle = pairsOf(count, () => planned(base, 0), parsed)
  const busy = pairsOf(count, () => planned(changed, changes), parsed)
  const floorIs = '`JSON.parse` of the list'
  return [
    ratioRow(`${sets} sets: plan, 0 changes`, idle, { target: 1, floorIs, pick: ours => ours.ms }),
    ratioRow(`${sets} sets: plan, ${changes} changes (1 %)`, busy, {
      target: 1,
      floorIs,
      pick: ours => ours.ms,
    }),
    ratioRow(`${sets} sets: parse, check and decode the list`, idle, {
      floorIs,
      pick: ours => ours.decodeMs,
    }),
  ]
}

/** The list of the sandbox after the sample was applied to it. */
async function pagesOf(files, directory) {
  const world = await openWorld()
  await requestsOf(world, files, { apply: true })
  await savePages(world.uncounted, directory)
  await world.close()
  return directory
}
