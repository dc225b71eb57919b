/** Nodes are numbers from 0; `before.get(n)` are the nodes that `n` waits for. */
export class Graph {
  readonly #before: Set<number>[]

  constructor(size: number) {
    this.#before = Array.from({ length: size }, () => new Set())
  }

  get size(): number {
    return this.#before.length
  }

  /** `later` waits for `earlier`. */
  add(earlier: number, later: number): void {
    if (earlier !== later) this.#before[later]?.add(earlier)
  }

  before(node: number): readonly number[] {
    return [...(this.#before[node] ?? [])]
  }

  /**
   * Every node after those it waits for, otherwise in the order of `nodes`; or the nodes of one cycle, each
   * waiting for the next.
   */
  sort(
    nodes: Iterable<number> = this.#before.keys(),
  ): { readonly order: readonly number[] } | { readonly cycle: readonly number[] } {
    const state = new Uint8Array(this.#before.length)
    const order: number[] = []
    for (const root of nodes) {
      const path: { node: number; rest: number[] }[] = []
      const enter = (node: number) => {
        state[node] = 1
        path.push({ node, rest: this.before(node).toSorted((a, b) => b - a) })
      }
      if (state[root] === 0) enter(root)
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

/**
 * A graph without cycles that grows an edge at a time. It keeps an order of the nodes that its edges permit, and moves only
 * the nodes between the two ends of a new edge.
 */
export class OrderedGraph {
  readonly #before: Set<number>[]
  readonly #after: Set<number>[]
  readonly #order: number[]
  readonly #place: number[]

  constructor(graph: Graph, order: readonly number[]) {
    this.#order = [...order]
    this.#place = Array.from({ length: graph.size }, () => 0)
    for (const [place, node] of order.entries()) this.#place[node] = place
    this.#before = Array.from({ length: graph.size }, (_, node) => new Set(graph.before(node)))
    this.#after = Array.from({ length: graph.size }, () => new Set())
    for (const [node, earlier] of this.#before.entries())
      for (const one of earlier) this.#after[one]?.add(node)
  }

  before(node: number): readonly number[] {
    return [...(this.#before[node] ?? [])]
  }

  /** Its place in the order. */
  place(node: number): number {
    return this.#place[node] ?? 0
  }

  /** Does `later` wait for `earlier`, directly or through others? */
  waits(later: number, earlier: number): boolean {
    const direct = this.#before[later]
    if (direct === undefined || direct.size === 0 || this.place(earlier) >= this.place(later)) return false
    if (this.#after[earlier]?.size === 0) return false
    return direct.has(earlier) || this.#reach(later, this.#before, earlier).has(earlier)
  }

  /** `later` waits for `earlier`, which must not wait for it. */
  add(earlier: number, later: number): void {
    this.#before[later]?.add(earlier)
    this.#after[earlier]?.add(later)
    if (this.place(earlier) < this.place(later)) return
    const first = this.#sorted(this.#reach(earlier, this.#before, later))
    const last = this.#sorted(this.#reach(later, this.#after, earlier))
    const moved = [...first, ...last]
    const places = moved.map(node => this.place(node)).toSorted((a, b) => a - b)
    for (const [at, place] of places.entries()) {
      const node = moved[at] ?? 0
      this.#order[place] = node
      this.#place[node] = place
    }
  }

  /** The nodes that are reached over `edges` without passing the place of `limit`, with `node` itself. */
  #reach(node: number, edges: readonly ReadonlySet<number>[], limit: number): Set<number> {
    const from = Math.min(this.place(node), this.place(limit))
    const to = Math.max(this.place(node), this.place(limit))
    const met = new Set([node])
    for (const next of met)
      for (const other of edges[next] ?? []) {
        const place = this.place(other)
        if (place >= from && place <= to) met.add(other)
      }
    return met
  }

  #sorted(nodes: ReadonlySet<number>): number[] {
    return [...nodes].toSorted((a, b) => this.place(a) - this.place(b))
  }
}
