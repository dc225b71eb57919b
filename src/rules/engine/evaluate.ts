import type { RuleSubject } from '../../model/rule.ts'
import type { FactOf, Facts } from '../vocabulary.ts'
import { compile, type EngineRule, type Evaluate, type Mistake, worded } from './check.ts'
import { instanceOf } from './environment.ts'
import { fieldsRead, remembering } from './reads.ts'

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
  const itemsOf = itemsIn(facts)
  const hits: EngineHit[] = []
  const mistakes: Mistake[] = []
  for (const [index, rule] of rules.entries()) {
    onRule(index)
    const compiled = compiledRule(rule)
    const found: EngineHit[] = []
    const mistake =
      compiled &&
      evaluateRule(rule.for, compiled, itemsOf(rule.for), item => found.push({ rule: index, item }))
    if (mistake === undefined) for (const hit of found) hits.push(hit)
    else mistakes.push({ rule: index, ...mistake })
  }
  return { hits, mistakes }
}

type Context = Readonly<Record<string, unknown>>

/** Items of one subject: as data, and as an expression sees them. */
interface Items {
  readonly data: readonly object[]
  readonly context: (index: number) => Context
}

function evaluateRule(
  subject: RuleSubject,
  { when, require }: Compiled,
  { data, context }: Items,
  onHit: (item: number) => void,
): Omit<Mistake, 'rule'> | undefined {
  let part: Mistake['part'] = 'when'
  const isHit = (index: number): boolean => {
    const item = context(index)
    part = 'when'
    if (when !== undefined && !isTrue(when(item))) return false
    part = 'require'
    return !isTrue(require(item))
  }
  const fields = fieldsRead(subject, require.ast)
  const others = when === undefined ? NO_FIELDS : fieldsRead(subject, when.ast)
  const violates =
    fields === undefined || others === undefined ? isHit : remembering(new Set([...fields, ...others]), isHit)
  try {
    for (const [index, item] of data.entries()) if (violates(index, item)) onHit(index)
    return undefined
  } catch (error) {
    return { part, ...worded(error, subject) }
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set()

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

/** The items of rules about each subject, made once. */
function itemsIn(facts: Facts): (subject: RuleSubject) => Items {
  const plan = instanceOf('Plan', { ...facts.plan, sets: facts.sets })
  const sets = new Map(facts.sets.map(set => [set.name, instanceOf('Set', set)]))
  const items = <T extends object>(data: readonly T[], make: (one: T) => Context): Items => {
    const made: Context[] = []
    return { data, context: index => (made[index] ??= make(data[index] as T)) }
  }
  const make: { readonly [S in RuleSubject]: () => Items } = {
    set: () => items(facts.sets, ({ name }) => ({ set: sets.get(name), plan })),
    variable: () => {
      const data = facts.sets.flatMap(({ variables, deleted }) => [...variables, ...deleted])
      const owners = facts.sets.flatMap(set =>
        new Array<string>(set.variables.length + set.deleted.length).fill(set.name),
      )
      const context = (index: number): Context => ({
        variable: instanceOf('Variable', data[index] as FactOf<'Variable'>),
        set: sets.get(owners[index] ?? ''),
        plan,
      })
      return { data, context }
    },
    exposure: () =>
      items(facts.exposures, exposure => ({
        exposure: instanceOf('Exposure', exposure),
        set: sets.get(exposure.set),
        plan,
      })),
    effect: () => items(facts.effects, effect => ({ effect: instanceOf('Effect', effect), plan })),
    plan: () => items([facts.plan], () => ({ plan })),
  }
  const made = new Map<RuleSubject, Items>()
  return subject => {
    const known = made.get(subject) ?? make[subject]()
    made.set(subject, known)
    return known
  }
}
