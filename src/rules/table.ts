import { type FactOf, fieldsOf, OBJECT_NAMES, type ObjectName } from './vocabulary.ts'

/** The fields that rules read, by the type of their object. Unneeded types are omitted. */
export type Asked = Readonly<Partial<Record<ObjectName, readonly string[]>>>

export const EVERYTHING: Asked = Object.fromEntries(
  OBJECT_NAMES.map(name => [name, fieldsOf(name).map(([field]) => field)]),
)

export function mergeAsked(a: Asked, b: Asked): Asked {
  const names = OBJECT_NAMES.filter(name => a[name] !== undefined || b[name] !== undefined)
  return Object.fromEntries(names.map(name => [name, [...new Set([...(a[name] ?? []), ...(b[name] ?? [])])]]))
}

/** Objects of one type by column. A plan may have many variables, and few of their values differ. */
export interface Table {
  readonly size: number
  readonly columns: Readonly<Record<string, Column>>
}

/** Each value once, with the first row that has it, and for each row the position of its value. */
export interface Column {
  readonly values: readonly unknown[]
  readonly first: readonly number[]
  readonly at: Uint32Array
}

/** Everything of a plan that the rules of a run read, as the thread gets it. */
export interface Facts {
  /** The fields of `Plan` that rules read, without `sets`. */
  readonly plan: Readonly<Record<string, unknown>>
  readonly sets: Table
  /** For each set: the variables that stay, then those that the plan deletes. */
  readonly variables: Table
  /** For each set, the number of variables that stay and that the plan deletes. */
  readonly stay: Uint32Array
  readonly go: Uint32Array
  readonly exposures: Table
  readonly effects: Table
}

/** How each field of an object is read from its source. */
export type Readers<N extends ObjectName, Source, Without extends string = never> = {
  readonly [F in Exclude<keyof FactOf<N>, Without>]-?: (source: Source) => FactOf<N>[F]
}

type AnyReaders<Source> = Readonly<Record<string, (source: Source) => unknown>>

/** The fields of these objects that rules read and that have a reader. */
export function tableOf<Source>(
  sources: readonly Source[],
  readers: AnyReaders<Source>,
  fields: readonly string[] = [],
): Table {
  const columns = fields.flatMap(field => {
    const read = readers[field]
    return read === undefined ? [] : [[field, columnOf(sources, read)] as const]
  })
  return { size: sources.length, columns: Object.fromEntries(columns) }
}

/** The same for existing objects. */
export const factTable = <N extends ObjectName>(name: N, facts: readonly FactOf<N>[], asked: Asked): Table =>
  tableOf(
    facts,
    Object.fromEntries(
      fieldsOf(name).map(([field]) => [field, (fact: FactOf<N>) => fact[field as keyof FactOf<N>]]),
    ),
    asked[name],
  )

/** Neighbours often have the same value. */
function columnOf<Source>(sources: readonly Source[], read: (source: Source) => unknown): Column {
  const known = new Map<unknown, number>()
  const first: number[] = []
  const at = new Uint32Array(sources.length)
  let last: unknown = known
  let found = 0
  for (let row = 0; row < sources.length; row++) {
    const value = read(sources[row] as Source)
    if (value !== last) {
      found = known.get(value) ?? first.length
      if (found === first.length) {
        known.set(value, found)
        first.push(row)
      }
      last = value
    }
    at[row] = found
  }
  return { values: [...known.keys()], first, at }
}

/** One object of a table. */
export function objectAt({ columns }: Table, row: number): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const field in columns) made[field] = columns[field]?.values[columns[field].at[row] ?? 0]
  return made
}

/** An object inside another one. The fields that are not asked for are left out. */
export function picked<N extends ObjectName, Source>(
  name: N,
  source: Source,
  readers: AnyReaders<Source>,
  asked: Asked,
): FactOf<N> {
  const made: Record<string, unknown> = {}
  for (const field of asked[name] ?? []) {
    const read = readers[field]
    if (read !== undefined) made[field] = read(source)
  }
  return made as FactOf<N>
}
