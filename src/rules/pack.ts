import type { EngineRule } from './engine/check.ts'
import { type FactOf, type Facts, fieldsOf, type ObjectName } from './vocabulary.ts'

/** Whether rules may ask for a field of this name. */
type Asks = (field: string) => boolean

/** By the words of their expressions. An index, and what has no type, may be any field. */
export function askedFields(rules: readonly EngineRule[]): Asks {
  const text = rules.map(({ when = '', require }) => `${when} ${require}`).join('\n')
  if (/\[|\bdyn\b/.test(text)) return () => true
  const words = new Set(text.match(/\w+/g))
  return field => words.has(field)
}

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
  /** The variables of all sets, a column a field. */
  readonly columns: ReadonlyMap<string, readonly unknown[]>
}

/** Only what the rules ask for. */
export function packed({ plan, sets, exposures, effects }: Facts, asks: Asks): PackedFacts {
  const isNeeded = (field: string): boolean => field === 'set' || field === 'name' || asks(field)
  const positions = new Map<Workspace, number>()
  const positionOf = (one: Workspace): number => {
    const known = positions.get(one) ?? positions.size
    positions.set(one, known)
    return known
  }
  const flat = <F extends { readonly workspaces: readonly Workspace[] }>(
    name: ObjectName,
    facts: readonly F[],
  ): Flat<F>[] => {
    const fields = fieldsOf(name)
      .map(([field]) => field)
      .filter(field => isNeeded(field) && !['workspaces', 'variables', 'deleted'].includes(field))
    return facts.map(fact => {
      const made: Record<string, unknown> = {}
      for (const field of fields) made[field] = fact[field as keyof F]
      if (asks('workspaces')) made.workspaces = fact.workspaces.map(positionOf)
      return made as Flat<F>
    })
  }
  const columns = new Map<string, unknown[]>()
  for (const [field] of fieldsOf('Variable')) if (asks(field)) columns.set(field, [])
  const add = (variables: readonly FactOf<'Variable'>[]): void => {
    for (const [field, column] of columns)
      for (const one of variables) column.push(one[field as keyof typeof one])
  }
  for (const { variables, deleted } of sets) {
    add(variables)
    add(deleted)
  }
  return {
    plan,
    sets: flat('Set', sets),
    exposures: flat('Exposure', exposures),
    effects: flat('Effect', effects),
    workspaces: [...positions.keys()],
    counts: sets.map(({ variables: stay, deleted }) => [stay.length, deleted.length]),
    columns,
  }
}

/** As they were, without what nobody asks for. */
export function unpacked(given: PackedFacts): Facts {
  const { plan, workspaces: all, counts, columns } = given
  let next = 0
  const take = (count: number): FactOf<'Variable'>[] =>
    Array.from({ length: count }, () => {
      const variable: Record<string, unknown> = {}
      for (const [field, column] of columns) variable[field] = column[next]
      next++
      return variable as FactOf<'Variable'>
    })
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
