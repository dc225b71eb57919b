import type { RuleSubject } from '../../model/rule.ts'
import type { Facts, Table } from '../table.ts'
import { compile, type EngineRule, type Evaluate, type Mistake, worded } from './check.ts'
import { fieldsRead } from './environment.ts'
import { type Items, itemsOf } from './items.ts'

/** An item that violates a rule, by their indexes. Items of `variable` count through all sets. */
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

/** The mistakes in the expressions of these rules. Pure. */
export function checkRules(rules: readonly EngineRule[], onRule: OnRule = () => {}): Mistake[] {
  const mistakes: Mistake[] = []
  for (const [index, rule] of rules.entries()) {
    onRule(index)
    for (const part of ['when', 'require'] as const) {
      const text = rule[part]
      const made = text === undefined ? [] : compile(rule.for, text)
      if (typeof made !== 'function')
        for (const mistake of made) mistakes.push({ rule: index, part, ...mistake })
    }
  }
  return mistakes
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
  const itemsAbout = itemsOf(facts)
  const hits: EngineHit[] = []
  const mistakes: Mistake[] = []
  for (const [index, rule] of rules.entries()) {
    onRule(index)
    const compiled = compiledRule(rule)
    const found: EngineHit[] = []
    const mistake =
      compiled &&
      evaluateRule(rule.for, compiled, itemsAbout(rule.for), item => found.push({ rule: index, item }))
    if (mistake === undefined) for (const hit of found) hits.push(hit)
    else mistakes.push({ rule: index, ...mistake })
  }
  return { hits, mistakes }
}

function evaluateRule(
  subject: RuleSubject,
  { when, require }: Compiled,
  { table, context }: Items,
  onHit: (item: number) => void,
): Omit<Mistake, 'rule'> | undefined {
  let part: Mistake['part'] = 'when'
  const test =
    (own: Mistake['part'], expression: Evaluate): Test =>
    row => {
      part = own
      return isTrue(expression(context(row)))
    }
  try {
    const isMeant = when === undefined || decided(table, fieldsRead(subject, when.ast), test('when', when))
    const decide = isMeant === true ? decided : remembering
    const holds =
      isMeant !== false && decide(table, fieldsRead(subject, require.ast), test('require', require))
    if (isMeant === false || holds === true) return undefined
    for (let row = 0; row < table.size; row++)
      if ((isMeant === true || isMeant(row)) && (holds === false || !holds(row))) onHit(row)
    return undefined
  } catch (error) {
    return { part, ...worded(error, subject) }
  }
}

type Test = (row: number) => boolean

/** The result for all rows, if it is the same and at most one field decides. Asks once for each value. */
function decided(table: Table, fields: readonly string[] | undefined, test: Test): boolean | Test {
  if (table.size === 0) return false
  if (fields?.length === 0) return test(0)
  const column = fields?.length === 1 ? table.column(fields[0] ?? '') : undefined
  if (column === undefined) return remembering(table, fields, test)
  const { first, at } = column
  const results = first.map(test)
  if (results.every(result => result === results[0])) return results[0] ?? false
  return row => results[at[row] ?? 0] ?? false
}

/** Asks once for all rows that are equal in these fields, if nothing else decides. */
function remembering(table: Table, fields: readonly string[] | undefined, test: Test): Test {
  const columns = fields?.map(table.column)
  if (columns === undefined || !columns.every(column => column !== undefined)) return test
  const kinds = columns.reduce((product, { values }) => product * values.length, 1)
  if (kinds > Number.MAX_SAFE_INTEGER) return test
  const known = new Map<number, boolean>()
  return row => {
    let kind = 0
    for (const { values, at } of columns) kind = kind * values.length + (at[row] ?? 0)
    const result = known.get(kind) ?? test(row)
    known.set(kind, result)
    return result
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
