import { parentPort, workerData } from 'node:worker_threads'
import { PROBES, type ProbeName } from './probes.ts'

/** The task of a thread with a compiled program: schedules, or a probe. */
export type Check = { readonly schedules: readonly string[] } | { readonly probe: ProbeName }

/** The schedules that break a promise, or the findings of the probe. */
async function findingsOf(task: Check): Promise<readonly string[]> {
  if ('probe' in task) return await (await PROBES[task.probe]())()
  const { parseSchedule, play } = await import('../schedules/schedule.ts')
  const found: string[] = []
  for (const schedule of task.schedules) {
    const { violations } = await play(parseSchedule(schedule))
    if (violations[0] !== undefined) found.push(`${schedule}: ${violations[0]}`)
  }
  return found
}

parentPort?.postMessage(await findingsOf(workerData as Check))
