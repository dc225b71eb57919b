/** Nodes are numbers from 0; `before.get(n)` are the nodes that `n` waits for. */
export class Graph {
  readonly #before: Set<number>[]
  /** In which search a node was met last. */
  readonly #met: Uint32Array
  #search = 0
  #looked = 0

  constructor(size: number) {
    this.#before = Array.from({ length: size }, () => new Set())
    this.#met = new Uint32Array(size)
  }

  /** `later` waits for `earlier`. */
  add(earlier: number, later: number): void {
    if (earlier !== later) this.#before[later]?.add(earlier)
  }

  before(node: number): readonly number[] {
    return [...(this.#before[node] ?? [])]
  }

  /** How many edges `waitsFor` has followed in all. */
  get looked(): number {
    return this.#looked
  }

  /** Does `node` wait for `other`, directly or through others? */
  waitsFor(node: number, other: number): boolean {
    if (this.#before[node]?.has(other)) return true
    this.#search++
    const open = [node]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const earlier of this.#before[next] ?? []) {
        this.#looked++
        if (earlier === other) return true
        if (this.#met[earlier] === this.#search) continue
        this.#met[earlier] = this.#search
        open.push(earlier)
      }
    }
    return false
  }

  /**
   * Every node after those it waits for, otherwise in the order of the numbers; or the nodes of one cycle, each
   * waiting for the next.
   */
  sort(): { readonly order: readonly number[] } | { readonly cycle: readonly number[] } {
    const state = new Uint8Array(this.#before.length)
    const order: number[] = []
    for (let root = 0; root < this.#before.length; root++) {
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
