import { join } from 'node:path'
import { VARIABLES, writeSample } from './samples.mjs'
import { openWorld, requestsOf } from './world.mjs'

const PAGE = 100
const CHANGE_EVERY = 100

/** Compares counted requests with the table in docs/requests.md. */
export async function requestsTable(directory, sizes) {
  const rows = []
  for (const sets of sizes) rows.push(...(await rowsOf(directory, sets)))
  return { title: 'Requests, counted at the transport', rows }
}

/**
 * The minimum, written down a second time. Each row begins with the result of the previous one, the first with an empty
 * organization.
 */
async function rowsOf(directory, sets) {
  const sample = (name, options) => writeSample(join(directory, `${name}-${sets}`), { sets, ...options })
  const base = sample('base', {})
  const changed = sample('changed', { changeEvery: CHANGE_EVERY })
  const less = sample('less', { changeEvery: CHANGE_EVERY, without: true })
  const pages = Math.ceil(sets / PAGE)
  const changes = (sets * VARIABLES) / CHANGE_EVERY
  const runs = [
    ['create everything', base, true, { reads: 1 + Math.min(sets, pages), writes: sets }],
    ['plan, nothing to do', base, false, { reads: pages, writes: 0 }],
    ['apply, nothing to do', base, true, { reads: pages, writes: 0 }],
    ['plan, 1 % changed', changed, false, { reads: pages, writes: 0 }],
    // The sample changes at most one variable of a set.
    ['apply, 1 % changed', changed, true, { reads: pages + Math.min(changes, pages), writes: changes }],
    // Several pages are read again before something is deleted.
    ['apply, 1 variable removed', less, true, { reads: pages + (pages > 1 ? pages : 0) + 1, writes: 1 }],
  ]
  const world = await openWorld()
  const rows = []
  for (const [what, files, apply, minimum] of runs) {
    const sent = await requestsOf(world, files, { apply })
    const met = minimum.reads === sent.reads && minimum.writes === sent.writes
    rows.push({ what: `${sets} sets: ${what}`, minimum, sent, mustHold: true, met })
  }
  await world.close()
  return rows
}
