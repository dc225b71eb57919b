import { type FactOf, fieldsOf, type ObjectName } from './vocabulary.ts'

/** The objects that have a table. The others are values of its columns. */
export type TableName = 'Plan' | 'Set' | 'Variable' | 'Exposure' | 'Effect'

/**
 * Everything of a plan that rules can read. The rows of `Variable` are, for each set, those that stay and then those that the plan
 * deletes; the columns `stay` and `go` of `Set` have their numbers.
 */
export type Facts = (name: TableName) => Table

/** What the thread of the rules needs to continue: a column, or the size of a table. */
export interface Wanted {
  readonly table: TableName
  readonly field?: string
}

export const answerTo = (facts: Facts, { table, field }: Wanted): number | Column | undefined =>
  field === undefined ? facts(table).size : facts(table).column(field)

/** Objects of one type by column. A column is made when a rule reads it: a plan may have many variables. */
export interface Table {
  readonly size: number
  /** `undefined` for a list of objects that have a table. */
  readonly column: (field: string) => Column | undefined
}

/** Each value once, with the first row that has it, and for each row the position of its value. Few values differ. */
export interface Column {
  readonly values: readonly unknown[]
  readonly first: readonly number[]
  readonly at: Uint32Array
}

/** How each field of an object is read from its source, which is in a numbered group. */
export type Readers<N extends ObjectName, Source, Without extends string = never> = {
  readonly [F in Exclude<keyof FactOf<N>, Without>]-?: (source: Source, group: number) => FactOf<N>[F]
}

type Groups<Source> = readonly (readonly Source[])[]
type AnyReaders<Source> = Readonly<Record<string, (source: Source, group: number) => unknown>>

export const tableOf = <Source>(groups: Groups<Source>, readers: AnyReaders<Source>): Table => {
  const size = groups.reduce((sum, group) => sum + group.length, 0)
  return { size, column: field => readers[field] && columnOf(groups, size, readers[field]) }
}

/** The same for existing facts. */
export const factTable = <N extends ObjectName>(name: N, facts: readonly FactOf<N>[]): Table =>
  tableOf(
    [facts],
    Object.fromEntries(
      fieldsOf(name).map(([field]) => [field, (fact: FactOf<N>) => fact[field as keyof FactOf<N>]]),
    ),
  )

/** Neighbours often have the same value. */
function columnOf<Source>(groups: Groups<Source>, size: number, read: AnyReaders<Source>[string]): Column {
  const known = new Map<unknown, number>()
  const first: number[] = []
  const at = new Uint32Array(size)
  let last: unknown = known
  let found = 0
  let row = 0
  for (let group = 0; group < groups.length; group++)
    for (const source of groups[group] ?? []) {
      const value = read(source, group)
      if (value !== last) {
        found = known.get(value) ?? first.length
        if (found === first.length) {
          known.set(value, found)
          first.push(row)
        }
        last = value
      }
      at[row++] = found
    }
  return { values: [...known.keys()], first, at }
}
