import { parentPort } from 'node:worker_threads'
import type { EngineRule } from './check-expressions.ts'
import { checkRules, evaluateRules } from './evaluate.ts'

/** A task for the worker. `planned`: what the plan leads to, as the JSON that reports have. */
export type Task =
  | { readonly task: 'check'; readonly rules: readonly EngineRule[] }
  | { readonly task: 'evaluate'; readonly rules: readonly EngineRule[]; readonly planned: string }

/** The index of the rule that begins, so that one that does not end is known; at the end the result of the function. */
export type Response = { readonly begins: number } | { readonly result: unknown }

const respond = (response: Response): void => parentPort?.postMessage(response)
const onRule = (begins: number): void => respond({ begins })

parentPort?.on('message', (task: Task) => {
  respond({
    result:
      task.task === 'check'
        ? checkRules(task.rules, onRule)
        : evaluateRules(task.rules, JSON.parse(task.planned), onRule),
  })
})
