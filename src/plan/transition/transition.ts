import type { Transition } from '../effective/effect.ts'
import type { Landscape } from '../effective/seen.ts'
import type { Graph } from '../graph.ts'
import type { Operation, OperationId } from '../operation.ts'
import { cellsOf } from './cells.ts'
import { transitionOf } from './gaps.ts'
import { lineOf } from './line.ts'
import { placesOf } from './place.ts'
import { hideWrongStates } from './relay.ts'
import { freeSteps } from './steps.ts'

interface KeptTransition {
  /** The steps with what each waits for. Every edge follows `order`. */
  readonly graph: Graph
  readonly order: readonly number[]
  /** Computes the facts on demand, because a run that only orders steps does not need them. */
  readonly transition: () => Transition
}

/**
 * Orders steps so that every workspace sees the old or the new value of each key, after any set of finished steps
 * (docs/decisions/0024-transitions.md). `slots` has the rules of the service, which come first and have no cycle.
 */
export function keepTransition(
  landscape: Landscape,
  operations: readonly Operation[],
  slots: Graph,
  idOf: (node: number) => OperationId,
): KeptTransition {
  const places = placesOf(cellsOf(landscape, operations))
  const free = freeSteps(landscape, operations, slots)
  const line = lineOf(operations, slots, places, node => free.has(node))
  const graph = slots.copy()
  const gaps = places.flatMap(place => hideWrongStates(place, line, graph))
  return { graph, order: line.order, transition: () => transitionOf(gaps, { landscape, line, idOf }) }
}
