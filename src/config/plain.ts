import { meaningOf, type Node, type ScalarNode } from './tree.ts'

/** The tree as the values that JSON Schema speaks about. Only for checking the form: numbers lose their source text. */
export function plainOf(node: Node): unknown {
  if (node.kind === 'list') return node.items.map(plainOf)
  if (node.kind === 'scalar') return plainScalar(node)
  const plain: Record<string, unknown> = {}
  for (const { key, value } of node.entries)
    if (key === '__proto__') defineOnce(plain, key, plainOf(value))
    // The first look is the quick one; it also sees what every object has.
    else if (plain[key] === undefined || !Object.hasOwn(plain, key)) plain[key] = plainOf(value)
  return plain
}

/** The key that would set the prototype is a key like any other. */
function defineOnce(plain: object, key: string, value: unknown): void {
  if (!Object.hasOwn(plain, key))
    Object.defineProperty(plain, key, { value, enumerable: true, configurable: true, writable: true })
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
