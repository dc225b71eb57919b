import type { RuleSubject } from '../../model/rule.ts'
import { type Facts, variablesIn } from '../vocabulary.ts'
import { compile, type EngineRule, type Evaluate, type Mistake, worded } from './check.ts'
import { instanceOf } from './environment.ts'

/** An item that violates a rule, by their indexes. Items of `variable` count through all sets: see `variablesIn`. */
export interface EngineHit {
  readonly rule: number
  readonly item: number
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

/** What is wrong with the expressions of these rules: at most one mistake for each. Pure. */
export function checkRules(rules: readonly EngineRule[], onRule: OnRule = () => {}): Mistake[] {
  return rules.flatMap((rule, index) => {
    onRule(index)
    return (['when', 'require'] as const).flatMap(part => {
      const text = rule[part]
      const made = text === undefined ? undefined : compile(rule.for, text)
      return made === undefined || typeof made === 'function' ? [] : [{ rule: index, part, ...made }]
    })
  })
}

/** Receives the next rule, so that the one that did not end is known. */
type OnRule = (index: number) => void

/**
 * Evaluates checked rules on the facts. Pure, and unbounded in time: see `RuleSession`. An item violates a rule if `when` is
 * true and `require` false.
 */
export function evaluateRules(
  rules: readonly EngineRule[],
  facts: Facts,
  onRule: OnRule = () => {},
): Evaluated {
  const contexts = contextsOf(facts)
  const hits: EngineHit[] = []
  const mistakes: Mistake[] = []
  for (const [index, rule] of rules.entries()) {
    onRule(index)
    const compiled = compiledRule(rule)
    const found: EngineHit[] = []
    const mistake =
      compiled &&
      evaluateRule(rule.for, compiled, contexts(rule.for), item => found.push({ rule: index, item }))
    if (mistake === undefined) for (const hit of found) hits.push(hit)
    else mistakes.push({ rule: index, ...mistake })
  }
  return { hits, mistakes }
}

type Context = Readonly<Record<string, unknown>>

function evaluateRule(
  subject: RuleSubject,
  { when, require }: Compiled,
  items: readonly Context[],
  onHit: (item: number) => void,
): Omit<Mistake, 'rule'> | undefined {
  let part: Mistake['part'] = 'when'
  try {
    for (const [index, item] of items.entries()) {
      part = 'when'
      if (when !== undefined && !isTrue(when(item))) continue
      part = 'require'
      if (!isTrue(require(item))) onHit(index)
    }
    return undefined
  } catch (error) {
    return { part, ...worded(error, subject) }
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

/** The context of rules about each subject, made once. */
function contextsOf(facts: Facts): (subject: RuleSubject) => readonly Context[] {
  const plan = instanceOf('Plan', { ...facts.plan, sets: facts.sets })
  const sets = new Map(facts.sets.map(set => [set.name, instanceOf('Set', set)]))
  const make: { readonly [S in RuleSubject]: () => Context[] } = {
    set: () => facts.sets.map(({ name }) => ({ set: sets.get(name), plan })),
    variable: () =>
      variablesIn(facts).map(({ set, variable }) => ({
        variable: instanceOf('Variable', variable),
        set: sets.get(set.name),
        plan,
      })),
    exposure: () =>
      facts.exposures.map(exposure => ({
        exposure: instanceOf('Exposure', exposure),
        set: sets.get(exposure.set),
        plan,
      })),
    effect: () => facts.effects.map(effect => ({ effect: instanceOf('Effect', effect), plan })),
    plan: () => [{ plan }],
  }
  const made = new Map<RuleSubject, readonly Context[]>()
  return subject => {
    const contexts = made.get(subject) ?? make[subject]()
    made.set(subject, contexts)
    return contexts
  }
}
