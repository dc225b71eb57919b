import { parentPort } from 'node:worker_threads'
import { PROFILES } from '../profiles.ts'
import { type Explored, exploreAll, exploreRandom } from './explore.ts'
import { pairNamed } from './pairs.ts'

/** All orders of a pair on a service, as far as `most` states go; or `count` random ones. */
export type Task = { readonly pair: string; readonly profile: string } & (
  | { readonly most: number; readonly concurrency: number }
  | { readonly count: number; readonly seed: number }
)

async function explore(task: Task): Promise<Explored> {
  const pair = pairNamed(task.pair)
  const profile = PROFILES[task.profile]
  if (profile === undefined) throw new RangeError(`there is no profile "${task.profile}"`)
  return 'most' in task
    ? await exploreAll(pair, profile, task.concurrency, task.most)
    : await exploreRandom(pair, profile, task.count, task.seed)
}

parentPort?.on('message', (task: Task) => {
  explore(task).then(
    explored => parentPort?.postMessage(explored),
    error => {
      throw error
    },
  )
})
