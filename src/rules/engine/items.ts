import { lazy } from '../../model/lists.ts'
import type { RuleSubject } from '../../model/rule.ts'
import type { Column, Facts, Table, TableName } from '../table.ts'
import { instanceOf, type Source } from './environment.ts'

type ItemContext = Readonly<Record<string, unknown>>

/** Items of one subject: as data, and as an expression sees them. */
export interface Items {
  readonly table: Table
  readonly context: (row: number) => ItemContext
}

/** The items of rules about each subject. */
export function itemsOf(facts: Facts): (subject: RuleSubject) => Items {
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
