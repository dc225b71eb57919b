import { Worker } from 'node:worker_threads'
import { compareText, type Diagnostic, type SourceRange } from '../model/diagnostic.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { isSameRule, levelRank, placeInRule, type Rule, type RuleHit, type RuleItem } from '../model/rule.ts'
import type { EngineRule, Mistake } from './engine/check-expressions.ts'
import type { Evaluated } from './engine/evaluate.ts'
import type { Response, Task } from './engine/worker.ts'
import { WORKER_CODE } from './worker-code.gen.ts'

/** Rules in their thread: `check` after they are read, `judge` for each plan. */
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
  async judge(rules: readonly Rule[], planned: PlannedState, placeOf: PlaceOf): Promise<Judgement> {
    let hits: RuleHit[] = []
    const errors = await this.#told(rules, async session => {
      const found = await session.evaluate(rules.map(engineRule), planned)
      hits = found.hits.flatMap(({ rule: index, item }) => {
        const rule = rules[index]
        return rule === undefined ? [] : [hitOf(rule, item, placeOf(item))]
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
      return [error.rule === undefined ? tooLarge(rules[0]) : tooExpensive(rules[error.rule])]
    }
  }
}

/** The line of an item in the files. */
type PlaceOf = (item: RuleItem) => SourceRange | undefined

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
  item: RuleItem,
  at: SourceRange | undefined,
): RuleHit => ({
  rule: id,
  level,
  message,
  item,
  source,
  at,
})

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

const tooLarge = (first: Rule | undefined): Diagnostic => ({
  severity: 'error',
  code: 'rule-too-expensive',
  message: 'The plan is too large to be checked against rules, or this machine is too slow.',
  hint: 'Plan fewer sets at once with `--only`.',
  source: first?.source,
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

/** A rule that did not end, or used too much memory. `rule`: its index; `undefined`: no rule had begun. */
class RuleTooExpensive extends Error {
  override readonly name = 'RuleTooExpensive'
  readonly rule: number | undefined
  constructor(rule: number | undefined) {
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
  readonly #worker: Worker
  readonly #budget: number

  constructor(budget = BUDGET_MS) {
    this.#budget = budget
    this.#worker = new Worker(WORKER_CODE, { eval: true, env: {}, execArgv: [], resourceLimits: LIMITS })
    this.#worker.unref()
    this.#worker.on('error', () => {})
  }

  /** Rejects with `RuleTooExpensive`. */
  check(rules: readonly EngineRule[]): Promise<readonly Mistake[]> {
    return this.#ask({ task: 'check', rules }) as Promise<readonly Mistake[]>
  }

  /** The hits of rules that were checked. Rejects with `RuleTooExpensive`. */
  evaluate(rules: readonly EngineRule[], planned: PlannedState): Promise<Evaluated> {
    return this.#ask({ task: 'evaluate', rules, planned: JSON.stringify(planned) }) as Promise<Evaluated>
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #ask(task: Task): Promise<unknown> {
    const worker = this.#worker
    let current: number | undefined
    return new Promise((resolve, reject) => {
      const expensive = (): void => finish(() => reject(new RuleTooExpensive(current)))
      const failed = (error: Error): void =>
        isOutOfMemory(error) ? expensive() : finish(() => reject(error))
      const timer = setTimeout(() => {
        expensive()
        worker.terminate().catch(() => {})
      }, this.#budget)
      const answered = (response: Response): void => {
        if ('begins' in response) current = response.begins
        else finish(() => resolve(response.result))
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
