import { meaningOf, type Node, type ScalarNode } from './tree.ts'

/**
 * The tree as the values that JSON Schema speaks about. Only for checking the form: numbers lose their source text.
 * Objects have no prototype, so that a key such as `__proto__` is a key.
 */
export function plainOf(node: Node): unknown {
  if (node.kind === 'list') return node.items.map(plainOf)
  if (node.kind === 'scalar') return plainScalar(node)
  const plain: Record<string, unknown> = Object.create(null)
  for (const { key, value } of node.entries) if (!(key in plain)) plain[key] = plainOf(value)
  return plain
}

function plainScalar(node: ScalarNode): unknown {
  switch (meaningOf(node)) {
    case 'null':
      return null
    case 'boolean':
      return node.text.toLowerCase() === 'true'
    case 'number': {
      const value = Number(node.text)
      // Not a number in JSON Schema: `.inf`, `.nan`. As text they are fine.
      return Number.isFinite(value) ? value : node.text
    }
    case 'text':
      return node.text
  }
}
