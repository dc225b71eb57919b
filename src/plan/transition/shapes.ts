import type { VariableKey } from '../../model/ids.ts'
import type { OrderedGraph } from '../graph.ts'
import type { Cell, Givers } from './cells.ts'
import { byGiven, type Given, isStronger, otherThan } from './giving.ts'

/** Finished steps as bits: a set of the numbers of `steps`. */
export type Mask = number

/** Cells with more steps are not enumerated. */
export const MOST_STEPS = 10

/** For each step the mask of those that it waits for. */
export const waitsIn = (steps: readonly number[], graph: Pick<OrderedGraph, 'waits'>): Mask[] =>
  steps.map(step =>
    steps.reduce(
      (mask, other, bit) => (other !== step && graph.waits(step, other) ? mask | (1 << bit) : mask),
      0,
    ),
  )

/** Whether these steps may be the finished ones: each with those that it waits for. */
const isCut = (mask: Mask, waits: readonly Mask[]): boolean =>
  waits.every((earlier, bit) => (mask & (1 << bit)) === 0 || (mask & earlier) === earlier)

/** The finished steps that show another value. */
export function badCuts({ isBad }: { readonly isBad: Uint8Array }, waits: readonly Mask[]): Mask[] {
  const found: Mask[] = []
  for (let mask = 0; mask < isBad.length; mask++)
    if (isBad[mask] === 1 && isCut(mask, waits)) found.push(mask)
  return found
}

/** One or several steps that are done at once. */
export interface Unit {
  readonly mask: Mask
  /** The steps that it waits for. */
  readonly waits: Mask
}

export const unitsOf = (waits: readonly Mask[]): Unit[] =>
  waits.map((earlier, bit) => ({ mask: 1 << bit, waits: earlier }))

/** An order of units, as their numbers, and what it costs: `Infinity` if the units wait for each other. */
interface Path {
  readonly order: readonly number[]
  readonly cost: number
}

/**
 * An order that shows as few wrong values as possible. The steps of `start` are finished before; `cost` counts what is wrong
 * after each subset. Of equal orders, the one closest to `prefers`.
 */
export function bestPath(
  units: readonly Unit[],
  start: Mask,
  cost: (mask: Mask) => number,
  prefers: (unit: number) => number,
): Path {
  const all = units.reduce((sum, { mask }) => sum | mask, 0)
  const costs = new Float64Array(all + 1).fill(Infinity)
  const last = new Int8Array(all + 1).fill(-1)
  costs[start] = 0
  for (let done = start; done <= all; done++) {
    const soFar = costs[done] ?? Infinity
    if (soFar === Infinity) continue
    for (const [number, { mask, waits }] of units.entries()) {
      if ((done & mask) !== 0 || (done & waits) !== waits) continue
      const next = done | mask
      const sum = soFar + cost(next)
      const known = costs[next] ?? Infinity
      if (sum > known) continue
      const before = last[next] ?? -1
      if (sum === known && before >= 0 && prefers(before) >= prefers(number)) continue
      costs[next] = sum
      last[next] = number
    }
  }
  const order: number[] = []
  if (costs[all] === Infinity) return { order, cost: Infinity }
  for (let done = all; done !== start; ) {
    const number = last[done] ?? -1
    const unit = units[number]
    if (unit === undefined) throw new Error('the steps wait for each other')
    order.push(number)
    done &= ~unit.mask
  }
  return { order: order.reverse(), cost: costs[all] ?? Infinity }
}

/** Cells in which the same steps show another value after the same subsets. */
export interface Shape {
  readonly steps: readonly number[]
  /** 1 if the value is neither the first nor the last one. Shapes with equal tables share them. */
  readonly isBad: Uint8Array
  readonly cells: readonly { readonly cell: Cell; readonly givers: Givers }[]
}

/** The cells of up to `MOST_STEPS` steps that may show another value. */
export function shapesOf(all: readonly Givers[]): Shape[] {
  const shapes = new Map<string, Shape & { readonly cells: { cell: Cell; givers: Givers }[] }>()
  const patternOf = patterns()
  for (const givers of all) {
    const { steps, cells } = givers
    if (steps.length > MOST_STEPS) continue
    const badOf = patternOf(givers)
    for (const cell of cells.values()) {
      const bad = badOf(cell.key)
      if (bad === undefined) continue
      const identity = `${steps.join()} ${bad.number}`
      const known = shapes.get(identity)
      if (known === undefined) shapes.set(identity, { steps, isBad: bad.isBad, cells: [{ cell, givers }] })
      else known.cells.push({ cell, givers })
    }
  }
  return [...shapes.values()]
}

