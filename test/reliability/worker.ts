import { parentPort } from 'node:worker_threads'
import { sweep, type Unit } from './unit.ts'

// Faults are errors by the hundred thousand, and nobody reads where they were made.
Error.stackTraceLimit = 0

/** Sweeps the units it is given, one after the other. */
parentPort?.on('message', (unit: Unit) => {
  sweep(unit).then(
    tally => parentPort?.postMessage(tally),
    error => {
      throw error
    },
  )
})
