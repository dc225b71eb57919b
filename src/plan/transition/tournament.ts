import { itemAt } from '../../model/lists.ts'

/** The greatest of many numbers, from -1, that change one at a time. */
export class Tournament {
  /** A binary tree: each node has the greater one of its two children, 1 is the root, and the numbers are its leaves. */
  readonly #nodes: Int32Array
  readonly #leaves: number

  constructor(numbers: ArrayLike<number>) {
    this.#leaves = Math.max(1, numbers.length)
    this.#nodes = new Int32Array(2 * this.#leaves).fill(-1)
    this.#nodes.set(numbers, this.#leaves)
    for (let node = this.#leaves - 1; node > 0; node--) this.#play(node)
  }

  #play(node: number): void {
    this.#nodes[node] = Math.max(itemAt(this.#nodes, 2 * node), itemAt(this.#nodes, 2 * node + 1))
  }

  get greatest(): number {
    return itemAt(this.#nodes, 1)
  }

  of(index: number): number {
    return itemAt(this.#nodes, this.#leaves + index)
  }

  set(index: number, number: number): void {
    let node = this.#leaves + index
    this.#nodes[node] = number
    for (node >>= 1; node > 0; node >>= 1) this.#play(node)
  }

  greatestExcept(index: number): number {
    let greatest = -1
    for (let node = this.#leaves + index; node > 1; node >>= 1)
      greatest = Math.max(greatest, itemAt(this.#nodes, node ^ 1))
    return greatest
  }
}
