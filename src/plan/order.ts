import type { Draft, Slot } from './draft.ts'
import type { Transition } from './effective/effect.ts'
import type { Landscape } from './effective/facts.ts'
import { Graph, type OrderedGraph } from './graph.ts'
import type { UpdateSet } from './operation.ts'
import type { Step } from './plan.ts'
import { keepTransition } from './transition/transition.ts'

/** Ordered steps, or the drafts of a cycle that cannot be broken. */
type Ordered =
  | { readonly steps: readonly Step[]; readonly transition: () => Transition }
  | { readonly cycle: readonly Draft[] }

/**
 * The whole rule: whoever acquires a slot waits for whoever releases it. A request that does both can close a cycle;
 * then two narrower requests replace it. A cycle that remains cannot be ordered. With a landscape, steps also wait for each
 * other so that workspaces see old and new values only.
 */
export function orderSteps(drafts: readonly Draft[], landscape?: Landscape): Ordered {
  let parts: readonly DraftPart[] = drafts
  for (;;) {
    const graph = slotGraph(parts)
    const sorted = graph.sort()
    if ('order' in sorted) return toSteps(parts, graph, sorted.order, landscape)
    const cycle = sorted.cycle.flatMap(node => parts[node] ?? [])
    const splittable = cycle.find(part => part.split !== undefined)
    if (splittable === undefined) return { cycle }
    parts = parts.flatMap(part => (part === splittable ? splitDraft(part) : [part]))
  }
}

function toSteps(
  parts: readonly DraftPart[],
  graph: Graph,
  order: readonly number[],
  landscape: Landscape | undefined,
): Ordered {
  const settled = settle(parts, graph, order)
  const kept = landscape && keep(landscape, settled, graph)
  const final = kept === undefined ? graph : withEdgesOf(kept.graph, settled.length)
  const sorted = final.sort()
  const steps = ('order' in sorted ? sorted.order : order).flatMap(node => {
    const draft = settled[node]
    if (draft === undefined) return []
    const after = final.before(node).flatMap(earlier => settled[earlier]?.id ?? [])
    const { id, operation, source, file } = draft
    return [{ id, operation, after: after.toSorted(), source, file }]
  })
  return { steps, transition: kept?.transition ?? (() => NO_TRANSITION) }
}

const NO_TRANSITION: Transition = { workspaces: 0, seeing: 0, gaps: [], left: 0 }

const keep = (landscape: Landscape, drafts: readonly Draft[], slots: Graph) =>
  keepTransition(
    landscape,
    drafts.map(({ operation }) => operation),
    slots,
    node => drafts[node]?.id ?? '',
  )

function withEdgesOf(ordered: OrderedGraph, size: number): Graph {
  const graph = new Graph(size)
  for (let node = 0; node < size; node++) for (const earlier of ordered.before(node)) graph.add(earlier, node)
  return graph
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

/** A draft, or one half of a split draft. */
interface DraftPart extends Draft {
  readonly sends?: 'name' | 'rest'
}

/** The two halves of an update: its name, and everything else. A half that would change nothing is left out. */
function splitDraft(draft: DraftPart): DraftPart[] {
  const { split, operation, ...common } = draft
  if (split === undefined || operation.type !== 'update-set') return [draft]
  const name: DraftPart = { ...common, operation, ...split.name, sends: 'name', id: `${draft.id} (name)` }
  return changesMoreThanName(operation)
    ? [name, { ...common, operation, ...split.rest, sends: 'rest' }]
    : [{ ...name, id: draft.id }]
}

const changesMoreThanName = ({ before, after, variables }: UpdateSet): boolean =>
  variables.length > 0 ||
  before.description !== after.description ||
  before.global !== after.global ||
  before.priority !== after.priority

/**
 * Fills in what each half sends. An update always sends all four settings, so the second half has to include what the
 * first one changed. The order of the halves becomes an edge of the graph.
 */
function settle(parts: readonly DraftPart[], graph: Graph, order: readonly number[]): Draft[] {
  const settled = [...parts]
  const firstHalf = new Map<string, number>()
  for (const node of order) {
    const part = parts[node]
    if (part?.sends === undefined || part.operation.type !== 'update-set') continue
    const first = firstHalf.get(part.operation.subject.id)
    firstHalf.set(part.operation.subject.id, node)
    if (first !== undefined) graph.add(first, node)
    settled[node] = { ...part, operation: halfOf(part.operation, part.sends, first !== undefined) }
  }
  return settled
}

function halfOf(whole: UpdateSet, sends: 'name' | 'rest', second: boolean): UpdateSet {
  const { before, after } = whole
  if (sends === 'name') {
    const start = second ? { ...after, name: before.name } : before
    return { ...whole, before: start, after: { ...start, name: after.name }, variables: [] }
  }
  const name = second ? after.name : before.name
  return { ...whole, before: { ...before, name }, after: { ...after, name } }
}
