import { type Entry, itemsOf, type Node } from './tree.ts'

/** What a JSON pointer leads to, and how to speak of it. */
export interface Target {
  readonly node: Node
  /** Where to point: the key of an entry, the item of a list. */
  readonly at: number
  /** `"env"`, `an item of "workspaces"`, `the file`. */
  readonly label: string
}

/** Leads to places of one tree, each in a time that does not depend on how many entries a map has. */
export class Places {
  readonly #tree: Node
  readonly #entries = new Map<Node, ReadonlyMap<string, Entry>>()

  constructor(tree: Node) {
    this.#tree = tree
  }

  locate(pointer: string): Target {
    let target: Target = { node: this.#tree, at: this.#tree.at, label: 'the file' }
    for (const part of pointer.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const next = this.#stepInto(target, key)
      if (next === undefined) return target
      target = next
    }
    return target
  }

  /** The first one, where a key is there twice. */
  entryOf(node: Node, key: string): Entry | undefined {
    if (node.kind !== 'map') return undefined
    const known = this.#entries.get(node)
    if (known !== undefined) return known.get(key)
    const entries = new Map(node.entries.toReversed().map(entry => [entry.key, entry]))
    this.#entries.set(node, entries)
    return entries.get(key)
  }

  #stepInto({ node, label }: Target, key: string): Target | undefined {
    if (node.kind === 'list') {
      const item = itemsOf(node)[Number(key)]
      return item && { node: item, at: item.at, label: `an item of ${label}` }
    }
    const entry = this.entryOf(node, key)
    return entry && { node: entry.value, at: entry.at, label: `"${entry.key}"` }
  }
}
