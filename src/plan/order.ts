import type { Draft } from './draft.ts'
import type { Transition } from './effective/effect.ts'
import type { Landscape } from './effective/facts.ts'
import type { Graph } from './graph.ts'
import type { Step } from './plan.ts'
import { slotGraph } from './slot-graph.ts'
import { type DraftPart, type Halves, partOf, settle, splitsOf } from './split.ts'
import { helpfulSplits } from './transition/splits.ts'
import { keepTransition } from './transition/transition.ts'

/** Ordered steps, or the drafts of a cycle that cannot be broken. */
type Ordered =
  | { readonly steps: readonly Step[]; readonly transition: () => Transition }
  | { readonly cycle: readonly Draft[] }

/**
 * The whole rule: whoever acquires a slot waits for whoever releases it. A request that does both can close a cycle;
 * then two narrower requests replace it. A cycle that remains cannot be ordered. With a landscape, steps also wait for each
 * other so that workspaces see old and new values only, and a request is split where that helps.
 */
export function orderSteps(drafts: readonly Draft[], landscape?: Landscape): Ordered {
  let parts: readonly DraftPart[] = drafts
  for (;;) {
    const graph = slotGraph(parts)
    const sorted = graph.sort()
    if ('order' in sorted) return landscape ? kept(parts, landscape) : toSteps(settled(parts))
    const cycle = sorted.cycle.flatMap(node => parts[node] ?? [])
    const splittable = cycle.find(part => nameAlone(part) !== undefined)
    if (splittable === undefined) return { cycle }
    const halves = nameAlone(splittable) ?? []
    parts = parts.flatMap(part => (part === splittable ? halves.map(names => partOf(part, names)) : [part]))
  }
}

/** Only the name releases and acquires a slot of the same family, so no other split opens a cycle. */
const nameAlone = (part: DraftPart): Halves | undefined =>
  splitsOf(part).find(([first]) => first.includes('name') && first.length === 1)

/** Steps that are complete, and what they wait for. */
interface Settled {
  readonly drafts: readonly Draft[]
  readonly graph: Graph
}

/** `then`: pairs of parts of which the second comes after the first. */
function settled(parts: readonly DraftPart[], then: readonly (readonly [number, number])[] = []): Settled {
  const graph = slotGraph(parts)
  for (const [first, second] of then) graph.add(first, second)
  const sorted = graph.sort()
  return { drafts: 'order' in sorted ? settle(parts, graph, sorted.order) : parts, graph }
}

function kept(parts: readonly DraftPart[], landscape: Landscape): Ordered {
  const splits = new Map(helpfulSplits(landscape, parts).map(({ node, halves }) => [node, halves]))
  const then: [number, number][] = []
  const split: DraftPart[] = []
  for (const [node, part] of parts.entries()) {
    const halves = splits.get(node)
    if (halves === undefined) split.push(part)
    else {
      then.push([split.length, split.length + 1])
      split.push(...halves.map(names => partOf(part, names)))
    }
  }
  const { drafts, graph: slots } = settled(split, then)
  const operations = drafts.map(({ operation }) => operation)
  const { graph, transition } = keepTransition(landscape, operations, slots, node => drafts[node]?.id ?? '')
  return toSteps({ drafts, graph }, transition)
}

const NO_TRANSITION: Transition = { workspaces: 0, seeing: 0, gaps: [], left: 0 }

function toSteps({ drafts, graph }: Settled, transition = () => NO_TRANSITION): Ordered {
  const sorted = graph.sort()
  const order = 'order' in sorted ? sorted.order : [...drafts.keys()]
  const steps = order.flatMap(node => {
    const draft = drafts[node]
    if (draft === undefined) return []
    const after = graph.before(node).flatMap(earlier => drafts[earlier]?.id ?? [])
    const { id, operation, source, file } = draft
    return [{ id, operation, after: after.toSorted(), source, file }]
  })
  return { steps, transition }
}
