import type { VariableSetId } from '../../model/ids.ts'
import type { Transition } from '../effective/effect.ts'
import type { Landscape } from '../effective/facts.ts'
import type { Graph, OrderedGraph } from '../graph.ts'
import type { Operation, OperationId } from '../operation.ts'
import { cellsOf } from './cells.ts'
import { MOST_STEPS, tableOf } from './cuts.ts'
import { transitionOf } from './facts.ts'
import { keepValues, shapesOf } from './keep.ts'
import { keepLarge } from './large.ts'

interface Kept {
  readonly graph: OrderedGraph
  /** Works out the facts on demand, for a run that only orders needs none. */
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
): Kept {
  const cells = cellsOf(landscape, operations)
  const stepsOf = (cell: (typeof cells)[number]) =>
    cell.givings.reduce((sum, { steps }) => sum + steps.length, 0)
  const shapes = shapesOf(cells.flatMap(cell => (stepsOf(cell) > MOST_STEPS ? [] : (tableOf(cell) ?? []))))
  const steps = {
    slots,
    order: preferredOrder(operations, slots),
    isFree: freeSteps(landscape, operations, slots),
  }
  const graph = keepValues(steps, shapes)
  const large = cells.flatMap(cell =>
    stepsOf(cell) > MOST_STEPS ? keepLarge(cell, graph, steps.isFree) : [],
  )
  return { graph, transition: () => transitionOf(shapes, large, { landscape, steps, graph, idOf }) }
}

/** What adds comes first and what takes away last, as far as the slots permit. */
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

/** Taking a secret away waits for nothing but the rules of the service. */
function freeSteps(
  { moving }: Landscape,
  operations: readonly Operation[],
  slots: Graph,
): (node: number) => boolean {
  const holdsSecret = new Map<VariableSetId | string, boolean>(
    moving.flatMap(({ before }) =>
      before === undefined ? [] : [[before.id, [...before.held.values()].some(({ secret }) => secret)]],
    ),
  )
  const free = new Set(
    [...operations.entries()].flatMap(([node, operation]) =>
      revokes(operation, holdsSecret.get(operation.subject.id ?? '') === true) ? [node] : [],
    ),
  )
  for (const node of free) for (const earlier of slots.before(node)) free.add(earlier)
  return node => free.has(node)
}

/** Whether somebody no longer receives a secret of the set. A replaced set has a successor, which gives it. */
function revokes(operation: Operation, holdsSecret: boolean): boolean {
  switch (operation.type) {
    case 'delete-variable':
      return 'hidden' in operation.before.value
    case 'delete-set':
      return holdsSecret && operation.replaced !== true
    case 'unassign':
      return holdsSecret
    case 'update-set':
      return holdsSecret && operation.before.global && !operation.after.global
    case 'create-set':
    case 'create-variable':
    case 'update-variable':
    case 'assign':
      return false
  }
}
