import type { Transition } from '../effective/effect.ts'
import type { Landscape } from '../effective/facts.ts'
import type { Graph, OrderedGraph } from '../graph.ts'
import type { Operation, OperationId } from '../operation.ts'
import { cellsOf } from './cells.ts'
import { MOST_STEPS } from './cuts.ts'
import { transitionOf } from './facts.ts'
import { revoking, withEarlier } from './free.ts'
import { keepValues } from './keep.ts'
import { keepLarge } from './large.ts'
import { shapesOf } from './shapes.ts'

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
  const free = withEarlier(revoking(landscape, operations), slots)
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
  const rank = (node: number): number =>
    RANKS.findIndex(types => types.has(operations[node]?.type ?? 'assign'))
  const sorted = slots.sort(nodes.toSorted((a, b) => rank(a) - rank(b) || a - b))
  return 'order' in sorted ? sorted.order : nodes
}

const RANKS: readonly ReadonlySet<Operation['type']>[] = [
  new Set(['create-set', 'create-variable', 'assign']),
  new Set(['update-variable', 'update-set']),
  new Set(['delete-variable', 'unassign', 'delete-set']),
]
