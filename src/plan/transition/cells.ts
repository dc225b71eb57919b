import type { VariableKey } from '../../model/ids.ts'
import type { Landscape } from '../effective/facts.ts'
import type { PlacedSet } from '../effective/placed-set.ts'
import type { WorkspaceGroup } from '../effective/workspaces.ts'
import type { Operation } from '../operation.ts'
import { type Coming, type Given, type Giving, givingOf, isStronger, type SteppedSet } from './giving.ts'
import { StepsByKey } from './steps.ts'

/** One key at workspaces that receive it in the same way, with everything that may give it. */
export interface Cell {
  readonly key: VariableKey
  readonly givings: readonly Giving[]
  readonly groups: WorkspaceGroup[]
}

/** The cells that two steps or more may change. With fewer, a workspace sees the old value and then the new one. */
export function cellsOf(landscape: Landscape, operations: readonly Operation[]): Cell[] {
  const sets = setsOf(landscape, operations)
  const global = [...new Set(sets.values())].filter(({ before, after }) => before?.global || after?.global)
  let givings = 0
  const numbered = () => givings++
  const shared = global.map(set => new Source(set, 0, numbered))
  const everywhere = byKey(shared)
  const cells = new Map<string, Cell>()
  const add = (key: VariableKey, sources: readonly Source[], groups: WorkspaceGroup[]): void => {
    const all: Giving[] = []
    for (const source of sources) {
      const giving = source.of(key)
      if (giving !== undefined) all.push(giving)
    }
    const givings = mattering(all)
    if (stepsIn(givings) < 2 || groups.length === 0) return
    const identity = givings
      .map(({ number }) => number)
      .sort((a, b) => a - b)
      .join()
    const known = cells.get(identity)
    if (known === undefined) cells.set(identity, { key, givings, groups })
    else for (const group of groups) known.groups.push(group)
  }

  const isWavering = ({ before, after }: WorkspaceGroup): boolean =>
    [before, after].some(coming =>
      coming.some(({ set: placed }) => placed && sets.get(placed)?.steps.onlyUpdates === false),
    )
  const sourceOf = interned(numbered)
  const isMoved = new Set(shared.flatMap(({ wavering }) => wavering))
  /** Groups that receive such a key from other sets as well. */
  const apart = new Map<VariableKey, Set<WorkspaceGroup>>()
  for (const group of landscape.groups) {
    if (isMoved.size === 0 && !isWavering(group)) continue
    const own = comingTo(group, sets, sourceOf)
    const keys = new Set(own.flatMap(({ wavering }) => wavering))
    for (const source of isMoved.size === 0 ? [] : own)
      for (const key of source.keys) {
        if (!isMoved.has(key)) continue
        keys.add(key)
        apart.set(key, (apart.get(key) ?? new Set()).add(group))
      }
    for (const key of keys) {
      const around = everywhere.get(key) ?? []
      const others = around.filter(({ set }) => !own.some(source => source.set === set))
      add(key, [...own, ...others], [group])
    }
  }
  const all = [...landscape.groups]
  for (const key of isMoved) {
    const others = apart.get(key)
    // Cells share the array of all groups, so that many keys cost no more for many groups.
    const groups = others === undefined ? all : all.filter(group => !others.has(group))
    add(key, everywhere.get(key) ?? [], groups)
  }
  return [...cells.values()]
}

/** Every set of the landscape by its states before and after, with its steps. A replaced set is two. */
function setsOf({ changing, sets }: Landscape, operations: readonly Operation[]): Map<PlacedSet, SteppedSet> {
  const stepsOf = new Map<string, StepsByKey>()
  for (const [node, operation] of operations.entries()) {
    const id = operation.subject.id ?? `new ${operation.subject.name}`
    const steps = stepsOf.get(id) ?? new StepsByKey()
    steps.add({ node, operation })
    stepsOf.set(id, steps)
  }
  const found = new Map<PlacedSet, SteppedSet>()
  const isChanging = new Set(changing)
  for (const moving of sets) {
    const { before, after, replaced } = moving
    const stepped = isChanging.has(moving)
    const named = (id: string | undefined) => (stepped && id !== undefined && stepsOf.get(id)) || NO_STEPS
    if (replaced === true && before !== undefined && after !== undefined) {
      found.set(before, { before, steps: named(before.id) })
      found.set(after, { after, steps: named(`new ${after.name}`) })
      continue
    }
    const set = { before, after, steps: named(before?.id ?? after?.id) }
    if (before !== undefined) found.set(before, set)
    if (after !== undefined) found.set(after, set)
  }
  return found
}

