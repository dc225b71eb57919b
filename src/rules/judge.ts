import { Worker } from 'node:worker_threads'
import { compareText, type Diagnostic, mistake, type SourceRange } from '../model/diagnostic.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { isSameRule, levelRank, type Rule, type RuleHit, type RuleItem } from '../model/rule.ts'
import type { EngineRule, Mistake } from './engine/check-expressions.ts'
import type { Evaluated } from './engine/evaluate.ts'
import type { Response, Task } from './engine/worker.ts'
import { WORKER_CODE } from './worker-code.gen.ts'

/**
 * Rules in a thread of their own, with the CEL library: `check` after they are read, `judge` for each plan. The thread starts at once,
 * does not keep the process alive, and does one task at a time. It ends when a rule exhausts the budget, and the next task gets another.
 */
export class Judge {
  #worker: Worker | undefined
  readonly #budget: number

  /** `budget`: milliseconds for one task. */
  constructor(budget = BUDGET_MS) {
    this.#budget = budget
    this.#worker = startedWorker()
  }

  /** Every mistake in the expressions, at its place. */
  async check(rules: readonly Rule[]): Promise<Diagnostic[]> {
    const asked = await this.#ask<readonly Mistake[]>({ task: 'check', rules: rules.map(engineRule) })
    if (!('result' in asked)) return [tooExpensive(rules, asked.begun)]
    return asked.result.map(one => mistakeIn(rules, one, 'rule-expression'))
  }

  /** The violated rules, by rule and item, and an error for each rule that could not be evaluated. */
  async judge(rules: readonly Rule[], planned: PlannedState, sourceOf: SourceOf): Promise<Judgement> {
    const asked = await this.#ask<Evaluated>({
      task: 'evaluate',
      rules: rules.map(engineRule),
      planned: JSON.stringify(planned),
    })
    if (!('result' in asked)) return { hits: [], errors: [tooExpensive(rules, asked.begun)] }
    const hits = asked.result.hits.flatMap(({ rule: index, item }) => {
      const rule = rules[index]
      return rule === undefined ? [] : hitOf(rule, item, sourceOf(item))
    })
    const errors = asked.result.mistakes.map(one => mistakeIn(rules, one, 'rule-failed'))
    return { hits: strongest(hits), errors }
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  /** The result of a task. Without one, a rule did not end or used too much memory: the one that had begun, if one had. */
  async #ask<T>(task: Task): Promise<{ readonly result: T } | { readonly begun: number | undefined }> {
    this.#worker ??= startedWorker()
    const worker = this.#worker
    let current: number | undefined
    const asked = await new Promise<{ result: T } | { begun: number | undefined }>((resolve, reject) => {
      const expensive = (): void => finish(() => resolve({ begun: current }))
      const failed = (error: Error): void =>
        isOutOfMemory(error) ? expensive() : finish(() => reject(error))
      const timer = setTimeout(expensive, this.#budget)
      const answered = (response: Response): void => {
        if ('begins' in response) current = response.begins
        else finish(() => resolve({ result: response.result as T }))
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
    if ('begun' in asked) await this.close()
    return asked
  }
}

/** A hostile rule ends here. A usual one takes milliseconds. */
const BUDGET_MS = 10_000

const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 }

function startedWorker(): Worker {
  const worker = new Worker(WORKER_CODE, { eval: true, env: {}, execArgv: [], resourceLimits: LIMITS })
  worker.unref()
  return worker.on('error', () => {})
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** The line of an item in the files. */
type SourceOf = (item: RuleItem) => SourceRange | undefined

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
  { rule: index, part, message, hint }: Mistake,
  code: 'rule-expression' | 'rule-failed',
): Diagnostic {
  const rule = rules[index]
  const failed = code === 'rule-failed' ? `The rule "${rule?.id}" cannot be evaluated. ` : ''
  return mistake(code, `${failed}${message}`, hint, rule?.[part]?.source ?? rule?.source)
}

/** `begun`: the index of the rule; `undefined`: no rule had begun. */
const tooExpensive = (rules: readonly Rule[], begun: number | undefined): Diagnostic =>
  begun === undefined
    ? mistake(
        'rule-too-expensive',
        'The plan is too large to be checked against rules, or this machine is too slow.',
        'Plan fewer sets at once with `--only`.',
        rules[0]?.source,
      )
    : mistake(
        'rule-too-expensive',
        `The rule "${rules[begun]?.id}" takes too much time or memory.`,
        'Check fewer objects at once: write `for: set` instead of a loop over `plan.sets`.',
        rules[begun]?.source,
      )

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
