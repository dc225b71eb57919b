import type { Slot, Slots } from './draft.ts'
import { Graph } from './graph.ts'

/** Whoever acquires a slot waits for whoever releases it. */
export function slotGraph(drafts: readonly Slots[]): Graph {
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
