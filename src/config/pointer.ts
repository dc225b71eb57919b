import { entryOf, itemsOf, type Node } from './tree.ts'

/** What a JSON pointer leads to, and how to speak of it. */
export interface Target {
  readonly node: Node
  /** Where to point: the key of an entry, the item of a list. */
  readonly at: number
  /** `"env"`, `an item of "workspaces"`, `the file`. */
  readonly label: string
}

export function locate(tree: Node, pointer: string): Target {
  let target: Target = { node: tree, at: tree.at, label: 'the file' }
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const next = stepInto(target, key)
    if (next === undefined) return target
    target = next
  }
  return target
}

function stepInto({ node, label }: Target, key: string): Target | undefined {
  if (node.kind === 'list') {
    const item = itemsOf(node)[Number(key)]
    return item && { node: item, at: item.at, label: `an item of ${label}` }
  }
  const entry = entryOf(node, key)
  return entry && { node: entry.value, at: entry.at, label: `"${entry.key}"` }
}
