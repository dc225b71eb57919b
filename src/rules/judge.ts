import { Worker } from 'node:worker_threads'
import { compareText, type Diagnostic } from '../model/diagnostic.ts'
import { isSameRule, levelRank, placeInRule, type Rule, type RuleHit } from '../model/rule.ts'
import type { EngineRule, Mistake } from './engine/check.ts'
import type { Evaluated } from './engine/evaluate.ts'
import type { Response, Task } from './engine/worker.ts'
import type { RuleFacts } from './facts.ts'
import { answerTo, type Facts, type Wanted } from './table.ts'
import { WORKER_CODE } from './worker-code.gen.ts'

/**
 * Rules in their thread: `check` after they are read, `judge` for each plan. Shapes: `Rule` from the loader, `RuleFacts` from
 * `ruleFacts`.
 */
export class Judge {
  #session: RuleSession | undefined
  readonly #budget: number | undefined

  /** The thread starts at once. `budget`: milliseconds for one task. */
  constructor(budget?: number) {
    this.#budget = budget
    this.#session = new RuleSession(budget)
  }

  /** Every mistake in the expressions, at its place. */
  check(rules: readonly Rule[]): Promise<Diagnostic[]> {
    return this.#told(rules, async session => {
      const mistakes = await session.check(rules.map(engineRule))
      return mistakes.map(mistake => mistakeIn(rules, mistake, 'rule-expression'))
    })
  }

  /** The violated rules, by rule and item, and an error for each rule that could not be evaluated. */
  async judge(rules: readonly Rule[], { facts, itemOf }: RuleFacts): Promise<Judgement> {
    let hits: RuleHit[] = []
    const errors = await this.#told(rules, async session => {
      const found = await session.evaluate(rules.map(engineRule), facts)
      hits = found.hits.flatMap(({ rule: index, item }) => {
        const rule = rules[index]
        return rule === undefined ? [] : [hitOf(rule, itemOf(rule.for, item))]
      })
      return found.mistakes.map(mistake => mistakeIn(rules, mistake, 'rule-failed'))
    })
    return { hits: strongest(hits), errors }
  }

  async close(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    await session?.close()
  }

  async #told(
    rules: readonly Rule[],
    ask: (session: RuleSession) => Promise<Diagnostic[]>,
  ): Promise<Diagnostic[]> {
    this.#session ??= new RuleSession(this.#budget)
    try {
      return await ask(this.#session)
    } catch (error) {
      if (!(error instanceof RuleTooExpensive)) throw error
      await this.close()
      return [tooExpensive(rules[error.rule])]
    }
  }
}

interface Judgement {
  readonly hits: readonly RuleHit[]
  readonly errors: readonly Diagnostic[]
}

const engineRule = ({ for: subject, when, require }: Rule): EngineRule => ({
  for: subject,
  when: when?.text,
  require: require.text,
})

const hitOf = (
  { id, level, message, source }: Rule,
  { item, at }: ReturnType<RuleFacts['itemOf']>,
): RuleHit => ({ rule: id, level, message, item, source, at })

/** If the files and the base have the same rule for one item, the one with the higher level. */
function strongest(hits: readonly RuleHit[]): RuleHit[] {
  const byItem = new Map<string, RuleHit>()
  for (const hit of hits) {
    const { kind, set, key, detail } = hit.item
    const identity = JSON.stringify([hit.rule, kind, set, key, detail])
    const known = byItem.get(identity)
    if (known === undefined || levelRank(hit.level) > levelRank(known.level)) byItem.set(identity, hit)
  }
  return [...byItem.values()].toSorted(
    (a, b) =>
      levelRank(b.level) - levelRank(a.level) ||
      compareText(a.rule, b.rule) ||
      compareText(a.item.set ?? '', b.item.set ?? '') ||
      compareText(a.item.key ?? '', b.item.key ?? ''),
  )
}

function mistakeIn(
  rules: readonly Rule[],
  { rule: index, part, offset, message, hint }: Mistake,
  code: 'rule-expression' | 'rule-failed',
): Diagnostic {
  const rule = rules[index]
  const failed = code === 'rule-failed' ? `The rule "${rule?.id}" cannot be evaluated. ` : ''
  return {
    severity: 'error',
    code,
    message: `${failed}${message}`,
    hint,
    source: rule && placeInRule(rule, part, offset),
  }
}

const tooExpensive = (rule: Rule | undefined): Diagnostic => ({
  severity: 'error',
  code: 'rule-too-expensive',
  message: `The rule "${rule?.id}" takes too much time or memory.`,
  hint: 'Check fewer objects at once: write `for: set` instead of a loop over `plan.sets`.',
  source: rule?.source,
})

/** The rules for a plan: those of the files, and those of the base, which a change cannot remove. */
export function rulesInForce(head: readonly Rule[], base: readonly Rule[]): Rule[] {
  const byId = new Map(base.map(rule => [rule.id, rule]))
  const same = new Set<Rule>()
  const strict = head.map(rule => {
    const before = byId.get(rule.id)
    if (before === undefined || !isSameRule(before, rule)) return rule
    same.add(before)
    return levelRank(before.level) > levelRank(rule.level) ? { ...rule, level: before.level } : rule
  })
  return [...strict, ...base.filter(rule => !same.has(rule))]
}

/** A rule that did not end, or used too much memory. `rule`: its index. */
class RuleTooExpensive extends Error {
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
