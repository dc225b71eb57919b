import { compareText, type Diagnostic } from '../model/diagnostic.ts'
import { levelRank, placeInRule, type Rule, type RuleHit } from '../model/rule.ts'
import type { EngineRule, Mistake } from './engine/check.ts'
import type { PlanFacts } from './facts.ts'
import { RuleSession, RuleTooExpensive } from './session.ts'

/**
 * Rules in their thread: `check` after they are read, `judge` for each plan. Shapes: `Rule` from the loader, `PlanFacts` from
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
  async judge(rules: readonly Rule[], { facts, itemOf }: PlanFacts): Promise<Judgement> {
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

export interface Judgement {
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
  { item, at }: ReturnType<PlanFacts['itemOf']>,
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
