import { type Graph, OrderedGraph } from '../graph.ts'
import { badCuts, bestPath, type Mask, type Shape, unitsOf, waitsIn } from './shapes.ts'

/** The constraints of the order. */
export interface Steps {
  /** The rules of the service. */
  readonly slots: Graph
  /** An order that they permit. It decides if nothing else does. */
  readonly order: readonly number[]
  /** Steps that wait only for what the rules of the service require. */
  readonly isFree: (node: number) => boolean
}

/** Larger groups of dependent steps are not searched for every order. */
const MOST_SEARCHED = 10

/**
 * The slots, with edges that keep every value old or new. An edge that would close a cycle is left out. First each shape is
 * ordered by itself. If another value can still be seen, all orders of the dependent steps are compared.
 */
export function keepValues(steps: Steps, shapes: readonly Shape[]): OrderedGraph {
  const greedy = new OrderedGraph(steps.slots, steps.order)
  const known: KnownEdges = new Map()
  for (const shape of shapes) order(shape, steps, greedy, known)
  const bad = shapes.filter(shape => badCuts(shape, waitsIn(shape.steps, greedy)).length > 0)
  if (bad.length === 0) return greedy
  const preferred = new Map(steps.order.map((node, place) => [node, place]))
  const searched = groupsOf(steps.slots, shapes, bad).flatMap(group => {
    if (group.nodes.length > MOST_SEARCHED) return []
    return [{ group, places: placesOf(group.nodes, searchOrders(group, steps, preferred).order) }]
  })
  if (searched.length === 0) return greedy
  const graph = new OrderedGraph(steps.slots, steps.order)
  const done = new Set<Shape>()
  for (const { group, places } of searched)
    for (const shape of group.shapes) {
      const at = shape.steps.map(step => places.get(step) ?? -1)
      const edges = excluding(shape, waitsIn(shape.steps, graph), maskOf(shape.steps, steps.isFree), at)
      for (const [earlier, later] of edges) graph.add(shape.steps[earlier] ?? 0, shape.steps[later] ?? 0)
      done.add(shape)
    }
  for (const shape of shapes) if (!done.has(shape)) order(shape, steps, graph, known)
  return graph
}

/** Edges by what decides them: the cuts of a shape, what its steps wait for, which ones are free, and how they are placed. */
type KnownEdges = Map<Uint8Array, Map<string, readonly Edge[]>>

/** Positions among the steps of a shape. */
type Edge = readonly [earlier: number, later: number]

/** Adds the edges of one shape, in the order of its steps that shows the fewest wrong values. */
function order(shape: Shape, steps: Steps, graph: OrderedGraph, known: KnownEdges): void {
  const waits = waitsIn(shape.steps, graph)
  const free = maskOf(shape.steps, steps.isFree)
  const placed = [...shape.steps.keys()].sort(
    (a, b) => graph.place(shape.steps[a] ?? 0) - graph.place(shape.steps[b] ?? 0),
  )
  const identity = `${waits.join()} ${free} ${placed.join()}`
  const same = known.get(shape.isBad) ?? new Map<string, readonly Edge[]>()
  known.set(shape.isBad, same)
  let edges = same.get(identity)
  if (edges === undefined) {
    edges = edgesOf(shape, waits, free, placed)
    same.set(identity, edges)
  }
  for (const [earlier, later] of edges) graph.add(shape.steps[earlier] ?? 0, shape.steps[later] ?? 0)
}

function edgesOf(shape: Shape, waits: readonly Mask[], free: Mask, placed: readonly number[]): Edge[] {
  if (badCuts(shape, waits).length === 0) return []
  const path = bestPath(
    unitsOf(waits),
    free,
    mask => shape.isBad[mask] ?? 0,
    bit => placed.indexOf(bit),
  )
  return excluding(shape, waits, free, placesIn(shape.steps.length, path.order))
}

/** Steps that are not among `bits` come first, at no place in particular. */
function placesIn(length: number, bits: readonly number[]): number[] {
  const places = Array.from({ length }, () => -1)
  for (const [place, bit] of bits.entries()) places[bit] = place
  return places
}

/**
 * As few edges as possible, so that no subset of finished steps shows another value. Exceptions are what the given order
 * itself shows, and what steps that do not wait cause.
 */
