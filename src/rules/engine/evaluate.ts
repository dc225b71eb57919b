import type { PlannedState } from '../../model/planned.gen.ts'
import type { RuleItem, RuleSubject } from '../../model/rule.ts'
import { compile, type EngineRule, type Evaluate, type Mistake, worded } from './check-expressions.ts'
import { Facts } from './environment.ts'

/** An item that violates a rule, which is named by its index. */
interface EngineHit {
  readonly rule: number
  readonly item: RuleItem
}

export interface Evaluated {
  readonly hits: readonly EngineHit[]
  /** Rules that could not be evaluated, with the first reason each. They have no hits. */
  readonly mistakes: readonly Mistake[]
}

interface Compiled {
  readonly when?: Evaluate
  readonly require: Evaluate
}

/** The mistakes in the expressions of these rules. Pure. */
export function checkRules(rules: readonly EngineRule[], onRule: OnRule = () => {}): Mistake[] {
  return rules.flatMap((rule, index) => {
    onRule(index)
    return (['when', 'require'] as const).flatMap(part =>
      mistakesIn(rule, part).map(mistake => ({ rule: index, part, ...mistake })),
    )
  })
}

function mistakesIn(rule: EngineRule, part: 'when' | 'require') {
  const text = rule[part]
  const made = text === undefined ? [] : compile(rule.for, text)
  return typeof made === 'function' ? [] : made
}

/** Receives the next rule, so that the one that did not end is known. */
type OnRule = (index: number) => void

/**
 * Evaluates checked rules on what a plan leads to. Pure, and unbounded in time: see `Judge`. An item violates a rule if
 * `when` is true and `require` false.
 */
export function evaluateRules(
  rules: readonly EngineRule[],
  planned: PlannedState,
  onRule: OnRule = () => {},
): Evaluated {
  const facts = new Facts(planned)
  const items = new Map<RuleSubject, readonly JudgedItem[]>()
  const hits: EngineHit[] = []
  const mistakes: Mistake[] = []
  for (const [index, rule] of rules.entries()) {
    onRule(index)
    const compiled = compiledRule(rule)
    if (compiled === undefined) continue
    const about = items.get(rule.for) ?? itemsAbout(rule.for, planned, facts)
    items.set(rule.for, about)
    const found = evaluateRule(index, rule, compiled, about)
    if ('part' in found) mistakes.push(found)
    else for (const hit of found) hits.push(hit)
  }
  return { hits, mistakes }
}

function evaluateRule(
  rule: number,
  written: EngineRule,
  { when, require }: Compiled,
  items: readonly JudgedItem[],
): EngineHit[] | Mistake {
  let part: Mistake['part'] = 'when'
  const test = (own: Mistake['part'], expression: Evaluate, { context }: JudgedItem): boolean => {
    part = own
    return isTrue(expression(context))
  }
  try {
    const violating = items.filter(
      one => (when === undefined || test('when', when, one)) && !test('require', require, one),
    )
    return violating.map(({ item }) => ({ rule, item }))
  } catch (error) {
    return { rule, part, ...worded(error, written.for, written[part] ?? '') }
  }
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw Object.assign(new Error(), {
    code: 'not_bool',
    summary: 'The expression returned neither true nor false',
  })
}

/** `undefined` for a rule with a mistake, which the check has reported. */
function compiledRule(rule: EngineRule): Compiled | undefined {
  const when = rule.when === undefined ? undefined : compile(rule.for, rule.when)
  const require = compile(rule.for, rule.require)
  return (when === undefined || typeof when === 'function') && typeof require === 'function'
    ? { when, require }
    : undefined
}

/** What an expression sees of one item, and how a violation names it. */
interface JudgedItem {
  readonly item: RuleItem
  readonly context: Readonly<Record<string, unknown>>
}

/** The items of rules about a subject. */
function itemsAbout(subject: RuleSubject, planned: PlannedState, facts: Facts): JudgedItem[] {
  const plan = facts.of('Plan', planned)
  switch (subject) {
    case 'plan':
      return [{ item: { kind: subject }, context: { plan } }]
    case 'set':
      return planned.sets.map(one => ({
        item: { kind: subject, set: one.name },
        context: { set: facts.of('Set', one), plan },
      }))
    case 'variable':
      return planned.sets.flatMap(set =>
        [...set.variables, ...set.deleted].map(one => ({
          item: { kind: subject, set: set.name, key: `${one.category}/${one.key}` },
          context: { variable: facts.of('Variable', one), set: facts.of('Set', set), plan },
        })),
      )
    case 'exposure': {
      // A deleted set may have the name of a new one.
      const sets = new Map(planned.sets.toReversed().map(set => [set.name, set]))
      return planned.exposures.map(one => {
        const set = sets.get(one.set)
        return {
          item: { kind: subject, set: one.set, detail: one.kind },
          context: { exposure: facts.of('Exposure', one), set: set && facts.of('Set', set), plan },
        }
      })
    }
    case 'effect':
      return planned.effects.map(one => ({
        item: {
          kind: subject,
          set: one.to ?? one.from,
          key: `${one.category}/${one.key}`,
          detail: one.kind,
        },
        context: { effect: facts.of('Effect', one), plan },
      }))
  }
}
