import type { VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Landscape } from '../effective/seen.ts'
import type { SetState } from '../effective/set-state.ts'
import type { WorkspaceGroup } from '../effective/workspace-groups.ts'
import type { Operation } from '../operation.ts'
import { type Contribution, contributionOf, isStronger, isUnstable, strongestOf } from './contribution.ts'
import { type Reception, type SteppedSet, steppedSets } from './steps.ts'

/** One key at workspaces that receive it in the same way. */
interface Cell {
  readonly key: VariableKey
  readonly groups: WorkspaceGroup[]
}

/** Everything that may give some keys at some workspaces. The cells differ in their values only. */
export interface Competitors {
  readonly contributions: readonly Contribution[]
  readonly cells: Map<VariableKey, Cell>
}

/** The cells that two steps or more may change. With fewer, a workspace sees the old value and then the new one. */
export function cellsOf(
  { sets, groups }: Pick<Landscape, 'sets' | 'groups'>,
  operations: readonly Operation[],
): Competitors[] {
  const stepped = steppedSets(sets, operations)
  const sources = new Sources(stepped)
  const found = new FoundCells()
  const { everywhere, isMoved } = globalSources(stepped, sources)
  /** Groups that receive such a key from other sets as well. */
  const apart = new Map<VariableKey, Set<WorkspaceGroup>>()
  for (const group of groups) {
    if (isMoved.size === 0 && !receivesUnstable(group, stepped)) continue
    const own = sources.setsReceivedBy(group)
    const sets = new Set(own.map(({ set }) => set))
    for (const [key, received] of byKey(own)) {
      if (isMoved.has(key)) apart.set(key, (apart.get(key) ?? new Set()).add(group))
      else if (!received.some(source => source.isUnstable(key))) continue
      const others = everywhere.get(key)?.filter(({ set }) => !sets.has(set)) ?? []
      found.add(key, [...received, ...others], [group])
    }
  }
  const all = [...groups]
  for (const key of isMoved) {
    const others = apart.get(key)
    // Cells share the array of all groups, so that many keys cost no more for many groups.
    const rest = others === undefined ? all : all.filter(group => !others.has(group))
    found.add(key, everywhere.get(key) ?? [], rest)
  }
  return found.competitors
}

/** What global sets give, by key, and the keys that some of them do not always give, or not with the same precedence. */
function globalSources(stepped: ReadonlyMap<SetState, SteppedSet>, sources: Sources) {
  const everywhere = new Map<VariableKey, KeySource[]>()
  const isMoved = new Set<VariableKey>()
  for (const set of new Set(stepped.values())) {
    if (!set.before?.global && !set.after?.global) continue
    const source = sources.of(set, 0)
    for (const key of set.keys) {
      append(everywhere, key, source)
      if (source.isUnstable(key)) isMoved.add(key)
    }
  }
  return { everywhere, isMoved }
}

const receivesUnstable = (
  { before, after }: WorkspaceGroup,
  stepped: ReadonlyMap<SetState, SteppedSet>,
): boolean =>
  [before, after].some(received => received.some(({ set }) => set && stepped.get(set)?.isUnstable))

/** Cells by what competes for them. */
class FoundCells {
  readonly competitors: Competitors[] = []
  readonly #byNumbers = new Map<string, Competitors | undefined>()

  add(key: VariableKey, sources: readonly KeySource[], seeing: WorkspaceGroup[]): void {
    if (seeing.length === 0) return
    const competitors = this.#competing(sources.flatMap(source => source.of(key) ?? []))
    const known = competitors?.cells.get(key)
    if (known === undefined) competitors?.cells.set(key, { key, groups: seeing })
    else for (const group of seeing) known.groups.push(group)
  }

  #competing(all: readonly Contribution[]): Competitors | undefined {
    const numbers = all.map(({ number }) => number).join()
    if (this.#byNumbers.has(numbers)) return this.#byNumbers.get(numbers)
    const strong = strongEnough(all)
    const competitors = strong.length < all.length ? this.#competing(strong) : this.#first(all)
    this.#byNumbers.set(numbers, competitors)
    return competitors
  }

