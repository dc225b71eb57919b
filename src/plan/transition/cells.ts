import type { VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Landscape } from '../effective/facts.ts'
import type { WorkspaceGroup } from '../effective/workspaces.ts'
import type { Operation } from '../operation.ts'
import { type Given, type Giving, isStronger } from './giving.ts'
import { type Source, Sources } from './sources.ts'
import { steppedSets } from './steps.ts'

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
  const add = (key: VariableKey, all: readonly Source[], seeing: WorkspaceGroup[]): void => {
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

  const everywhere = new Map<VariableKey, Source[]>()
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

function byKey(sources: readonly Source[]): Map<VariableKey, Source[]> {
  const found = new Map<VariableKey, Source[]>()
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
