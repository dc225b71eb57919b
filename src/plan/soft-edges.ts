import { type Draft, EVERYWHERE } from './draft.ts'
import type { Graph } from './graph.ts'

/** Pairs looked at, at the most: these edges are a courtesy, and a plan of any size has to come in time. */
const MOST_PAIRS = 200_000

/**
 * Make before break: whoever gives a workspace or project a variable goes before whoever takes the same variable
 * away from it through another set. Such an edge yields to every slot: it is left out where it would close a cycle.
 */
export function addSoftEdges(drafts: readonly Draft[], graph: Graph): void {
  const providersAt = byTarget(drafts, draft => draft.provides?.targets ?? [])
  if (providersAt.size === 0) return
  const providers = [...new Set([...providersAt.values()].flat())]
  let looked = 0
  for (const [node, draft] of drafts.entries()) {
    if (draft.withdraws === undefined) continue
    const keys = new Set<string>(draft.withdraws.keys)
    const near = draft.withdraws.targets.includes(EVERYWHERE)
      ? providers
      : [...draft.withdraws.targets, EVERYWHERE].flatMap(target => providersAt.get(target) ?? [])
    for (const provider of new Set(near)) {
      if (++looked > MOST_PAIRS) return
      const given = drafts[provider]
      if (given === undefined || given.operation.set === draft.operation.set) continue
      if (!given.provides?.keys.some(key => keys.has(key))) continue
      if (!graph.waitsFor(provider, node)) graph.add(provider, node)
    }
  }
}

function byTarget(
  drafts: readonly Draft[],
  targetsOf: (draft: Draft) => readonly string[],
): Map<string, number[]> {
  const nodes = new Map<string, number[]>()
  for (const [node, draft] of drafts.entries())
    for (const target of targetsOf(draft)) {
      const others = nodes.get(target)
      if (others === undefined) nodes.set(target, [node])
      else others.push(node)
    }
  return nodes
}
