import type { RuleSubject } from '../../model/rule.ts'
import { type Facts, objectAt, type Table } from '../table.ts'
import { instanceOf } from './environment.ts'

type Context = Readonly<Record<string, unknown>>

/** Items of one subject: as data, and as an expression sees them. */
export interface Items {
  readonly table: Table
  readonly context: (row: number) => Context
}

/** The items of rules about each subject, made once. */
export function itemsOf({
  plan: data,
  sets,
  variables,
  stay,
  go,
  exposures,
  effects,
}: Facts): (subject: RuleSubject) => Items {
  const first = startsOf(stay, go)
  const setData = (row: number): object => {
    // If no rule names variables, there are none here, and a rule that reads them must notice.
    if (stay.length < sets.size) return objectAt(sets, row)
    const from = first[row] ?? 0
    const middle = from + (stay[row] ?? 0)
    const variable = (one: number) => objectAt(variables, one)
    return {
      ...objectAt(sets, row),
      variables: new Rows(variable, from, middle),
      deleted: new Rows(variable, middle, middle + (go[row] ?? 0)),
    }
  }
  const plan = instanceOf('Plan', { ...data, sets: new Rows(setData, 0, sets.size) })
  const known: object[] = []
  const setAt = (row: number): object => {
    const made = known[row] ?? instanceOf('Set', setData(row))
    known[row] = made
    return made
  }
  const { name: names } = sets.columns
  const rowOf = new Map(names?.values.map((name, at) => [name, names.first[at]]))
  const make: { readonly [S in RuleSubject]: () => Items } = {
    set: () => ({ table: sets, context: row => ({ set: setAt(row), plan }) }),
    variable: () => {
      const owners = new Uint32Array(variables.size)
      for (let row = 0; row < sets.size; row++) owners.fill(row, first[row], first[row + 1])
      const context = (row: number): Context => ({
        variable: instanceOf('Variable', objectAt(variables, row)),
        get set() {
          return setAt(owners[row] ?? 0)
        },
        plan,
      })
      return { table: variables, context }
    },
    exposure: () => ({
      table: exposures,
      context: at => {
        const exposure = objectAt(exposures, at)
        const row = rowOf.get(exposure.set)
        const set = row === undefined ? undefined : setAt(row)
        return { exposure: instanceOf('Exposure', exposure), set, plan }
      },
    }),
    effect: () => ({
      table: effects,
      context: row => ({ effect: instanceOf('Effect', objectAt(effects, row)), plan }),
    }),
    plan: () => ({ table: { size: 1, columns: {} }, context: () => ({ plan }) }),
  }
  const made = new Map<RuleSubject, Items>()
  return subject => {
    const known = made.get(subject) ?? make[subject]()
    made.set(subject, known)
    return known
  }
}

/** The row of the first variable of each set, and the row after the last. */
function startsOf(stay: Uint32Array, go: Uint32Array): Uint32Array {
  const first = new Uint32Array(stay.length + 1)
  for (let row = 0; row < stay.length; row++)
    first[row + 1] = (first[row] ?? 0) + (stay[row] ?? 0) + (go[row] ?? 0)
  return first
}

/** Some objects of a table, created when a rule reads them. */
class Rows {
  readonly #objectAt: (row: number) => object
  readonly #from: number
  readonly #to: number
  constructor(made: (row: number) => object, from: number, to: number) {
    this.#objectAt = made
    this.#from = from
    this.#to = to
  }
  *[Symbol.iterator](): Generator<object> {
    for (let row = this.#from; row < this.#to; row++) yield this.#objectAt(row)
  }
}
