import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import { type MovingSet, type PlacedSet, sameInOneSet } from './placed-set.ts'
import { type Rank, rankOf, type Ways } from './precedence.ts'

/** A set at one moment, and numbers in place of its names: thousands of workspaces ask for them. */
export interface Numbered {
  readonly set: PlacedSet
  /** Which moving set it is: the same before and after. */
  readonly origin: number
  /** Its place among all by name, then by id. */
  readonly order: number
  readonly keys: readonly number[]
}

/** A set on its way to somebody. */
export interface Arrival {
  readonly from: Numbered
  /** Rank and order in one number: the smallest wins. */
  readonly strength: number
}

/** The sets that matter, with everything numbered. */
export class NumberedSets {
  readonly keys: readonly VariableKey[]
  readonly before: readonly (Numbered | undefined)[]
  readonly after: readonly (Numbered | undefined)[]
  readonly #byOrder: Numbered[] = []
  readonly #changedValues: ReadonlySet<number>[]

  /** `sets` hold nothing but `keys`. */
  constructor(sets: readonly MovingSet[], keys: ReadonlySet<VariableKey>) {
    this.keys = [...keys].toSorted(compareText)
    const places = new Map(this.keys.map((key, at) => [key, at]))
    const moments = sets
      .flatMap(({ before, after }, origin) => [
        ...(before === undefined ? [] : [{ set: before, origin }]),
        ...(after === undefined || after === before ? [] : [{ set: after, origin }]),
      ])
      .toSorted((a, b) => compareText(a.set.called, b.set.called) || compareText(a.set.id, b.set.id))
    const numbers = new Map<PlacedSet, Numbered>()
    for (const [order, { set, origin }] of moments.entries()) {
      const numbered = {
        set,
        origin,
        order,
        keys: [...set.held.keys()].flatMap(key => places.get(key) ?? []),
      }
      numbers.set(set, numbered)
      this.#byOrder.push(numbered)
    }
    const numberOf = (set: PlacedSet | undefined) => (set === undefined ? undefined : numbers.get(set))
    this.before = sets.map(({ before }) => numberOf(before))
    this.after = sets.map(({ after }) => numberOf(after))
    this.#changedValues = sets.map(set => new Set(changedValues(set).flatMap(key => places.get(key) ?? [])))
  }

  /** On one way; `undefined` where there is no such way for the set. */
  arrival(from: Numbered, ways: Ways): Arrival | undefined {
    const rank = rankOf(from.set, ways)
    return rank === undefined ? undefined : { from, strength: rank * this.#byOrder.length + from.order }
  }

  rankAt = (strength: number): Rank => Math.floor(strength / this.#byOrder.length) as Rank

  at(strength: number): Numbered | undefined {
    return this.#byOrder[strength % this.#byOrder.length]
  }

  /** Whether the set gives another value for the key than before. */
  isChanged = (origin: number, key: number): boolean => this.#changedValues[origin]?.has(key) === true
}

function changedValues({ before, after }: MovingSet): VariableKey[] {
  if (before === undefined || after === undefined || before === after) return []
  return [...before.held].flatMap(([key, held]) => {
    const then = after.held.get(key)
    return then === undefined || sameInOneSet(key, held, then) ? [] : [key]
  })
}