  #first(contributions: readonly Contribution[]): Competitors | undefined {
    if (contributions.reduce((sum, { steps }) => sum + steps.length, 0) < 2) return undefined
    const competitors: Competitors = { contributions, cells: new Map() }
    this.competitors.push(competitors)
    return competitors
  }
}

function byKey(sources: readonly KeySource[]): Map<VariableKey, KeySource[]> {
  const found = new Map<VariableKey, KeySource[]>()
  for (const source of sources) for (const key of source.set.keys) append(found, key, source)
  return found
}

/** Leaves out a source that never gives the key, because a stronger one always does. */
function strongEnough(contributions: readonly Contribution[]): readonly Contribution[] {
  const least = strongestOf(contributions.map(({ weakest }) => weakest))
  return least === undefined
    ? contributions
    : contributions.filter(({ strongest }) => !isStronger(least, strongest))
}

/** A set as some workspaces receive it. */
class KeySource {
  readonly number: number
  readonly set: SteppedSet
  readonly #received: Reception
  readonly #numbered: () => number
  /** What it gives for each key that no step changes by itself. */
  readonly #shared: Contribution | undefined
  readonly #isUnstable: boolean
  #own: Map<VariableKey, Contribution | undefined> | undefined

  constructor(set: SteppedSet, bits: number, numbered: () => number) {
    this.set = set
    this.number = numbered()
    this.#numbered = numbered
    this.#received = receptionOf(bits)
    this.#shared = contributionOf(this.number, set, undefined, this.#received)
    this.#isUnstable = this.#shared !== undefined && isUnstable(this.#shared)
  }

  /** It does not give this key all the time, or not with the same precedence. */
  isUnstable(key: VariableKey): boolean {
    if (!this.set.isUnstable) return false
    if (this.set.own?.has(key) !== true) return this.#isUnstable
    const contribution = this.of(key)
    return contribution !== undefined && isUnstable(contribution)
  }

  of(key: VariableKey): Contribution | undefined {
    if (this.set.own?.has(key) !== true) return this.#shared
    this.#own ??= new Map()
    const known = this.#own.get(key)
    if (known !== undefined || this.#own.has(key)) return known
    const contribution = contributionOf(this.#numbered(), this.set, key, this.#received)
    this.#own.set(key, contribution)
    return contribution
  }
}

/** The ways of a source as bits: directly and through the project, before and after. */
const DIRECT = [1, 2] as const
const THROUGH = [4, 8] as const
const ALL_WAYS = 16
const receptionOf = (bits: number): Reception => ({
  direct: [(bits & DIRECT[0]) !== 0, (bits & DIRECT[1]) !== 0],
  through: [(bits & THROUGH[0]) !== 0, (bits & THROUGH[1]) !== 0],
})

/** The sources of every group, one for each set and way. */
class Sources {
  readonly #sets: ReadonlyMap<SetState, SteppedSet>
  readonly #known = new Map<number, KeySource>()
  #numbers = 0

  constructor(sets: ReadonlyMap<SetState, SteppedSet>) {
    this.#sets = sets
  }

  readonly #numbered = () => this.#numbers++

  of(set: SteppedSet, bits: number): KeySource {
    const identity = set.number * ALL_WAYS + bits
    const source = this.#known.get(identity) ?? new KeySource(set, bits, this.#numbered)
    this.#known.set(identity, source)
    return source
  }

  /** Those of sets that are assigned to a group or its project, before or after. */
  setsReceivedBy(group: WorkspaceGroup): KeySource[] {
    const ways = new Map<SteppedSet, number>()
    for (const moment of [0, 1] as const)
      for (const { set: state, way } of moment === 0 ? group.before : group.after) {
        const set = state && this.#sets.get(state)
        if (set !== undefined)
          ways.set(set, (ways.get(set) ?? 0) | (way === 'workspace' ? DIRECT : THROUGH)[moment])
      }
    return [...ways].map(([set, bits]) => this.of(set, bits)).sort((a, b) => a.number - b.number)
  }
}
