import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { addTally, emptyTally, type Tally, type Unit } from './unit.ts'

/** Sweeps all units with so many threads of the compiled program. The sum does not depend on their number. */
export async function simulate(
  directory: string,
  units: readonly Unit[],
  threads: number,
  onUnit: (unit: Unit, tally: Tally) => void = () => {},
): Promise<Tally> {
  const sum = emptyTally()
  const queue = units.values()
  await Promise.all(Array.from({ length: threads }, () => work(directory, queue, sum, onUnit)))
  return sum
}

function work(
  directory: string,
  queue: Iterator<Unit>,
  sum: Tally,
  onUnit: (unit: Unit, tally: Tally) => void,
): Promise<void> {
  const worker = new Worker(join(directory, 'test/reliability/worker.js'), {
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  return new Promise((resolve, reject) => {
    let unit: Unit | undefined
    const next = (): void => {
      const { done, value } = queue.next()
      unit = value
      if (done === true) worker.terminate().then(() => resolve(), reject)
      else worker.postMessage(value)
    }
    worker.on('message', (tally: Tally) => {
      addTally(sum, tally)
      if (unit !== undefined) onUnit(unit, tally)
      next()
    })
    worker.on('error', reject)
    next()
  })
}
