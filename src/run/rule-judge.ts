/**
 * Rules of a run (docs/rules.md). `openRules` returns a judge for plans. In `src/rules`, `Judge` checks and evaluates in a
 * thread, and `evaluateRules` of `engine/evaluate.ts` is the pure core. Rules see what the JSON report shows: `plannedOf`.
 */

import {
  type Checked,
  type Diagnostic,
  mistake,
  none,
  type SourceRange,
  sortDiagnostics,
  warning,
} from '../model/diagnostic.ts'
import { serviceNameOf } from '../model/fields.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import { isSameRule, type Rule, type RuleHit, type RuleItem } from '../model/rule.ts'
import type { Match } from '../plan/match.ts'
import { type Block, hitText, isIdle, type Plan } from '../plan/plan-data.ts'
import { digestOf } from '../plan/reviewed-plan.ts'

/** Checks plans against the rules of a run. `close` ends their thread. */
export interface RuleJudge {
  /** Whether a rule may ask for workspaces, projects or Stacks, by the words in its expressions. Otherwise no name is looked up for it. */
  readonly asksPlaces: boolean
  /** Every mistake in the expressions. */
  readonly mistakes: () => Promise<readonly Diagnostic[]>
  /** The plan with its hits; with mistakes in the expressions, no plan. */
  readonly judge: (plan: Plan, match: Match, planned: PlannedState) => Promise<Checked<Plan>>
  readonly close: () => Promise<void>
}

/** The rules of a run. */
interface RunRules {
  /** Of the pipeline and of the files. */
  readonly rules?: readonly Rule[]
  /** Of the commit that the files are compared with, because a change cannot remove them. */
  readonly base?: { readonly ref: string; readonly rules?: readonly Rule[] }
  /** Milliseconds that the thread of the rules has for one plan. */
  readonly budget?: number
  /** Removes the secrets of this run, as in reports. */
  readonly redact?: (planned: PlannedState) => PlannedState
}

/**
 * The judge of these rules; none without rules. The thread starts and the expressions are checked while the service is
 * read.
 */
export function openRules({
  rules = [],
  base,
  budget,
  redact = planned => planned,
}: RunRules): RuleJudge | undefined {
  const before = base?.rules ?? []
  if (rules.length + before.length === 0) return undefined
  const opening = openJudge(rules, before, budget)
  // The result waits until somebody needs it.
  opening.catch(() => {})
  return {
    asksPlaces: [...rules, ...before].some(asksPlaces),
    mistakes: async () => (await opening).mistakes,
    judge: async (plan, match, planned) => {
      const { judge, inForce, mistakes, broken, wrong } = await opening
      if (mistakes.length > 0) return none(...mistakes)
      const { hits, errors } = await judge.judge(inForce, redact(planned), placesIn(match))
      const warnings = broken.length > 0 ? [brokenRules(base?.ref, broken)] : []
      const judged = withRuleHits(withoutRules(plan, wrong), hits, [...warnings, ...errors])
      return { value: judged, diagnostics: judged.diagnostics }
    },
    close: async () => (await opening).judge.close(),
  }
}

/** Every field that depends on what the service tells of workspaces, projects and Stacks. */
const PLACES = /\b(?:workspaces|projects?|stacks|groups|affected|everywhere|count|gaps|exposures|effects)\b/

const asksPlaces = ({ for: subject, when, require }: Rule): boolean =>
  subject === 'exposure' || subject === 'effect' || PLACES.test(`${when?.text} ${require.text}`)

/** Only the valid rules of the base count. */
async function openJudge(rules: readonly Rule[], before: readonly Rule[], budget: number | undefined) {
  const { Judge, rulesInForce } = await import('../rules/judge.ts')
  const judge = new Judge(budget)
  const mistakes = await judge.check(rules)
  const others = before.filter(rule => !rules.some(one => one.id === rule.id && isSameRule(one, rule)))
  const broken = others.length === 0 ? [] : await judge.check(others)
  const wrong = new Set<Rule>()
  if (broken.length > 0)
    for (const rule of others) if ((await judge.check([rule])).length > 0) wrong.add(rule)
  const valid = before.filter(rule => !wrong.has(rule))
  return { judge, inForce: rulesInForce(rules, valid), mistakes, broken, wrong }
}

/** The plan without the note that loosened rules of the base still count: these are invalid. */
function withoutRules(plan: Plan, wrong: ReadonlySet<Rule>): Plan {
  const { base } = plan.facts
  if (base === undefined || wrong.size === 0) return plan
  const settings = new Set([...wrong].map(({ id }) => `rules.${id}`))
  const loosened = base.loosened.filter(({ setting }) => !settings.has(setting))
  return { ...plan, facts: { ...plan.facts, base: { ...base, loosened } } }
}

/** The base itself has a mistake. A change that repairs it must get a plan. */
const brokenRules = (ref: string | undefined, [first]: readonly Diagnostic[]): Diagnostic =>
  warning(
    'broken-base',
    `The rules of ${JSON.stringify(ref)} are not valid. ${first?.message}`,
    'This plan ignores the invalid rules of the base, and applies its other rules.',
  )

/** Finds the line of an item in the files. */
function placesIn({ pairs, removals }: Match): (item: RuleItem) => SourceRange | undefined {
  const removed = new Map(removals.map(({ observed, source }) => [serviceNameOf(observed), source]))
  const declared = new Map(pairs.map(({ desired }) => [desired.name, desired]))
  return ({ set = '', key }) => {
    const found = declared.get(set)
    return found === undefined
      ? removed.get(set)
      : (found.variables.find(variable => variable.key === key)?.source ?? found.source)
  }
}

/**
 * The plan with the rules that it violates. Hits of `block` are guards, and part of what an approval is for; those of `error`, and
 * rules that could not be evaluated, are errors: such a plan is shown and never applied.
 */
function withRuleHits(plan: Plan, hits: readonly RuleHit[], errors: readonly Diagnostic[]): Plan {
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

const blockOf = (hit: RuleHit): Block => ({
  code: 'violates-rule',
  message: hitText(hit),
  item: hit.item,
  rule: hit.rule,
  source: hit.source,
})

function diagnosticOf(hit: RuleHit): Diagnostic {
  const make = hit.level === 'error' ? mistake : warning
  const hint = hit.at && `It is declared at ${hit.at.path}:${hit.at.line}.`
  return make('rule-violated', hitText(hit), hint, hit.source)
}

/** Every mistake in the expressions of these rules. Loads nothing without a rule. */
export async function checkRules(rules: readonly Rule[] = []): Promise<readonly Diagnostic[]> {
  if (rules.length === 0) return []
  const { Judge } = await import('../rules/judge.ts')
  const judge = new Judge()
  try {
    return await judge.check(rules)
  } finally {
    await judge.close()
  }
}
