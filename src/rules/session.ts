import { Worker } from 'node:worker_threads'
import type { EngineRule, Mistake } from './engine/check.ts'
import type { Evaluated } from './engine/evaluate.ts'
import type { Response, Task } from './engine/worker.ts'
import { answerTo, type Facts, type Wanted } from './table.ts'
import { WORKER_CODE } from './worker-code.gen.ts'

/** A rule that did not end, or used too much memory. `rule`: its index. */
export class RuleTooExpensive extends Error {
  override readonly name = 'RuleTooExpensive'
  readonly rule: number
  constructor(rule: number) {
    super('A rule takes too much time or memory.')
    this.rule = rule
  }
}

/** A hostile rule ends here. A usual one takes milliseconds. */
const BUDGET_MS = 10_000

const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 }

/**
 * Checks and evaluates rules in a separate thread with the CEL library. The thread ends with the session, or when a rule
 * exhausts the budget. It starts at once, does not keep the process alive, and does one task at a time.
 */
export class RuleSession {
  /** The current rule, and whether an answer was sent. */
  readonly #state = new Int32Array(new SharedArrayBuffer(8))
  readonly #worker: Worker
  readonly #budget: number

  constructor(budget = BUDGET_MS) {
    this.#budget = budget
    this.#worker = new Worker(WORKER_CODE, {
      eval: true,
      workerData: this.#state.buffer,
      env: {},
      execArgv: [],
      resourceLimits: LIMITS,
    })
    this.#worker.unref()
    this.#worker.on('error', () => {})
  }

  /** Rejects with `RuleTooExpensive`. */
  check(rules: readonly EngineRule[]): Promise<readonly Mistake[]> {
    return this.#ask({ task: 'check', rules: rules.map(plain) }) as Promise<readonly Mistake[]>
  }

  /** The hits of rules that were checked. Rejects with `RuleTooExpensive`. */
  evaluate(rules: readonly EngineRule[], facts: Facts): Promise<Evaluated> {
    return this.#ask({ task: 'evaluate', rules: rules.map(plain) }, facts) as Promise<Evaluated>
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(wanted: Wanted, facts: Facts | undefined): void {
    this.#worker.postMessage(facts && answerTo(facts, wanted))
    Atomics.store(this.#state, 1, 1)
    Atomics.notify(this.#state, 1)
  }

  #ask(task: Task, facts?: Facts): Promise<unknown> {
    const worker = this.#worker
    Atomics.store(this.#state, 0, 0)
    return new Promise((resolve, reject) => {
      const expensive = (): void => finish(() => reject(new RuleTooExpensive(Atomics.load(this.#state, 0))))
      const failed = (error: Error): void =>
        isOutOfMemory(error) ? expensive() : finish(() => reject(error))
      const timer = setTimeout(() => {
        expensive()
        worker.terminate().catch(() => {})
      }, this.#budget)
      const answered = (response: Response): void => {
        try {
          if ('wanted' in response) this.#send(response.wanted, facts)
          else finish(() => resolve(response.result))
        } catch (error) {
          finish(() => reject(error))
          worker.terminate().catch(() => {})
        }
      }
      const finish = (end: () => void): void => {
        clearTimeout(timer)
        worker.off('message', answered).off('error', failed).off('exit', expensive)
        worker.unref()
        end()
      }
      worker.on('message', answered).on('error', failed).on('exit', expensive)
      worker.ref()
      worker.postMessage(task)
    })
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

const plain = ({ for: subject, when, require }: EngineRule): EngineRule => ({ for: subject, when, require })
