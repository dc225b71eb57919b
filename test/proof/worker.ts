import { parentPort, workerData } from 'node:worker_threads'
import type { Family } from './family.ts'
import type { Asked, Told } from './run.ts'

const tell = (told: Told): void => parentPort?.postMessage(told)

/** Runs its tasks one after the other. */
parentPort?.on('message', async ({ family, task }: Asked) => {
  try {
    const file = (workerData as Readonly<Record<string, string>>)[family] ?? ''
    const module: { default: Family<unknown, unknown> } = await import(file)
    tell({ found: await module.default.run(task) })
  } catch (error) {
    tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
