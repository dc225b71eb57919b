import type { OrderedGraph } from '../graph.ts'

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
