import { wordsOf } from './asked.ts'
import type { EngineRule } from './engine/check.ts'
import { type FactOf, type Facts, fieldsOf, type ObjectName } from './vocabulary.ts'

/** Whether rules may ask for this field of these objects. */
type Asks = (name: ObjectName, field: string) => boolean

/**
 * By the words of their expressions. Only rules about exposures and effects see these, and variables are seen by rules about
 * them or through a list.
 */
export function askedFields(rules: readonly EngineRule[]): Asks {
  const wordsIn = (some: readonly EngineRule[]) => (some.length === 0 ? NO_WORDS : wordsOf(some))
  const sees = (name: ObjectName): readonly EngineRule[] => {
    if (name === 'Exposure' || name === 'Effect') return rules.filter(rule => rule.for === name.toLowerCase())
    if (name !== 'Variable') return rules
    return rules.filter(rule => {
      const words = wordsOf([rule])
      return rule.for === 'variable' || words === undefined || words.has('variables') || words.has('deleted')
    })
  }
  const known = new Map<ObjectName, ReturnType<typeof wordsOf>>()
  for (const name of ['Set', 'Variable', 'Exposure', 'Effect'] as const) known.set(name, wordsIn(sees(name)))
  return (name, field) => known.get(name)?.has(field) ?? true
}

const NO_WORDS: ReadonlySet<string> = new Set()

type Workspace = FactOf<'Workspace'>

/** An object of a list, with positions in place of its workspaces. */
type Flat<F extends { readonly workspaces: readonly Workspace[] }> = Omit<F, 'workspaces'> & {
  readonly workspaces?: readonly number[]
}

/** Facts on their way to the thread: variables and workspaces, of which there are many, are not an object each time. */
export interface PackedFacts extends Pick<Facts, 'plan'> {
  readonly sets: readonly Flat<Omit<FactOf<'Set'>, 'variables' | 'deleted'>>[]
  readonly exposures: readonly Flat<FactOf<'Exposure'>>[]
  readonly effects: readonly Flat<FactOf<'Effect'>>[]
  /** Lists of workspaces hold positions in this one. */
  readonly workspaces: readonly Workspace[]
  /** Of each set, how many variables stay and how many go. */
  readonly counts: readonly (readonly [stay: number, go: number])[]
  /** Of each variable of all sets, its row in `columns`: those that are equal share one. */
  readonly rows: Uint32Array
  /** A column a field. */
  readonly columns: ReadonlyMap<string, readonly unknown[]>
}

/** Only what the rules ask for. */
export function packed({ plan, sets, exposures, effects }: Facts, asks: Asks): PackedFacts {
  const isNeeded = (name: ObjectName, field: string): boolean =>
    field === 'set' || field === 'name' || asks(name, field)
  const positions = new Map<Workspace, number>()
  const flat = <F extends { readonly workspaces: readonly Workspace[] }>(
    name: ObjectName,
    facts: readonly F[],
  ): Flat<F>[] => {
    const fields = fieldsOf(name)
      .map(([field]) => field)
      .filter(field => isNeeded(name, field) && !['workspaces', 'variables', 'deleted'].includes(field))
    const hasWorkspaces = asks(name, 'workspaces')
    return facts.map(fact => {
      const made: Record<string, unknown> = {}
      for (const field of fields) made[field] = fact[field as keyof F]
      if (hasWorkspaces) made.workspaces = fact.workspaces.map(one => numbered(positions, one))
      return made as Flat<F>
    })
  }
  const variables = sets.flatMap(set => [...set.variables, ...set.deleted])
  const fields = fieldsOf('Variable').flatMap(([field]) =>
    asks('Variable', field) ? [field as keyof FactOf<'Variable'>] : [],
  )
  const { rows, distinct } = rowsOf(variables, fields)
  return {
    plan,
    sets: flat('Set', sets),
    exposures: flat('Exposure', exposures),
    effects: flat('Effect', effects),
    workspaces: [...positions.keys()],
    counts: sets.map(({ variables: stay, deleted }) => [stay.length, deleted.length]),
    rows,
    columns: new Map(fields.map(field => [field, distinct.map(one => one[field])])),
  }
}

/** The first variable of each kind that differs in these fields, and of each variable its kind. */
function rowsOf(variables: readonly FactOf<'Variable'>[], fields: readonly (keyof FactOf<'Variable'>)[]) {
  const rows = new Uint32Array(variables.length)
  let count = 1
  for (const field of fields) {
    const values = new Map<unknown, number>()
    const known = new Map<number, number>()
    for (const [at, variable] of variables.entries()) {
      const value = numbered(values, variable[field])
      rows[at] = numbered(known, value * count + (rows[at] ?? 0))
    }
    count = known.size
  }
  const distinct: FactOf<'Variable'>[] = []
  for (const [at, variable] of variables.entries()) distinct[rows[at] ?? 0] ??= variable
  return { rows, distinct }
}

/** Numbers what is new. */
function numbered<T>(known: Map<T, number>, value: T): number {
  let found = known.get(value)
  if (found === undefined) {
    found = known.size
    known.set(value, found)
  }
  return found
}

/** As they were, without what nobody asks for. */
export function unpacked(given: PackedFacts): Facts {
  const { plan, workspaces: all, counts, rows, columns } = given
  const distinct: FactOf<'Variable'>[] = []
  for (const row of rows)
    distinct[row] ??= Object.fromEntries(
      Array.from(columns, ([field, column]) => [field, column[row]]),
    ) as unknown as FactOf<'Variable'>
  let next = 0
  const take = (count: number): FactOf<'Variable'>[] =>
    Array.from({ length: count }, () => rows[next++] ?? 0).map(row => distinct[row] as FactOf<'Variable'>)
  const whole = <F extends { readonly workspaces: readonly Workspace[] }>(flat: Flat<F>): F =>
    ({ ...flat, workspaces: (flat.workspaces ?? []).map(at => all[at]) }) as unknown as F
  return {
    plan,
    sets: given.sets.map((set, at) => {
      const [stay, go] = counts[at] ?? [0, 0]
      return { ...whole<FactOf<'Set'>>(set as never), variables: take(stay), deleted: take(go) }
    }),
    exposures: given.exposures.map(one => whole<FactOf<'Exposure'>>(one)),
    effects: given.effects.map(one => whole<FactOf<'Effect'>>(one)),
  }
}
