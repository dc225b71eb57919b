import { itemAt } from '../model/lists.ts'
/** Nodes are numbers from 0; `before.get(n)` are the nodes that `n` waits for. */
export class Graph {
  readonly size: number
  /** A large plan has many steps that wait for nothing: they have no set. */
  protected readonly earlier: Edges

  constructor(size: number) {
    this.size = size
    this.earlier = new Array(size)
  }

  /** `later` waits for `earlier`. */
  add(earlier: number, later: number): void {
    if (earlier !== later) addTo(this.earlier, later, earlier)
  }

  before(node: number): readonly number[] {
    const earlier = this.earlier[node]
    return earlier === undefined ? [] : [...earlier]
  }

  /**
   * Every node after those it waits for, otherwise in the order of `nodes`; or the nodes of one cycle, each
   * waiting for the next.
   */
  sort(
    nodes: Iterable<number> = this.earlier.keys(),
  ): { readonly order: readonly number[] } | { readonly cycle: readonly number[] } {
    const state = new Uint8Array(this.size)
    const order: number[] = []
    for (const root of nodes) {
      const path: { node: number; rest: number[] }[] = []
      const enter = (node: number) => {
        state[node] = 1
        path.push({ node, rest: this.before(node).toSorted((a, b) => b - a) })
      }
      if (state[root] === 0)
        if (this.earlier[root] === undefined) {
          state[root] = 2
          order.push(root)
        } else enter(root)
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const next = top.rest.pop()
        if (next === undefined) {
          state[top.node] = 2
          order.push(top.node)
          path.pop()
        } else if (state[next] === 1) {
          const start = path.findIndex(entry => entry.node === next)
          return { cycle: path.slice(start).map(entry => entry.node) }
        } else if (state[next] === 0) enter(next)
      }
    }
    return { order }
  }
}

type Edges = (Set<number> | undefined)[]

function addTo(edges: Edges, node: number, other: number): void {
  const known = edges[node]
  if (known === undefined) edges[node] = new Set([other])
  else known.add(other)
}

/**
 * A graph without cycles that grows an edge at a time. It keeps an order of the nodes that its edges permit, and moves only
 * the nodes between the two ends of a new edge.
 */
export class OrderedGraph extends Graph {
  readonly #later: Edges
  readonly #place: Uint32Array
  /** The last search that met each node. */
  readonly #met: Uint32Array
  #searches = 0

  constructor(graph: Graph, order: readonly number[]) {
    super(graph.size)
    this.#place = new Uint32Array(graph.size)
    this.#met = new Uint32Array(graph.size)
    this.#later = new Array(graph.size)
    for (const [place, node] of order.entries()) this.#place[node] = place
    for (const node of order) for (const one of graph.before(node)) this.#join(one, node)
  }

  #join(earlier: number, later: number): void {
    addTo(this.earlier, later, earlier)
    addTo(this.#later, earlier, later)
  }

  /** Its place in the order. */
  place(node: number): number {
    return itemAt(this.#place, node)
  }

  /** Does `later` wait for `earlier`, directly or through others? */
  waits(later: number, earlier: number): boolean {
    const direct = this.earlier[later]
    if (direct === undefined || this.#later[earlier] === undefined) return false
    if (this.place(earlier) >= this.place(later)) return false
    return direct.has(earlier) || this.#reach(later, this.earlier, earlier).includes(earlier)
  }

  /** `later` waits for `earlier`, which must not wait for it. */
  override add(earlier: number, later: number): void {
    this.#join(earlier, later)
    if (this.place(earlier) < this.place(later)) return
    const first = this.#sorted(this.#reach(earlier, this.earlier, later))
    const last = this.#sorted(this.#reach(later, this.#later, earlier))
    const moved = [...first, ...last]
    const places = moved.map(node => this.place(node)).toSorted((a, b) => a - b)
    for (const [at, node] of moved.entries()) this.#place[node] = itemAt(places, at)
  }

  /** The nodes that are reached over `edges` without passing the place of `limit`, with `node` itself. */
  #reach(node: number, edges: Readonly<Edges>, limit: number): number[] {
    const from = Math.min(this.place(node), this.place(limit))
    const to = Math.max(this.place(node), this.place(limit))
    const search = ++this.#searches
    const met = [node]
    for (const next of met)
      for (const other of edges[next] ?? []) {
        const place = this.place(other)
        if (this.#met[other] === search || place < from || place > to) continue
        this.#met[other] = search
        met.push(other)
      }
    return met
  }

  #sorted(nodes: number[]): number[] {
    return nodes.sort((a, b) => this.place(a) - this.place(b))
  }
}
