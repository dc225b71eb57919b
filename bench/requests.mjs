import { join } from 'node:path'
import { VARIABLES, writeSample } from './samples.mjs'
import { openWorld, requestsOf } from './world.mjs'

const PAGE = 100
const CHANGE_EVERY = 100

/**
 * Counted requests beside those that the table in docs/requests.md allows, written down here a second time. The organization
 * holds the sample before each row but the first, and the rows build on one another.
 */
export async function countRequests(directory, sets) {
  const base = writeSample(join(directory, `base-${sets}`), { sets })
  const changed = writeSample(join(directory, `changed-${sets}`), { sets, changeEvery: CHANGE_EVERY })
  const less = writeSample(join(directory, `less-${sets}`), {
    sets,
    changeEvery: CHANGE_EVERY,
    without: true,
  })
  const pages = Math.ceil(sets / PAGE)
  const changes = (sets * VARIABLES) / CHANGE_EVERY
  const rows = [
    ['create everything', base, true, { reads: 1 + Math.min(sets, pages), writes: sets }],
    ['plan, nothing to do', base, false, { reads: pages, writes: 0 }],
    ['apply, nothing to do', base, true, { reads: pages, writes: 0 }],
    ['plan, 1 % changed', changed, false, { reads: pages, writes: 0 }],
    // The sample changes at most one variable of a set.
    ['apply, 1 % changed', changed, true, { reads: pages + Math.min(changes, pages), writes: changes }],
    // Several pages are read once more before something is deleted.
    ['apply, 1 variable removed', less, true, { reads: pages + (pages > 1 ? pages : 0) + 1, writes: 1 }],
  ]
  const world = await openWorld()
  const counted = []
  for (const [what, files, apply, minimum] of rows)
    counted.push({ sets, what, minimum, sent: await requestsOf(world, files, { apply }) })
  await world.close()
  return counted
}
