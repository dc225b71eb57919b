import type { OrderedGraph } from '../graph.ts'
import type { Cell } from './cells.ts'
import { byGiven, type Given, isStronger } from './giving.ts'

/** Finished steps as bits: a set of the numbers of `steps`. */
export type Mask = number

/** What a cell shows after each subset of its steps. */
export interface Table {
  readonly cell: Cell
  /** Numbers of the steps that may change what is seen. */
  readonly steps: readonly number[]
  /** What gives the key after these steps. */
  readonly winner: (mask: Mask) => Given | undefined
}

/** A cell with more steps is not enumerated. */
export const MOST_STEPS = 10

export const stepsOf = ({ givings }: Pick<Cell, 'givings'>): number =>
  givings.reduce((sum, { steps }) => sum + steps.length, 0)

/**
 * What a cell shows, apart from its values: cells with equal texts show another value after the same subsets. For each state of
 * each set its strength, from 0, and whether its value is neither the first nor the last one.
 */
export function patternOf({ givings }: Cell): string {
  const all: Given[] = []
  let [first, last]: (Given | undefined)[] = []
  for (const { states } of givings) {
    const [start, end] = [states[0], states.at(-1)]
    if (start !== undefined && isStronger(start, first)) first = start
    if (end !== undefined && isStronger(end, last)) last = end
    for (const state of states) if (state !== undefined) all.push(state)
  }
  all.sort(byGiven)
  // Most cells have a few states, among which a search is quicker than a map.
  const places = all.length < 30 ? undefined : new Map(all.map((one, place) => [one, place]))
  let text = first === undefined || last === undefined ? '' : '!'
  for (const { states } of givings) {
    text += ';'
    for (const state of states) {
      if (state === undefined) text += '-'
      else
        text += `${places?.get(state) ?? all.indexOf(state)}${state.value !== first?.value && state.value !== last?.value ? '!' : ','}`
    }
  }
  return text
}

/** 1 for each subset of finished steps that shows a value other than the first and the last one; `undefined` if none does. */
export function badIn({ givings }: Cell): Uint8Array | undefined {
  const winner = winnerIn({ givings })
  const all = 1 << stepsOf({ givings })
  const [first, last] = [winner(0)?.value, winner(all - 1)?.value]
  const isBad = new Uint8Array(all)
  let bad = 0
  for (let mask = 0; mask < all; mask++) {
    const value = winner(mask)?.value
    if (value === first || value === last) continue
    isBad[mask] = 1
    bad++
  }
  return bad === 0 ? undefined : isBad
}

/** What gives the key after these steps, as bits in the order of the givings. */
export const winnerIn =
  ({ givings }: Pick<Cell, 'givings'>) =>
  (mask: Mask): Given | undefined => {
    let [best, offset]: [Given | undefined, number] = [undefined, 0]
    for (const { steps, states } of givings) {
      const given = states[(mask >> offset) & ((1 << steps.length) - 1)]
      if (given !== undefined && isStronger(given, best)) best = given
      offset += steps.length
    }
    return best
  }

/** For each step the mask of those that it waits for. */
export const waitsIn = (steps: readonly number[], graph: Pick<OrderedGraph, 'waits'>): Mask[] =>
  steps.map(step =>
    steps.reduce(
      (mask, other, bit) => (other !== step && graph.waits(step, other) ? mask | (1 << bit) : mask),
      0,
    ),
  )

/** Whether these steps may be the finished ones: each with those that it waits for. */
export const isCut = (mask: Mask, waits: readonly Mask[]): boolean =>
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
export interface Path {
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
