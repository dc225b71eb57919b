/** Nodes are numbers from 0. Each edge says why a node waits for an earlier one. */
export class Graph<Why> {
  readonly size: number
  /** A large plan has many steps that wait for nothing: they have no set. */
  readonly #earlier: Edges<Why>

  constructor(size: number) {
    this.size = size
    this.#earlier = new Array(size)
  }

  /** A copy, to which edges of other reasons may be added. */
  copy<Other>(): Graph<Why | Other> {
    const copy = new Graph<Why | Other>(this.size)
    for (const [node, earlier] of this.#earlier.entries())
      if (earlier !== undefined) copy.#earlier[node] = new Map(earlier)
    return copy
  }

  /** `later` waits for `earlier`. Another reason takes the place of the known one. */
  add(earlier: number, later: number, why: Why): void {
    if (earlier === later) return
    const known = this.#earlier[later]
    if (known === undefined) this.#earlier[later] = new Map([[earlier, why]])
    else known.set(earlier, why)
  }

  why(earlier: number, later: number): Why | undefined {
    return this.#earlier[later]?.get(earlier)
  }

  before(node: number): readonly number[] {
    const earlier = this.#earlier[node]
    return earlier === undefined ? [] : [...earlier.keys()]
  }

  /** Does `later` wait for `earlier`, directly or through others? */
  waits(later: number, earlier: number): boolean {
    const met = new Set([later])
    for (const node of met) {
      if (node === earlier) return later !== earlier
      for (const next of this.#earlier[node]?.keys() ?? []) met.add(next)
    }
    return false
  }

  /**
   * Every node after those it waits for, otherwise in the order of `nodes`; or the nodes of one cycle, each
   * waiting for the next.
   */
  sort(
    nodes: Iterable<number> = this.#earlier.keys(),
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
        if (this.#earlier[root] === undefined) {
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

type Edges<Why> = (Map<number, Why> | undefined)[]
