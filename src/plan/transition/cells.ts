import type { VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Landscape } from '../effective/facts.ts'
import type { PlacedSet } from '../effective/placed-set.ts'
import type { WorkspaceGroup } from '../effective/workspaces.ts'
import type { Operation } from '../operation.ts'
import { type Given, type Giving, givingOf, isStronger, wavers } from './giving.ts'
import { type Coming, type SteppedSet, steppedSets } from './steps.ts'

/** One key at workspaces that receive it in the same way. */
export interface Cell {
  readonly key: VariableKey
  readonly groups: WorkspaceGroup[]
}

/** Everything that may give some keys at some workspaces. The cells differ in their values only. */
export interface Givers {
  readonly givings: readonly Giving[]
  /** The steps of the givings, in their order. */
  readonly steps: readonly number[]
  readonly cells: Map<VariableKey, Cell>
}

/** The cells that two steps or more may change. With fewer, a workspace sees the old value and then the new one. */
export function cellsOf(
  { sets, groups }: Pick<Landscape, 'sets' | 'groups'>,
  operations: readonly Operation[],
): Givers[] {
  const stepped = steppedSets(sets, operations)
  const sources = new Sources(stepped)
  const found: Givers[] = []
  const mattering = interned(givings => {
    const steps = givings.flatMap(giving => giving.steps)
    if (steps.length < 2) return undefined
    const givers: Givers = { givings, steps, cells: new Map() }
    found.push(givers)
    return givers
  })
  const giversOf = interned(givings => mattering(strongEnough(givings)))
  const add = (key: VariableKey, all: readonly KeySource[], seeing: WorkspaceGroup[]): void => {
    const givings: Giving[] = []
    for (const source of all) {
      const giving = source.of(key)
      if (giving !== undefined) givings.push(giving)
    }
    const givers = giversOf(givings)
    if (givers === undefined || seeing.length === 0) return
    const known = givers.cells.get(key)
    if (known === undefined) givers.cells.set(key, { key, groups: seeing })
    else for (const group of seeing) known.groups.push(group)
  }

  const everywhere = new Map<VariableKey, KeySource[]>()
  const isMoved = new Set<VariableKey>()
  for (const set of new Set(stepped.values())) {
    if (!set.before?.global && !set.after?.global) continue
    const source = sources.of(set, 0)
    for (const key of set.keys) {
      append(everywhere, key, source)
      if (source.wavers(key)) isMoved.add(key)
    }
  }
  const isWavering = ({ before, after }: WorkspaceGroup): boolean =>
    [before, after].some(coming => coming.some(({ set }) => set && stepped.get(set)?.wavers))
  /** Groups that receive such a key from other sets as well. */
  const apart = new Map<VariableKey, Set<WorkspaceGroup>>()
  for (const group of groups) {
    if (isMoved.size === 0 && !isWavering(group)) continue
    const own = sources.comingTo(group)
    const sets = new Set(own.map(({ set }) => set))
    for (const [key, coming] of byKey(own)) {
      if (isMoved.has(key)) apart.set(key, (apart.get(key) ?? new Set()).add(group))
      else if (!coming.some(source => source.wavers(key))) continue
      const others = everywhere.get(key)?.filter(({ set }) => !sets.has(set)) ?? []
      add(key, others.length === 0 ? coming : [...coming, ...others], [group])
    }
  }
  const all = [...groups]
  for (const key of isMoved) {
    const others = apart.get(key)
    // Cells share the array of all groups, so that many keys cost no more for many groups.
    const rest = others === undefined ? all : all.filter(group => !others.has(group))
    add(key, everywhere.get(key) ?? [], rest)
  }
  return found
}

function byKey(sources: readonly KeySource[]): Map<VariableKey, KeySource[]> {
  const found = new Map<VariableKey, KeySource[]>()
  for (const source of sources) for (const key of source.set.keys) append(found, key, source)
  return found
}

/** Leaves out a source that never gives the key, because a stronger one always does. */
function strongEnough(givings: readonly Giving[]): readonly Giving[] {
  let strongest: Given | undefined
  for (const { weakest } of givings)
    if (weakest !== undefined && isStronger(weakest, strongest)) strongest = weakest
  if (strongest === undefined) return givings
  const least = strongest
  return givings.filter(({ strongest: given }) => !isStronger(least, given))
}

/** Looks at each list of givings once. */
function interned<T>(lookAt: (givings: readonly Giving[]) => T): (givings: readonly Giving[]) => T {
  const byHash = new Map<number, { readonly givings: readonly Giving[]; readonly found: T }[]>()
  return givings => {
    let hash = 0
    for (const { number } of givings) hash = (Math.imul(hash, 31) + number) | 0
    const known = byHash
      .get(hash)
      ?.find(
        one =>
          one.givings.length === givings.length && one.givings.every((giving, at) => giving === givings[at]),
      )
    if (known !== undefined) return known.found
    const found = lookAt(givings)
    append(byHash, hash, { givings, found })
    return found
  }
}

/** A set as some workspaces receive it. */
class KeySource {
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
class Sources {
  readonly #sets: ReadonlyMap<PlacedSet, SteppedSet>
  readonly #known = new Map<number, KeySource>()
  #numbers = 0

  constructor(sets: ReadonlyMap<PlacedSet, SteppedSet>) {
    this.#sets = sets
  }

  readonly #numbered = () => this.#numbers++

  of(set: SteppedSet, bits: number): KeySource {
    const identity = set.number * COMINGS.length + bits
    const source = this.#known.get(identity) ?? new KeySource(set, bits, this.#numbered)
    this.#known.set(identity, source)
    return source
  }

  /** Those of sets that are assigned to a group or its project, before or after. */
  comingTo(group: WorkspaceGroup): KeySource[] {
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
