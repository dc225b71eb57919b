import type { VariableKey } from '../../model/ids.ts'
import type { Cell, Givers } from './cells.ts'
import { type Mask, MOST_STEPS } from './cuts.ts'
import { byGiven, type Given, isStronger, otherThan } from './giving.ts'

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
