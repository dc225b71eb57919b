import type { OrderedGraph } from '../graph.ts'
import type { Cell } from './cells.ts'
import { type Given, isStronger } from './giving.ts'

/** Finished steps as bits: a set of the numbers of `steps`. */
export type Mask = number

/** What a cell shows after each subset of its steps. */
export interface Table {
  readonly cell: Cell
  /** Numbers of the steps that may change what is seen. */
  readonly steps: readonly number[]
  /** What gives the key, by mask. */
  readonly winners: readonly (Given | undefined)[]
  /** 1 where the value is neither the first nor the last one. */
  readonly isBad: Uint8Array
}

/** More steps than these are not enumerated for one cell. */
export const MOST_STEPS = 10

/** `undefined`: no subset of the steps shows anything but the old or the new value. */
export function tableOf(cell: Cell): Table | undefined {
  const steps = cell.givings.flatMap(giving => giving.steps)
  const all = 1 << steps.length
  const winners: (Given | undefined)[] = Array.from({ length: all })
  let offset = 0
  for (const { steps: own, states } of cell.givings) {
    const ownMask = (1 << own.length) - 1
    for (let mask = 0; mask < all; mask++) {
      const given = states[(mask >> offset) & ownMask]
      if (given !== undefined && isStronger(given, winners[mask])) winners[mask] = given
    }
    offset += own.length
  }
  const [first, last] = [winners[0]?.value, winners[all - 1]?.value]
  const isBad = new Uint8Array(all)
  let bad = 0
  for (const [mask, winner] of winners.entries()) {
    const value = winner?.value
    if (value === first || value === last) continue
    isBad[mask] = 1
    bad++
  }
  return bad === 0 ? undefined : { cell, steps, winners, isBad }
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

/** An order of steps, as their bits, and what it costs. */
export interface Path {
  readonly bits: readonly number[]
  readonly cost: number
}

/**
 * An order in which the least is seen that should not be. The steps of `start` are finished before; `cost` says what is
 * wrong after each subset. Of equal orders, the one whose steps come as `prefers` has them.
 */
export function bestPath(
  waits: readonly Mask[],
  start: Mask,
  cost: (mask: Mask) => number,
  prefers: (bit: number) => number,
): Path {
  const all = (1 << waits.length) - 1
  const costs = new Float64Array(all + 1).fill(Infinity)
  const last = new Int8Array(all + 1).fill(-1)
  costs[start] = 0
  for (let mask = start; mask <= all; mask++) {
    const soFar = costs[mask] ?? Infinity
    if (soFar === Infinity) continue
    for (const [bit, earlier] of waits.entries()) {
      if ((mask & (1 << bit)) !== 0 || (mask & earlier) !== earlier) continue
      const next = mask | (1 << bit)
      const sum = soFar + cost(next)
      const known = costs[next] ?? Infinity
      if (sum > known) continue
      const before = last[next] ?? -1
      if (sum === known && before >= 0 && prefers(before) >= prefers(bit)) continue
      costs[next] = sum
      last[next] = bit
    }
  }
  const bits: number[] = []
  for (let mask = all; mask !== start; ) {
    const bit = last[mask] ?? -1
    if (bit < 0) throw new Error('the steps wait for each other')
    bits.push(bit)
    mask &= ~(1 << bit)
  }
  return { bits: bits.reverse(), cost: costs[all] ?? Infinity }
}