const NO_STEPS = new StepsByKey()

/** A set as some workspaces receive it. Bits: directly and through the project, before and after. */
class Source {
  readonly set: SteppedSet
  readonly keys: ReadonlySet<VariableKey>
  readonly #coming: Coming
  readonly #numbered: () => number
  #wavering: readonly VariableKey[] | undefined
  readonly #givings = new Map<VariableKey, Giving | undefined>()

  constructor(set: SteppedSet, bits: number, numbered: () => number) {
    this.set = set
    this.#numbered = numbered
    this.keys = new Set([...(set.before?.held.keys() ?? []), ...(set.after?.held.keys() ?? [])])
    const has = (bit: number) => (bits & bit) !== 0
    this.#coming = {
      direct: [has(DIRECT[0]), has(DIRECT[1])],
      through: [has(THROUGH[0]), has(THROUGH[1])],
    }
  }

  /**
   * Keys that it does not give all the time, or not with the same precedence. If no set has such a key, its source stays the
   * same, and a change of its value is one step.
   */
  get wavering(): readonly VariableKey[] {
    this.#wavering ??= this.set.steps.onlyUpdates
      ? []
      : [...this.keys].filter(key => {
          const giving = this.of(key)
          return giving !== undefined && wavers(giving)
        })
    return this.#wavering
  }

  of(key: VariableKey): Giving | undefined {
    if (!this.keys.has(key)) return undefined
    const known = this.#givings.get(key)
    if (known !== undefined || this.#givings.has(key)) return known
    const giving = givingOf(this.#numbered(), this.set, key, this.#coming)
    this.#givings.set(key, giving)
    return giving
  }
}

const DIRECT = [1, 2] as const
const THROUGH = [4, 8] as const

/** One source for each set and way, so that it is computed once. */
function interned(numbered: () => number): (set: SteppedSet, bits: number) => Source {
  const sources = new Map<SteppedSet, (Source | undefined)[]>()
  return (set, bits) => {
    const others = sources.get(set)
    const known = others?.[bits]
    if (known !== undefined) return known
    const source = new Source(set, bits, numbered)
    if (others === undefined) sources.set(set, Object.assign([], { [bits]: source }))
    else others[bits] = source
    return source
  }
}

/** The sets that are assigned to a group or its project, before or after. */
function comingTo(
  group: WorkspaceGroup,
  sets: ReadonlyMap<PlacedSet, SteppedSet>,
  sourceOf: (set: SteppedSet, bits: number) => Source,
): Source[] {
  const ways = new Map<SteppedSet, number>()
  for (const [moment, sources] of [group.before, group.after].entries())
    for (const { set: placed, way } of sources) {
      const set = placed && sets.get(placed)
      if (set === undefined) continue
      const bit = (way === 'workspace' ? DIRECT : THROUGH)[moment] ?? 0
      ways.set(set, (ways.get(set) ?? 0) | bit)
    }
  return [...ways].map(([set, bits]) => sourceOf(set, bits))
}

function byKey(sources: readonly Source[]): Map<VariableKey, Source[]> {
  const found = new Map<VariableKey, Source[]>()
  for (const source of sources)
    for (const key of source.keys) {
      const others = found.get(key)
      if (others === undefined) found.set(key, [source])
      else others.push(source)
    }
  return found
}

/** Leaves out a source that never gives the key, because a stronger one always does. */
function mattering(givings: readonly Giving[]): readonly Giving[] {
  let strongest: Given | undefined
  for (const { weakest } of givings)
    if (weakest !== undefined && isStronger(weakest, strongest)) strongest = weakest
  if (strongest === undefined) return givings
  const least = strongest
  return givings.filter(({ strongest: given }) => !isStronger(least, given))
}

const wavers = ({ strongest, weakest }: Giving): boolean =>
  weakest === undefined || isStronger(strongest, weakest)

const stepsIn = (givings: readonly Giving[]): number =>
  givings.reduce((sum, { steps }) => sum + steps.length, 0)
