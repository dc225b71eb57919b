import { compareText } from '../../model/diagnostic.ts'
import { audienceOf, workspacesIn } from '../effective/difference.ts'
import type { Audience, GapReason, Giver, Transition, TransitionGap } from '../effective/effect.ts'
import type { Landscape } from '../effective/facts.ts'
import { shownGiver } from '../effective/seen-changes.ts'
import type { WorkspaceGroup } from '../effective/workspaces.ts'
import { type Graph, OrderedGraph } from '../graph.ts'
import type { Operation, OperationId } from '../operation.ts'
import { cellsOf } from './cells.ts'
import { type Given, heldOf, otherThan } from './giving.ts'
import { keepValues, type Steps } from './keep.ts'
import { keepLarge, type SeenGap } from './large.ts'
import {
  badCuts,
  bestPath,
  type Mask,
  MOST_STEPS,
  type Shape,
  shapesOf,
  unitsOf,
  waitsIn,
  winnerIn,
} from './shapes.ts'
import { revoking, withEarlier } from './steps.ts'

interface KeptTransition {
  readonly graph: OrderedGraph
  /** Computes the facts on demand, because a run that only orders steps does not need them. */
  readonly transition: () => Transition
}

/**
 * Orders steps so that every workspace sees the old or the new value of each key, after any set of finished steps
 * (docs/transitions.md). `slots` has the rules of the service, which come first.
 */
export function keepTransition(
  landscape: Landscape,
  operations: readonly Operation[],
  slots: Graph,
  idOf: (node: number) => OperationId,
): KeptTransition {
  const cells = cellsOf(landscape, operations)
  const shapes = shapesOf(cells)
  const free = withEarlier(revoking(landscape, operations, slots), slots)
  const steps = { slots, order: preferredOrder(operations, slots), isFree: (node: number) => free.has(node) }
  const graph = keepValues(steps, shapes)
  const large = cells.flatMap(givers =>
    givers.steps.length > MOST_STEPS ? keepLarge(givers, graph, steps.isFree) : [],
  )
  return { graph, transition: () => transitionOf(shapes, large, { landscape, steps, graph, idOf }) }
}

/** Additions first and removals last, as far as the slots permit. */
function preferredOrder(operations: readonly Operation[], slots: Graph): readonly number[] {
  const nodes = [...operations.keys()]
  const rank = (node: number): number => RANK[operations[node]?.type ?? 'assign']
  const sorted = slots.sort(nodes.toSorted((a, b) => rank(a) - rank(b) || a - b))
  return 'order' in sorted ? sorted.order : nodes
}

const RANK = {
  'create-set': 0,
  'create-variable': 0,
  assign: 0,
  'update-variable': 1,
  'update-set': 1,
  'delete-variable': 2,
  unassign: 2,
  'delete-set': 2,
} as const satisfies Record<Operation['type'], number>

/** Gaps that a plan lists at most. */
const MOST_GAPS = 2_000

/** Up to so many ids, all workspaces of all gaps are named; else the first ones of each. */
const MOST_IDS = 100_000

interface Naming {
  readonly landscape: Landscape
  readonly steps: Steps
  readonly graph: OrderedGraph
  readonly idOf: (node: number) => OperationId
}

/** The values of each shape that the order does not exclude. */
function transitionOf(shapes: readonly Shape[], large: readonly SeenGap[], naming: Naming): Transition {
  const { landscape } = naming
  const { slots, order: places } = naming.steps
  let graph: OrderedGraph | undefined
  const alone = () => {
    graph ??= new OrderedGraph(slots, places)
    return graph
  }
  const found = [...shapes.flatMap(shape => gapsOf(shape, naming, alone)), ...large]
  const gaps = new Map<
    string,
    {
      readonly gap: Omit<TransitionGap, keyof Audience>
      groups: readonly WorkspaceGroup[] | Set<WorkspaceGroup>
    }
  >()
  for (const { cell, before, after, seen, between, why } of found) {
    const { key, groups } = cell
    const giver = (given: Given | undefined): Giver | undefined => {
      const held = given && heldOf(given, key)
      return held && shownGiver(given.set.after ?? given.set.placed, key, held, landscape.hides)
    }
    const gap = {
      key,
      before: giver(before),
      after: giver(after),
      seen: giver(seen),
      between: [naming.idOf(between[0]), naming.idOf(between[1])] as const,
      why,
      ...([before, after, seen].some(given => given?.priority) ? { certain: true as const } : {}),
    }
    const identity = JSON.stringify(gap)
    const known = gaps.get(identity)
    if (known === undefined) gaps.set(identity, { gap, groups })
    else if (known.groups !== groups) {
      const both = known.groups instanceof Set ? known.groups : new Set(known.groups)
      for (const group of groups) both.add(group)
      known.groups = both
    }
  }
  const seeing = new Set<WorkspaceGroup>()
  // Most cells of global sets share one array of groups, which is read once.
  const counts = new Map([...gaps.values()].map(({ groups }) => [groups, 0]))
  for (const groups of counts.keys()) {
    counts.set(groups, workspacesIn(groups))
    for (const group of groups) seeing.add(group)
  }
  const ids = [...gaps.values()].reduce((sum, { groups }) => sum + (counts.get(groups) ?? 0), 0)
  const most = ids > MOST_IDS ? undefined : ids
  const audiences = new Map(
    [...counts.keys()].map(groups => [groups, audienceOf(groups, landscape.population, most)]),
  )
  const all = [...gaps.values()]
    .map(({ gap, groups }) => ({
      ...gap,
      ...(audiences.get(groups) ?? audienceOf(groups, landscape.population, most)),
    }))
    .toSorted(byInterest)
  return {
    workspaces: landscape.population.projectOf.size,
    seeing: workspacesIn(seeing),
    gaps: all.slice(0, MOST_GAPS),
    left: Math.max(0, all.length - MOST_GAPS),
  }
}

