import type { GapReason } from '../effective/effect.ts'
import type { OrderedGraph } from '../graph.ts'
import type { Cell, Givers } from './cells.ts'
import { type Given, type Giving, isStronger, otherThan } from './giving.ts'

/** Another value that the order lets a cell show. */
export interface SeenGap {
  readonly cell: Cell
  readonly before: Given | undefined
  readonly after: Given | undefined
  readonly seen: Given | undefined
  readonly between: readonly [number, number]
  readonly why: GapReason
}

/**
 * For many sets that come and go at one place. What gives the keys in the end comes first, what gave them at first is removed
 * last, and everything that could show another value changes in between. This reports rather too many gaps than too few.
 */
export function keepLarge(
  { givings, steps, cells }: Givers,
  graph: OrderedGraph,
  isFree: (node: number) => boolean,
): SeenGap[] {
  const first = strongest(givings, ({ states }) => states[0])
  const last = strongest(givings, ({ states }) => states.at(-1))
  const [old, then] = [first?.given, last?.given]
  const isSplit = first?.giving !== last?.giving
  const arriving = last?.giving.steps ?? []
  const leaving = isSplit ? (first?.giving.steps ?? []) : []
  const isOrdered = (earlier: readonly number[], later: readonly number[]): boolean => {
    let isAll = true
    for (const one of earlier)
      for (const other of later)
        if (!graph.waits(other, one)) {
          if (isFree(other) || graph.waits(one, other)) isAll = false
          else graph.add(one, other)
        }
    return isAll
  }
  const isKept = isOrdered(arriving, leaving)
  const others = givings.filter(giving => giving !== first?.giving && giving !== last?.giving)
  /** Whether the graph has their order in full, so that other keys of the same sets need no second look. */
  const keptBetween = new Map<Giving, boolean>()
  const isBetween = (giving: Giving): boolean => {
    const [isAfter, isBefore] = [isOrdered(arriving, giving.steps), isOrdered(giving.steps, leaving)]
    keptBetween.set(giving, isAfter && isBefore)
    return isAfter && isBefore
  }
  /** The states that may win at some moment, where the order is kept and where it is not. */
  const winning = (isSafe: boolean): (Given | undefined)[][] =>
    givings.map(giving => {
      const isBeaten = (given: Given, by: typeof first) =>
        by !== undefined && by.giving !== giving && isStronger(by.given, given)
      return giving.states.filter(
        given => given !== undefined && !(isSafe && (isBeaten(given, first) || isBeaten(given, last))),
      )
    })
  const safely = winning(true).filter(states => states.length > 0)
  const between = [steps[0] ?? 0, steps.at(-1) ?? 0] as const
  return [...cells.values()].flatMap(cell => {
    const isAnother = otherThan(cell.key, old, then)
    const isOther = (given: Given | undefined) => given !== undefined && isAnother(given)
    let isSafe = isKept && (isSplit || arriving.length < 2)
    for (const giving of others)
      if (keptBetween.get(giving) !== true && giving.states.some(isOther) && !isBetween(giving))
        isSafe = false
    const seen = [
      ...(isSafe || old === undefined || then === undefined ? [] : [undefined]),
      ...(isSafe ? safely : winning(false)).flatMap(states => states.find(isOther) ?? []),
    ]
    return seen.map(given => ({ cell, before: old, after: then, seen: given, between, why: 'size' as const }))
  })
}

function strongest(givings: readonly Giving[], stateOf: (giving: Giving) => Given | undefined) {
  let best: { readonly giving: Giving; readonly given: Given } | undefined
  for (const giving of givings) {
    const given = stateOf(giving)
    if (given !== undefined && isStronger(given, best?.given)) best = { giving, given }
  }
  return best
}
