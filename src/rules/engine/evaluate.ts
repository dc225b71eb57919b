import { lazy } from '../../model/lists.ts'
import type { RuleSubject } from '../../model/rule.ts'
import type { Column, Facts, Table, TableName } from '../table.ts'
import { compile, type EngineRule, type Evaluate, type Mistake, worded } from './check.ts'
import { fieldsRead, instanceOf, type Source } from './environment.ts'

/** An item that violates a rule, by their indexes. Items of `variable` count through all sets. */
interface EngineHit {
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

type ItemContext = Readonly<Record<string, unknown>>

/** Items of one subject: as data, and as an expression sees them. */
interface Items {
  readonly table: Table
  readonly context: (row: number) => ItemContext
}

/** The items of rules about each subject. */
function itemsOf(facts: Facts): (subject: RuleSubject) => Items {
  const rows = (name: TableName) => (row: number) => instanceOf(name, sourceAt(facts(name), row))
  const variableAt = (row: number): Source => sourceAt(facts('Variable'), row)
  const ends = lazy(() => endsIn(facts('Set')))
  const setSource = (row: number): Source => {
    const own = sourceAt(facts('Set'), row)
    return field => {
      if (field !== 'variables' && field !== 'deleted') return own(field)
      const start = ends()[row - 1] ?? 0
      const middle = start + Number(own('stay'))
      return field === 'variables'
        ? rowsOf(variableAt, start, middle)
        : rowsOf(variableAt, middle, ends()[row] ?? 0)
    }
  }
  const planSource = sourceAt(facts('Plan'), 0)
  const plan = instanceOf('Plan', field =>
    field === 'sets' ? rowsOf(setSource, 0, facts('Set').size) : planSource(field),
  )
  const known: object[] = []
  const setAt = (row: number): object => {
    const made = known[row] ?? instanceOf('Set', setSource(row))
    known[row] = made
    return made
  }
  const owners = lazy(() => {
    const found = new Uint32Array(facts('Variable').size)
    for (const [row, end] of ends().entries()) found.fill(row, ends()[row - 1] ?? 0, end)
    return found
  })
  const rowByName = lazy(() => {
    const names = facts('Set').column('name')
    return new Map(names?.values.map((name, at) => [name, names.first[at]]))
  })
  const [variable, exposure, effect] = [rows('Variable'), rows('Exposure'), rows('Effect')]
  const contexts: { readonly [S in RuleSubject]: (row: number) => ItemContext } = {
    set: row => ({ set: setAt(row), plan }),
    variable: row => ({
      variable: variable(row),
      get set() {
        return setAt(owners()[row] ?? 0)
      },
      plan,
    }),
    exposure: row => ({
      exposure: exposure(row),
      get set() {
        const found = rowByName().get(sourceAt(facts('Exposure'), row)('set'))
        return found === undefined ? undefined : setAt(found)
      },
      plan,
    }),
    effect: row => ({ effect: effect(row), plan }),
    plan: () => ({ plan }),
  }
  return subject => ({ table: facts(TABLE_OF[subject]), context: contexts[subject] })
}

const TABLE_OF: { readonly [S in RuleSubject]: TableName } = {
  plan: 'Plan',
  set: 'Set',
  variable: 'Variable',
  exposure: 'Exposure',
  effect: 'Effect',
}

/** The fields of a row. */
const sourceAt =
  ({ column }: Table, row: number): Source =>
  field => {
    const found = column(field)
    return found?.values[found.at[row] ?? 0]
  }

/** The row after the last variable of each set. */
function endsIn({ size, column }: Table): Uint32Array {
  const ends = new Uint32Array(size)
  const [stay, go] = [column('stay'), column('go')]
  const count = (of: Column | undefined, row: number) => Number(of?.values[of.at[row] ?? 0])
  for (let row = 0; row < size; row++) ends[row] = (ends[row - 1] ?? 0) + count(stay, row) + count(go, row)
  return ends
}

/** Some rows of a table, read when a rule reads them. */
function* rowsOf(at: (row: number) => Source, from: number, to: number): Generator<Source> {
  for (let row = from; row < to; row++) yield at(row)
}
