import type { VariableKey } from '../../model/ids.ts'
import type { Landscape } from '../effective/facts.ts'
import type { PlacedSet } from '../effective/placed-set.ts'
import type { WorkspaceGroup } from '../effective/workspaces.ts'
import type { Operation } from '../operation.ts'
import {
  type Coming,
  type Given,
  type Giving,
  givingOf,
  isStronger,
  type NumberedStep,
  type SteppedSet,
} from './giving.ts'

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
  const shared = global.map(set => new Source(set, 0))
  const everywhere = byKey(shared)
  const cells = new Map<string, Cell>()
  const numbers = new Map<Giving, number>()
  const numberOf = (giving: Giving): number => {
    const number = numbers.get(giving) ?? numbers.size
    numbers.set(giving, number)
    return number
  }
  const add = (key: VariableKey, sources: readonly Source[], groups: readonly WorkspaceGroup[]): void => {
    const givings = mattering(sources.flatMap(source => source.of(key) ?? []))
    if (stepsIn(givings) < 2 || groups.length === 0) return
    const identity = `${key} ${givings
      .map(numberOf)
      .toSorted((a, b) => a - b)
      .join()}`
    const known = cells.get(identity)
    if (known === undefined) cells.set(identity, { key, givings, groups: [...groups] })
    else for (const group of groups) known.groups.push(group)
  }

  const sourceOf = interned()
  const isMoved = new Set(shared.flatMap(({ wavering }) => wavering))
  /** Groups that receive such a key from other sets as well. */
  const apart = new Map<VariableKey, Set<WorkspaceGroup>>()
  for (const group of landscape.groups) {
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
  for (const key of isMoved) {
    const others = apart.get(key)
    const groups = landscape.groups.filter(group => others?.has(group) !== true)
    add(key, everywhere.get(key) ?? [], groups)
  }
  return [...cells.values()]
}

/** Every set of the landscape by its states before and after, with its steps. A replaced set is two. */
function setsOf({ changing, sets }: Landscape, operations: readonly Operation[]): Map<PlacedSet, SteppedSet> {
  const stepsOf = new Map<string, NumberedStep[]>()
  for (const [node, operation] of operations.entries()) {
    const id = operation.subject.id ?? `new ${operation.subject.name}`
    const step = { node, operation }
    const others = stepsOf.get(id)
    if (others === undefined) stepsOf.set(id, [step])
    else others.push(step)
  }
  const found = new Map<PlacedSet, SteppedSet>()
  const isChanging = new Set(changing)
  for (const moving of sets) {
    const { before, after, replaced } = moving
    const stepped = isChanging.has(moving)
    const named = (id: string | undefined) => (stepped && id !== undefined ? (stepsOf.get(id) ?? []) : [])
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

/** A set as some workspaces receive it. Bits: directly and through the project, before and after. */
class Source {
  readonly set: SteppedSet
  readonly keys: ReadonlySet<VariableKey>
  readonly #coming: Coming
  #wavering: readonly VariableKey[] | undefined
  readonly #givings = new Map<VariableKey, Giving | undefined>()

  constructor(set: SteppedSet, bits: number) {
    this.set = set
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
    this.#wavering ??= this.set.steps.every(({ operation }) => operation.type === 'update-variable')
      ? []
      : [...this.keys].filter(key => {
          const giving = this.of(key)
          return giving !== undefined && wavers(giving)
        })
    return this.#wavering
  }

  of(key: VariableKey): Giving | undefined {
    if (this.#givings.has(key)) return this.#givings.get(key)
    const giving = this.keys.has(key) ? givingOf(this.set, key, this.#coming) : undefined
    this.#givings.set(key, giving)
    return giving
  }
}

const DIRECT = [1, 2] as const
const THROUGH = [4, 8] as const

/** One source for each set and way, so that it is computed once. */
function interned(): (set: SteppedSet, bits: number) => Source {
  const sources = new Map<SteppedSet, (Source | undefined)[]>()
  return (set, bits) => {
    const known = sources.get(set) ?? []
    const source = known[bits] ?? new Source(set, bits)
    known[bits] = source
    sources.set(set, known)
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