const byInterest = (a: TransitionGap, b: TransitionGap): number =>
  Number(b.others) - Number(a.others) ||
  b.count - a.count ||
  compareText(a.key, b.key) ||
  compareText(a.between.join(), b.between.join()) ||
  compareText(a.workspaces[0] ?? a.projects[0] ?? '', b.workspaces[0] ?? b.projects[0] ?? '') ||
  compareText(a.seen?.set ?? '', b.seen?.set ?? '')

/** One gap for each value that is seen, or several if it comes and goes. `alone`: the rules of the service without other edges. */
function gapsOf(shape: Shape, { steps, graph }: Naming, alone: () => OrderedGraph): SeenGap[] {
  const waits = waitsIn(shape.steps, graph)
  const bad = badCuts(shape, waits)
  if (bad.length === 0) return []
  const why = reasonOf(shape, steps, alone())
  return shape.cells.flatMap(({ cell, givers }) => {
    const ends = { cell, before: winnerIn(givers, 0), after: winnerIn(givers, shape.isBad.length - 1) }
    const bySeen: { readonly seen: Given | undefined; readonly masks: Mask[] }[] = []
    for (const mask of bad) {
      const seen = winnerIn(givers, mask)
      const known = bySeen.find(
        one =>
          one.seen?.set.placed.id === seen?.set.placed.id && !otherThan(cell.key, one.seen, one.seen)(seen),
      )
      if (known === undefined) bySeen.push({ seen, masks: [mask] })
      else known.masks.push(mask)
    }
    return bySeen.flatMap(({ seen, masks }) =>
      spansOf(masks, shape, waits).map(between => ({ ...ends, seen, between, why })),
    )
  })
}

/**
 * The steps that begin and end a gap: as few pairs as possible, so that each of these cuts is after the first and before the second
 * step of a pair. Steps at which the value comes or goes are preferred.
 */
function spansOf(masks: readonly Mask[], { steps, isBad }: Shape, waits: readonly Mask[]) {
  const pairs = new Map<string, { readonly begin: number; readonly end: number; score: number }>()
  for (const mask of masks)
    for (const begin of neighbours(mask, waits, true))
      for (const end of neighbours(mask, waits, false)) {
        const score = Number(isBad[mask & ~(1 << begin)] === 0) + Number(isBad[mask | (1 << end)] === 0)
        const known = pairs.get(`${begin} ${end}`)
        if (known === undefined) pairs.set(`${begin} ${end}`, { begin, end, score })
        else known.score = Math.max(known.score, score)
      }
  const spans: (readonly [number, number])[] = []
  for (let open = masks; open.length > 0; ) {
    let best:
      | { readonly between: readonly [number, number]; readonly score: number; left: Mask[] }
      | undefined
    for (const { begin, end, score } of pairs.values()) {
      const left = open.filter(mask => (mask & (1 << begin)) === 0 || (mask & (1 << end)) !== 0)
      if (left.length === open.length || score < (best?.score ?? 0)) continue
      if (best !== undefined && score === best.score && left.length >= best.left.length) continue
      best = { between: [steps[begin] ?? 0, steps[end] ?? 0], score, left }
    }
    if (best === undefined) break
    spans.push(best.between)
    open = best.left
  }
  return spans
}

/** Finished steps that may have been the last one, or open ones that may be the next. */
function neighbours(mask: Mask, waits: readonly Mask[], isDone: boolean): number[] {
  return [...waits.keys()].filter(bit => {
    const own = 1 << bit
    if (((mask & own) !== 0) !== isDone) return false
    if (!isDone) return (mask & (waits[bit] ?? 0)) === waits[bit]
    return waits.every((earlier, other) => (mask & (1 << other)) === 0 || (earlier & own) === 0)
  })
}

/**
 * Why the cell has a gap: whether it could be kept without any rule, with those of the service, and with the one about secrets.
 */
function reasonOf(shape: Shape, { isFree }: Steps, alone: OrderedGraph): GapReason {
  const cost = (mask: Mask) => shape.isBad[mask] ?? 0
  const least = (waits: readonly Mask[], start: Mask): number =>
    bestPath(unitsOf(waits), start, cost, () => 0).cost
  const none = shape.steps.map(() => 0)
  if (least(none, 0) > 0) return 'requests'
  const waits = waitsIn(shape.steps, alone)
  if (least(waits, 0) > 0) return 'slot'
  return badCuts(shape, waits).every(mask => canWait(mask, shape, isFree)) &&
    least(waits, freeIn(shape, isFree)) === 0
    ? 'cycle'
    : 'revocation'
}

/** Whether something finished could have waited for something that is not. */
const canWait = (mask: Mask, { steps }: Shape, isFree: (node: number) => boolean): boolean =>
  steps.some((node, bit) => (mask & (1 << bit)) !== 0 && !isFree(node))

const freeIn = ({ steps }: Shape, isFree: (node: number) => boolean): Mask =>
  steps.reduce((mask, node, bit) => (isFree(node) ? mask | (1 << bit) : mask), 0)
