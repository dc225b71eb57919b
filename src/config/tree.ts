/**
 * A document as we read it: positions kept, nothing interpreted. Every parser gives this tree, and everything
 * behind a parser works on it. `at` is the offset in the text, in UTF-16 units.
 */
export type Node = ScalarNode | MapNode | ListNode

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly at: number
  /** A plain scalar as it is written in the source, any other by its meaning. */
  readonly text: string
  /** Without quotes and not a block: what `null`, `true` and numbers are. */
  readonly plain: boolean
  /** What stands here was refused and reported. Nothing more is said of it, and it counts as left out. */
  readonly refused?: true
}

export interface MapNode {
  readonly kind: 'map'
  readonly at: number
  /** In order of the file. A key that is there twice is here twice. */
  readonly entries: readonly TreeEntry[]
  /** A merge key, which was refused, may have stood for more of them. */
  readonly open?: true
}

export interface TreeEntry {
  readonly key: string
  readonly at: number
  readonly value: Node
}

interface ListNode {
  readonly kind: 'list'
  readonly at: number
  readonly items: readonly Node[]
}

const NULL = /^(?:~|null|Null|NULL)?$/
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/
const NUMBER =
  /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/** What YAML 1.2 (core schema) would read: only where a rule asks. Values are taken as text. */
export function meaningOf(node: ScalarNode): 'null' | 'boolean' | 'number' | 'text' {
  if (isNull(node)) return 'null'
  if (!node.plain) return 'text'
  const first = node.text.charCodeAt(0)
  // Most text begins with a letter that neither a number nor true or false begins with.
  if (first <= NINE) return NUMBER.test(node.text) ? 'number' : 'text'
  return node.text.length <= 5 && BOOLEAN.test(node.text) ? 'boolean' : 'text'
}

const NINE = 0x39

const isNull = ({ plain, text }: ScalarNode): boolean => plain && text.length <= 4 && NULL.test(text)

export const isTrue = (node: Node | undefined): boolean =>
  node?.kind === 'scalar' && node.plain && node.text.toLowerCase() === 'true'

export const textOf = (node: Node | undefined): string | undefined =>
  node?.kind === 'scalar' && !isNull(node) ? node.text : undefined

export const entriesOf = (node: Node | undefined): readonly TreeEntry[] =>
  node?.kind === 'map' ? node.entries : []

export const itemsOf = (node: Node | undefined): readonly Node[] => (node?.kind === 'list' ? node.items : [])

/** Whether something stands elsewhere of which this says that it stands here: as far as it is a map of maps, and so on. */
export const isOpen = (node: Node | undefined, depth = 0): boolean =>
  node?.kind === 'map'
    ? node.open === true || (depth > 0 && node.entries.some(({ value }) => isOpen(value, depth - 1)))
    : node?.kind === 'scalar' && node.refused === true

/** The entry of a map with few keys. The first one, where a key is there twice. */
export function entryOf(node: Node | undefined, key: string): TreeEntry | undefined {
  for (const entry of entriesOf(node)) if (entry.key === key) return entry
  return undefined
}

export const childOf = (node: Node | undefined, key: string): Node | undefined => entryOf(node, key)?.value

/** What a JSON pointer leads to, and how to speak of it. */
export interface LocatedNode {
  readonly node: Node
  /** Where to point: the key of an entry, the item of a list. */
  readonly at: number
  /** `"env"`, `an item of "workspaces"`, `the file`. */
  readonly label: string
}

/** Leads to places of one tree, each in a time that does not depend on how many entries a map has. */
export class Places {
  readonly #tree: Node
  readonly #entries = new Map<Node, ReadonlyMap<string, TreeEntry>>()

  constructor(tree: Node) {
    this.#tree = tree
  }

  locate(pointer: string): LocatedNode {
    let target: LocatedNode = { node: this.#tree, at: this.#tree.at, label: 'the file' }
    for (const part of pointer.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const next = this.#stepInto(target, key)
      if (next === undefined) return target
      target = next
    }
    return target
  }

  /** The first one, where a key is there twice. */
  entryOf(node: Node, key: string): TreeEntry | undefined {
    if (node.kind !== 'map') return undefined
    const known = this.#entries.get(node)
    if (known !== undefined) return known.get(key)
    const entries = new Map(node.entries.toReversed().map(entry => [entry.key, entry]))
    this.#entries.set(node, entries)
    return entries.get(key)
  }

  #stepInto({ node, label }: LocatedNode, key: string): LocatedNode | undefined {
    if (node.kind === 'list') {
      const item = itemsOf(node)[Number(key)]
      return item && { node: item, at: item.at, label: `an item of ${label}` }
    }
    const entry = this.entryOf(node, key)
    return entry && { node: entry.value, at: entry.at, label: `"${entry.key}"` }
  }
}

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
