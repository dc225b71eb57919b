import type { Draft } from './draft.ts'
import { Graph } from './graph.ts'
import type { Step } from './plan.ts'
import type { Slot } from './slots.ts'
import { addSoftEdges } from './soft-edges.ts'
import { type Part, partsOf, settle } from './split.ts'

/** Steps in an order that respects every slot, or the drafts that wait for each other whatever is done. */
export type Ordered = { readonly steps: readonly Step[] } | { readonly cycle: readonly Draft[] }

/**
 * Whoever acquires a slot waits for whoever releases it: that is the whole rule. A request that both releases and
 * acquires can close a cycle; its narrower halves take its place then. What is still cyclic cannot be ordered.
 */
export function orderSteps(drafts: readonly Draft[]): Ordered {
  let parts: readonly Part[] = drafts
  for (;;) {
    const graph = slotGraph(parts)
    const sorted = graph.sort()
    if ('order' in sorted) return { steps: toSteps(parts, graph, sorted.order) }
    const cycle = sorted.cycle.flatMap(node => parts[node] ?? [])
    const splittable = cycle.find(part => part.split !== undefined)
    if (splittable === undefined) return { cycle }
    parts = parts.flatMap(part => (part === splittable ? partsOf(part) : [part]))
  }
}

function toSteps(parts: readonly Part[], graph: Graph, order: readonly number[]): Step[] {
  const settled = settle(parts, graph, order)
  addSoftEdges(settled, graph)
  const sorted = graph.sort()
  const final = 'order' in sorted ? sorted.order : order
  return final.flatMap(node => {
    const draft = settled[node]
    if (draft === undefined) return []
    const after = graph.before(node).flatMap(earlier => settled[earlier]?.id ?? [])
    const source = draft.source === undefined ? {} : { source: draft.source }
    const file = draft.file === undefined ? {} : { file: draft.file }
    return [{ id: draft.id, operation: draft.operation, after: after.toSorted(), ...source, ...file }]
  })
}

function slotGraph(drafts: readonly Draft[]): Graph {
  const graph = new Graph(drafts.length)
  const releasedBy = new Map<Slot, number[]>()
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.releases) {
      const others = releasedBy.get(slot)
      if (others === undefined) releasedBy.set(slot, [node])
      else others.push(node)
    }
  for (const [node, draft] of drafts.entries())
    for (const slot of draft.acquires)
      for (const releaser of releasedBy.get(slot) ?? []) graph.add(releaser, node)
  return graph
}