/** What gives the keys after these steps. */
export function winnerIn({ givings }: Givers, mask: Mask): Given | undefined {
  let [best, offset]: [Given | undefined, number] = [undefined, 0]
  for (const { steps, states } of givings) {
    const given = states[(mask >> offset) & ((1 << steps.length) - 1)]
    if (given !== undefined && isStronger(given, best)) best = given
    offset += steps.length
  }
  return best
}

interface NumberedCuts {
  readonly number: number
  readonly isBad: Uint8Array
}

/** Which set wins after each subset of steps, whatever its value. */
interface Pattern {
  /** A bit for each value that a set gives: the winner's, or -1. */
  readonly winners: Int8Array
  /** By the bits of the values that are neither the first nor the last one. */
  readonly badBy: Map<number, NumberedCuts | undefined>
}

/** The bit of a value among those of a cell. Each set has two: before and after. */
const bitOf = (giving: number, { moment }: Given): number => 2 * giving + (moment === 'before' ? 0 : 1)

/** After which steps a key shows another value, computed once for each pattern and equal values. Equal ones have the same number. */
function patterns(): (givers: Givers) => (key: VariableKey) => NumberedCuts | undefined {
  const known = new Map<string, Pattern>()
  const all = new Map<string, NumberedCuts>()
  const text = new TextDecoder('latin1')
  const numbered = (isBad: Uint8Array): NumberedCuts | undefined => {
    if (!isBad.includes(1)) return undefined
    const identity = text.decode(isBad)
    const found = all.get(identity) ?? { number: all.size, isBad }
    all.set(identity, found)
    return found
  }
  return givers => {
    const strengths = strengthsOf(givers)
    const moments = givers.givings.map(({ states }) => states.map(given => given?.moment.length).join())
    const identity = `${strengths.join(';')} ${moments.join(';')}`
    const pattern = known.get(identity) ?? { winners: winnersOf(givers, strengths), badBy: new Map() }
    known.set(identity, pattern)
    const { winners, badBy } = pattern
    const [first, last] = [winnerIn(givers, 0), winnerIn(givers, winners.length - 1)]
    const isKept = first !== undefined && last !== undefined
    const values = valuesOf(givers)
    return key => {
      const isOther = otherThan(key, first, last)
      let others = 0
      for (const [bit, given] of values) if (isOther(given)) others |= 1 << bit
      const same = badBy.get(others)
      if (same !== undefined || badBy.has(others)) return same
      const isBad = winners.map(bit => (bit < 0 ? Number(isKept) : (others >> bit) & 1))
      const bad = numbered(new Uint8Array(isBad))
      badBy.set(others, bad)
      return bad
    }
  }
}

/** One state for each value. */
const valuesOf = ({ givings }: Givers): Map<number, Given> =>
  new Map(
    givings.flatMap(({ states }, at) =>
      states.flatMap((given): [number, Given][] => (given === undefined ? [] : [[bitOf(at, given), given]])),
    ),
  )

/** For each giving and state how many states are stronger; `undefined`: it gives nothing. */
function strengthsOf({ givings }: Givers): (number | undefined)[][] {
  const all = givings.flatMap(({ states }) => states.filter(given => given !== undefined)).sort(byGiven)
  const places = new Map(all.map((given, place) => [given, place]))
  return givings.map(({ states }) => states.map(given => given && places.get(given)))
}

function winnersOf(
  { givings, steps }: Givers,
  strengths: readonly (readonly (number | undefined)[])[],
): Int8Array {
  const winners = new Int8Array(1 << steps.length).fill(-1)
  for (const mask of winners.keys()) {
    let [best, offset] = [Infinity, 0]
    for (const [at, { steps, states }] of givings.entries()) {
      const state = (mask >> offset) & ((1 << steps.length) - 1)
      offset += steps.length
      const [given, strength] = [states[state], strengths[at]?.[state] ?? Infinity]
      if (given === undefined || strength >= best) continue
      best = strength
      winners[mask] = bitOf(at, given)
    }
  }
  return winners
}
