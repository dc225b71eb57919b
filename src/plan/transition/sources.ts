import type { VariableKey } from '../../model/ids.ts'
import type { PlacedSet } from '../effective/placed-set.ts'
import type { WorkspaceGroup } from '../effective/workspaces.ts'
import { type Coming, type Giving, givingOf, wavers } from './giving.ts'
import type { SteppedSet } from './steps.ts'

/** A set as some workspaces receive it. */
export class Source {
  readonly number: number
  readonly set: SteppedSet
  readonly #coming: Coming
  readonly #numbered: () => number
  /** What it gives for each key that no step changes by itself. */
  readonly #shared: Giving | undefined
  readonly #wavers: boolean
  #own: Map<VariableKey, Giving | undefined> | undefined

  constructor(set: SteppedSet, bits: number, numbered: () => number) {
    this.set = set
    this.number = numbered()
    this.#numbered = numbered
    this.#coming = COMINGS[bits] ?? NEVER
    this.#shared = givingOf(this.number, set, undefined, this.#coming)
    this.#wavers = this.#shared !== undefined && wavers(this.#shared)
  }

  /** It does not give this key all the time, or not with the same precedence. */
  wavers(key: VariableKey): boolean {
    if (!this.set.wavers) return false
    if (this.set.own?.has(key) !== true) return this.#wavers
    const giving = this.of(key)
    return giving !== undefined && wavers(giving)
  }

  of(key: VariableKey): Giving | undefined {
    if (this.set.own?.has(key) !== true) return this.#shared
    this.#own ??= new Map()
    const known = this.#own.get(key)
    if (known !== undefined || this.#own.has(key)) return known
    const giving = givingOf(this.#numbered(), this.set, key, this.#coming)
    this.#own.set(key, giving)
    return giving
  }
}

/** The ways of a source as bits: directly and through the project, before and after. */
const DIRECT = [1, 2] as const
const THROUGH = [4, 8] as const
const NEVER: Coming = { direct: [false, false], through: [false, false] }
const COMINGS: readonly Coming[] = Array.from({ length: 16 }, (_, bits) => ({
  direct: [(bits & DIRECT[0]) !== 0, (bits & DIRECT[1]) !== 0],
  through: [(bits & THROUGH[0]) !== 0, (bits & THROUGH[1]) !== 0],
}))

/** The sources of every group, one for each set and way. */
export class Sources {
  readonly #sets: ReadonlyMap<PlacedSet, SteppedSet>
  readonly #known = new Map<number, Source>()
  #numbers = 0

  constructor(sets: ReadonlyMap<PlacedSet, SteppedSet>) {
    this.#sets = sets
  }

  readonly #numbered = () => this.#numbers++

  of(set: SteppedSet, bits: number): Source {
    const identity = set.number * COMINGS.length + bits
    const source = this.#known.get(identity) ?? new Source(set, bits, this.#numbered)
    this.#known.set(identity, source)
    return source
  }

  /** Those of sets that are assigned to a group or its project, before or after. */
  comingTo(group: WorkspaceGroup): Source[] {
    const coming: SteppedSet[] = []
    for (const moment of [0, 1] as const)
      for (const { set: placed, way } of moment === 0 ? group.before : group.after) {
        const set = placed && this.#sets.get(placed)
        if (set === undefined) continue
        if (set.ways === 0) coming.push(set)
        set.ways |= (way === 'workspace' ? DIRECT : THROUGH)[moment]
      }
    return coming
      .map(set => {
        const source = this.of(set, set.ways)
        set.ways = 0
        return source
      })
      .sort((a, b) => a.number - b.number)
  }
}
