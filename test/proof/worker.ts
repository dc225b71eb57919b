import { parentPort, workerData } from 'node:worker_threads'
import type { Family } from './family.ts'
import type { TaskRequest, TaskResult } from './run.ts'

const send = (result: TaskResult): void => parentPort?.postMessage(result)

/** Runs its tasks one after the other. */
parentPort?.on('message', async ({ family, task }: TaskRequest) => {
  try {
    const file = (workerData as Readonly<Record<string, string>>)[family] ?? ''
    const module: { default: Family<unknown, unknown> } = await import(file)
    send({ found: await module.default.run(task) })
  } catch (error) {
    send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
