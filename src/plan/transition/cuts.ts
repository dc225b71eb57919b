import type { OrderedGraph } from '../graph.ts'
import type { Cell } from './cells.ts'
import { byGiven, type Given } from './giving.ts'

/** Finished steps as bits: a set of the numbers of `steps`. */
export type Mask = number

/** What a cell shows after each subset of its steps. */
export interface Table {
  readonly cell: Cell
  /** Numbers of the steps that may change what is seen. */
  readonly steps: readonly number[]
  /** What gives the key after these steps. */
  readonly winner: (mask: Mask) => Given | undefined
  /** 1 where the value is neither the first nor the last one. */
  readonly isBad: Uint8Array
}

/** A cell with more steps is not enumerated. */
export const MOST_STEPS = 10

export const stepsOf = ({ givings }: Cell): number =>
  givings.reduce((sum, { steps }) => sum + steps.length, 0)

/** `undefined`: no subset of the steps shows anything but the old or the new value. */
export function tableOf(cell: Cell): Table | undefined {
  const steps = cell.givings.flatMap(giving => giving.steps)
  const all = 1 << steps.length
  // Numbers are compared faster than names, and most cells turn out to be good.
  const given = cell.givings
    .flatMap(({ states }) => states.filter(state => state !== undefined))
    .sort(byGiven)
  const places = new Map(given.map((one, place) => [one, place]))
  const nothing = given.length
  const best = new Int32Array(all).fill(nothing)
  let offset = 0
  for (const { steps: own, states } of cell.givings) {
    const strengths = states.map(state => (state === undefined ? nothing : (places.get(state) ?? nothing)))
    const ownMask = (1 << own.length) - 1
    for (let mask = 0; mask < all; mask++) {
      const strength = strengths[(mask >> offset) & ownMask] ?? nothing
      if (strength < (best[mask] ?? nothing)) best[mask] = strength
    }
    offset += own.length
  }
  const [first, last] = [given[best[0] ?? nothing]?.value, given[best[all - 1] ?? nothing]?.value]
  const isOther = [...given.map(({ value }) => value), undefined].map(
    value => value !== first && value !== last,
  )
  const isBad = new Uint8Array(all)
  let bad = 0
  for (let mask = 0; mask < all; mask++) {
    if (isOther[best[mask] ?? nothing] !== true) continue
    isBad[mask] = 1
    bad++
  }
  if (bad === 0) return undefined
  return { cell, steps, winner: mask => given[best[mask] ?? nothing], isBad }
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
export function badCuts({ isBad }: Pick<Table, 'isBad'>, waits: readonly Mask[]): Mask[] {
  const found: Mask[] = []
  for (const [mask, bad] of isBad.entries()) if (bad === 1 && isCut(mask, waits)) found.push(mask)
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
