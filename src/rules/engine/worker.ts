import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { lazy } from '../../model/lists.ts'
import type { Column, Facts, Table, TableName, Wanted } from '../table.ts'
import type { EngineRule } from './check.ts'
import { checkRules, evaluateRules } from './evaluate.ts'

/** A task for the worker. Its response is the result of the function; before it, the worker may want facts. */
export interface Task {
  readonly task: 'check' | 'evaluate'
  readonly rules: readonly EngineRule[]
}

export type Response = { readonly wanted: Wanted } | { readonly result: unknown }

/** The index of the current rule, which is read after this thread was ended; and whether what it wants is there. */
const state = new Int32Array(workerData as SharedArrayBuffer)
const onRule = (index: number): void => {
  Atomics.store(state, 0, index)
}

const respond = (response: Response): void => parentPort?.postMessage(response)

/** Waits for the main thread. */
function fetched(wanted: Wanted): unknown {
  Atomics.store(state, 1, 0)
  respond({ wanted })
  Atomics.wait(state, 1, 0)
  return parentPort && receiveMessageOnPort(parentPort)?.message
}

/** The facts of the plan, each fetched when a rule first reads it. */
function fetchedFacts(): Facts {
  const tables = new Map<TableName, Table>()
  return table => {
    const known = tables.get(table) ?? fetchedTable(table)
    tables.set(table, known)
    return known
  }
}

function fetchedTable(table: TableName): Table {
  const size = lazy(() => fetched({ table }) as number)
  const columns = new Map<string, Column | undefined>()
  return {
    get size() {
      return size()
    },
    column: field => {
      if (!columns.has(field)) columns.set(field, fetched({ table, field }) as Column | undefined)
      return columns.get(field)
    },
  }
}

parentPort?.on('message', ({ task, rules }: Task) => {
  respond({
    result: task === 'check' ? checkRules(rules, onRule) : evaluateRules(rules, fetchedFacts(), onRule),
  })
})
