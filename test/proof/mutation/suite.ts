import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../place.ts'

/** The tests to run, in this order, after files have changed, and the most seconds of processor time. */
interface Order {
  readonly changed: readonly string[]
  readonly tests: readonly string[]
  readonly seconds: number
}

/** A test file that ended, the end of an order, or no end in time. */
type Report =
  | { readonly ended: string; readonly failed?: string }
  | { readonly over: true; readonly errors: readonly string[] }
  | { readonly late: true }

/** How a run of tests ended: the first failure, nothing, or no end in time. */
export type Ended =
  | { readonly state: 'failed'; readonly by: string; readonly why: string }
  | { readonly state: 'passed' }
  | { readonly state: 'late'; readonly passed: number }

/** Seconds that other tests may take to end after one has failed. */
const MOST_AFTER_FAILURE = 3

/** Tests that wait for ever take no time of the processor. They end after this many times the seconds by the clock. */
const BY_CLOCK = 6

/** Runs tests of one copy, in a process that is stopped and started again when tests take too long. */
export class Suite {
  readonly #root: string
  readonly #workers: number
  #process: ChildProcess | undefined
  #mutated: string | undefined

  constructor(root: string, workers: number) {
    this.#root = root
    this.#workers = workers
  }

  /** Runs these tests in this order until one fails, for some seconds of processor time. `mutated`: the file that is not as it was. */
  run(tests: readonly string[], seconds: number, mutated?: string): Promise<Ended> {
    const child = this.#started()
    let failure: Extract<Ended, { state: 'failed' }> | undefined
    let passed = 0
    const changed = [this.#mutated, mutated].filter(file => file !== undefined)
    this.#mutated = mutated
    return new Promise(resolve => {
      const end = (ended: Ended): void => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(ended)
      }
      const stop = (ended: Ended): void => {
        this.stop()
        end(ended)
      }
      let timer = setTimeout(() => stop({ state: 'late', passed }), 1000 * BY_CLOCK * seconds)
      child.once('exit', () => stop({ state: 'failed', by: 'the process', why: 'it ended' }))
      child.on('message', (report: Report) => {
        if ('late' in report) return stop({ state: 'late', passed })
        if ('over' in report) {
          const [error] = report.errors
          const unhandled = { state: 'failed', by: 'an error outside of tests', why: error ?? '' } as const
          return end(failure ?? (error === undefined ? { state: 'passed' } : unhandled))
        }
        if (report.failed === undefined) passed++
        else if (failure === undefined) {
          const found = { state: 'failed', by: report.ended, why: report.failed } as const
          failure = found
          clearTimeout(timer)
          timer = setTimeout(() => stop(found), 1000 * MOST_AFTER_FAILURE)
        }
      })
      child.send({ changed, tests, seconds } satisfies Order)
    })
  }

  /** Stops the process with everything that its tests have started. */
  stop(): void {
    const id = this.#process?.pid
    this.#process = undefined
    if (id === undefined) return
    try {
      process.kill(-id, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }

  #started(): ChildProcess {
    if (this.#process === undefined) {
      const script = join(ROOT, 'test/proof/mutation/suite-process.mjs')
      // A group of its own, so that nothing survives.
      this.#process = fork(script, [this.#root, `${this.#workers}`], {
        detached: true,
        stdio: 'ignore',
        cwd: this.#root,
      })
    }
    return this.#process
  }
}
