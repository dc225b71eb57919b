import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts'
import type { RuleHit } from '../model/rule.ts'
import type { Block, Plan } from './plan.ts'
import { digestOf } from './reviewed.ts'

/**
 * The plan with the rules that it violates. Hits of `block` are guards, and part of what an approval is for; those of `error`, and
 * rules that could not be evaluated, are errors: such a plan is shown and never applied.
 */
export function withRuleHits(plan: Plan, hits: readonly RuleHit[], errors: readonly Diagnostic[]): Plan {
  if (hits.length === 0 && errors.length === 0) return plan
  const guards = isIdle(plan) ? [] : hits.filter(({ level }) => level === 'block')
  const blocks = guards.map(blockOf)
  const judged: Plan = {
    ...plan,
    hits: hits.length > 0 ? hits : undefined,
    blocks: [...plan.blocks, ...blocks],
    blocked: plan.blocked || blocks.length > 0,
    diagnostics: sortDiagnostics([
      ...plan.diagnostics,
      ...hits.filter(({ level }) => guards.length === 0 || level !== 'block').map(diagnosticOf),
      ...errors,
    ]),
  }
  return { ...judged, digest: digestOf(judged) }
}

/** Whether an apply has nothing to do: then there is nothing to block, and hits of `block` are only said. */
export const isIdle = ({ steps, facts }: Pick<Plan, 'steps' | 'facts'>): boolean =>
  steps.length === 0 && facts.inventory.requests === 0

/** Whether the plan cannot be approved, because rules forbid it or could not be evaluated. */
export const isForbidden = ({ diagnostics }: Pick<Plan, 'diagnostics'>): boolean => hasErrors(diagnostics)

/** `"prod-db" env/TOKEN violates the rule no-tokens: Tokens are secrets.` */
export function hitText({ rule, message, item }: RuleHit): string {
  const { set, key } = item
  const what =
    set === undefined ? 'The plan' : [JSON.stringify(set), ...(key === undefined ? [] : [key])].join(' ')
  return `${what} violates the rule ${rule}: ${message}`
}

const blockOf = (hit: RuleHit): Block => ({
  code: 'violates-rule',
  message: hitText(hit),
  source: hit.source,
})

const diagnosticOf = (hit: RuleHit): Diagnostic => ({
  severity: hit.level === 'error' ? 'error' : 'warning',
  code: 'rule-violated',
  message: hitText(hit),
  hint: hit.at && `It is declared at ${hit.at.path}:${hit.at.line}.`,
  source: hit.source,
})
