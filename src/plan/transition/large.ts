import type { GapReason } from '../effective/effect.ts'
import type { OrderedGraph } from '../graph.ts'
import type { Cell } from './cells.ts'
import { type Given, type Giving, isStronger } from './giving.ts'

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
 * For many sets that come and go at one place. What gives the key in the end comes first, what gave it at first is removed
 * last, and everything that could show another value changes in between. This reports rather too many gaps than too few.
 * `kept`: orders that the graph has in full, so that the other keys of the same sets need no second look.
 */
export function keepLarge(
  cell: Cell,
  graph: OrderedGraph,
  isFree: (node: number) => boolean,
  kept: Set<string>,
): SeenGap[] {
  const first = strongest(cell.givings, ({ states }) => states[0])
  const last = strongest(cell.givings, ({ states }) => states.at(-1))
  const [old, then] = [first?.given, last?.given]
  const isOther = (given: Given | undefined): boolean =>
    given !== undefined && given.value !== old?.value && given.value !== then?.value
  const others = cell.givings.filter(
    giving => giving !== first?.giving && giving !== last?.giving && giving.states.some(isOther),
  )
  const arriving = last?.giving.steps ?? []
  const leaving = first?.giving === last?.giving ? [] : (first?.giving.steps ?? [])
  const between = others.flatMap(({ steps }) => steps)
  const identity = [arriving, between, leaving].join(' ')
  const order = () =>
    [...pairs(arriving, leaving), ...pairs(arriving, between), ...pairs(between, leaving)].map(
      ([earlier, later]) => {
        if (graph.waits(later, earlier)) return true
        if (isFree(later) || graph.waits(earlier, later)) return false
        graph.add(earlier, later)
        return true
      },
    )
  const isKept = kept.has(identity) || !order().includes(false)
  if (isKept) kept.add(identity)
  const isSafe = isKept && (first?.giving !== last?.giving || arriving.length < 2)
  const unlessWeaker = (giving: Giving | undefined, than: readonly (Given | undefined)[]): Given[] => {
    const seen = giving?.states.find(
      given =>
        given !== undefined && isOther(given) && (!isSafe || than.every(one => isStronger(given, one))),
    )
    return seen === undefined ? [] : [seen]
  }
  const seen = [
    ...(isSafe || old === undefined || then === undefined ? [] : [undefined]),
    ...unlessWeaker(last?.giving, [old]),
    ...(first?.giving === last?.giving ? [] : unlessWeaker(first?.giving, [then])),
    ...others.flatMap(giving => unlessWeaker(giving, [old, then])),
  ]
  const all = cell.givings.flatMap(({ steps }) => steps)
  const span = [all[0] ?? 0, all.at(-1) ?? 0] as const
  return seen.map(given => ({ cell, before: old, after: then, seen: given, between: span, why: 'size' }))
}

const pairs = (earlier: readonly number[], later: readonly number[]): (readonly [number, number])[] =>
  earlier.flatMap(one => later.map(other => [one, other] as const))

function strongest(givings: readonly Giving[], stateOf: (giving: Giving) => Given | undefined) {
  let best: { readonly giving: Giving; readonly given: Given } | undefined
  for (const giving of givings) {
    const given = stateOf(giving)
    if (given !== undefined && isStronger(given, best?.given)) best = { giving, given }
  }
  return best
}