function excluding(shape: Shape, waits: readonly Mask[], free: Mask, places: readonly number[]): Edge[] {
  const edges: Edge[] = []
  let open = badCuts(shape, waits)
  while (open.length > 0) {
    let best: { readonly edge: Edge; readonly left: Mask[] } | undefined
    for (const later of shape.steps.keys()) {
      if ((free & (1 << later)) !== 0) continue
      for (const earlier of shape.steps.keys()) {
        if ((places[earlier] ?? 0) >= (places[later] ?? 0)) continue
        const left = open.filter(mask => (mask & (1 << earlier)) !== 0 || (mask & (1 << later)) === 0)
        if (left.length < (best?.left.length ?? open.length)) best = { edge: [earlier, later], left }
      }
    }
    if (best === undefined) break
    edges.push(best.edge)
    open = best.left
  }
  return edges
}

const maskOf = (nodes: readonly number[], includes: (node: number) => boolean): Mask =>
  nodes.reduce((mask, node, bit) => (includes(node) ? mask | (1 << bit) : mask), 0)

/** Steps that depend on each other, by slots or by what a workspace sees. */
interface StepGroup {
  readonly nodes: readonly number[]
  readonly shapes: readonly Shape[]
}

/** The groups of the shapes of `wanted`. */
function groupsOf(slots: Graph, shapes: readonly Shape[], wanted: readonly Shape[]): StepGroup[] {
  const parent = Array.from({ length: slots.size }, (_, node) => node)
  const rootOf = (node: number): number => {
    let root = node
    while (parent[root] !== root) root = parent[root] ?? root
    for (let at = node; at !== root; ) {
      const next = parent[at] ?? root
      parent[at] = root
      at = next
    }
    return root
  }
  const join = (a: number, b: number): void => {
    parent[rootOf(a)] = rootOf(b)
  }
  for (const node of parent.keys()) for (const earlier of slots.before(node)) join(node, earlier)
  for (const { steps } of shapes) for (const node of steps) join(node, steps[0] ?? node)
  const groups = new Map<number, { nodes: number[]; shapes: Shape[] }>()
  for (const { steps } of wanted) groups.set(rootOf(steps[0] ?? 0), { nodes: [], shapes: [] })
  for (const node of parent.keys()) groups.get(rootOf(node))?.nodes.push(node)
  for (const shape of shapes) groups.get(rootOf(shape.steps[0] ?? 0))?.shapes.push(shape)
  return [...groups.values()]
}

/** Compares all orders of the steps of a group by what is seen after each subset of finished steps. */
function searchOrders(
  { nodes, shapes }: StepGroup,
  { slots, isFree }: Steps,
  preferred: ReadonlyMap<number, number>,
) {
  const costs = costsOf(nodes, shapes)
  return bestPath(
    unitsOf(slotsIn(nodes, slots)),
    maskOf(nodes, isFree),
    mask => costs[mask] ?? 0,
    bit => preferred.get(nodes[bit] ?? 0) ?? 0,
  )
}

/** What each of the nodes waits for, as masks of the nodes. */
function slotsIn(nodes: readonly number[], slots: Graph): Mask[] {
  const bitOf = new Map(nodes.map((node, bit) => [node, bit]))
  return nodes.map(node =>
    slots.before(node).reduce((mask, earlier) => mask | (1 << (bitOf.get(earlier) ?? 0)), 0),
  )
}

/** For each subset of the nodes, how many cells show another value. */
function costsOf(nodes: readonly number[], shapes: readonly Shape[]): Uint32Array {
  const costs = new Uint32Array(1 << nodes.length)
  for (const shape of shapes) {
    const own = projection(nodes, shape)
    for (const mask of costs.keys())
      if (shape.isBad[own(mask)] === 1) costs[mask] = (costs[mask] ?? 0) + shape.cells.length
  }
  return costs
}

/** From a mask of the nodes to one of the steps of a shape. */
function projection(nodes: readonly number[], { steps }: Shape): (mask: Mask) => Mask {
  const bits = steps.map(step => nodes.indexOf(step))
  return mask => bits.reduce((sum, bit, at) => (mask & (1 << bit) ? sum | (1 << at) : sum), 0)
}

const placesOf = (nodes: readonly number[], bits: readonly number[]): Map<number, number> =>
  new Map(bits.map((bit, place) => [nodes[bit] ?? 0, place]))
