import { parentPort, workerData } from 'node:worker_threads'
import type { Facts } from '../table.ts'
import type { EngineRule } from './check.ts'
import { checkRules, evaluateRules } from './evaluate.ts'

/** A task for the worker. Its response is the result of the function. */
export type Task =
  | { readonly task: 'check'; readonly rules: readonly EngineRule[] }
  | { readonly task: 'evaluate'; readonly rules: readonly EngineRule[]; readonly facts: Facts }

/** The index of the current rule, which is read after this thread was ended. */
const current = new Int32Array(workerData as SharedArrayBuffer)
const onRule = (index: number): void => {
  Atomics.store(current, 0, index)
}

parentPort?.on('message', (asked: Task) => {
  parentPort?.postMessage(
    asked.task === 'check'
      ? checkRules(asked.rules, onRule)
      : evaluateRules(asked.rules, asked.facts, onRule),
  )
})
