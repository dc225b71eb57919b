import type { Findings } from '../model/findings.ts'
import { holderOf } from '../model/lists.ts'
import type { SourceFile } from './source-file.ts'

/**
 * A document with its positions, and nothing interpreted. Everything after the YAML package uses it. `at`
 * is the offset in the text, in UTF-16 units.
 */
export type Node = ScalarNode | MapNode | ListNode

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly at: number
  /** A plain scalar as written, any other without its quotes or indentation. */
  readonly text: string
  /** Neither quoted nor a block, as `null`, `true` and numbers are. */
  readonly plain: boolean
  /** The value was refused and reported. It counts as left out, and nothing more is reported about it. */
  readonly refused?: true
}

interface MapNode {
  readonly kind: 'map'
  readonly at: number
  /** In the order of the file, including duplicate keys. */
  readonly entries: readonly TreeEntry[]
  /** Something was refused that may have given more entries: a merge key, or a second document. */
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

/** The type in the core schema of YAML 1.2, for rules that depend on it. Values are taken as strings. */
export function meaningOf(node: ScalarNode): 'null' | 'boolean' | 'number' | 'text' {
  if (isNull(node)) return 'null'
  if (!node.plain) return 'text'
  const first = node.text.charCodeAt(0)
  // Most strings begin with a letter, as no number does.
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

/** The texts in a list. */
export const textsIn = (node: Node | undefined): string[] => itemsOf(node).flatMap(item => textOf(item) ?? [])

/** Whether something was refused in this node, or in the maps inside it down to a depth. */
export const isOpen = (node: Node | undefined, depth = 0): boolean =>
  node?.kind === 'map'
    ? node.open === true || (depth > 0 && node.entries.some(({ value }) => isOpen(value, depth - 1)))
    : node?.kind === 'scalar' && node.refused === true

/** The first entry with a key, for maps with few keys. */
export function entryOf(node: Node | undefined, key: string): TreeEntry | undefined {
  if (node?.kind === 'map') for (const entry of node.entries) if (entry.key === key) return entry
  return undefined
}

export const childOf = (node: Node | undefined, key: string): Node | undefined => entryOf(node, key)?.value

/** What a JSON pointer leads to, and its name in messages. */
export interface LocatedNode {
  readonly node: Node
  /** The offset to report: of the key of an entry, or of the item of a list. */
  readonly at: number
  /** `"env"`, `an item of "workspaces"`, `the file`. */
  readonly label: string
}

/** Of a line, so much is looked at. */
const LONGEST_LINE = 1000

/** Finds places in one tree, in a time that does not depend on the size of its maps. */
export class NodePlaces {
  readonly #tree: Node
  readonly #text: string
  readonly #entries = new Map<Node, ReadonlyMap<string, TreeEntry>>()

  constructor(tree: Node, text: string) {
    this.#tree = tree
    this.#text = text
  }

  /** Whether a comment without a blank, `#fff`, stands where the value of a key is missing. */
  isComment({ at }: LocatedNode): boolean {
    const end = this.#text.indexOf('\n', at)
    return /^[^#]*: +#\S/.test(
      this.#text.slice(at, end < 0 ? at + LONGEST_LINE : Math.min(end, at + LONGEST_LINE)),
    )
  }

  locate(pointer: string): LocatedNode {
    let target: LocatedNode = { node: this.#tree, at: this.#tree.at, label: 'the file' }
    for (const part of pointer.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const entry = this.entryOf(target.node, key)
      const item = itemsOf(target.node)[Number(key)]
      if (entry !== undefined) target = { node: entry.value, at: entry.at, label: `"${entry.key}"` }
      else if (item !== undefined) target = { node: item, at: item.at, label: `an item of ${target.label}` }
      else return target
    }
    return target
  }

  entryOf(node: Node, key: string): TreeEntry | undefined {
    if (node.kind !== 'map') return undefined
    const known = this.#entries.get(node)
    if (known !== undefined) return known.get(key)
    const entries = new Map(node.entries.toReversed().map(entry => [entry.key, entry]))
    this.#entries.set(node, entries)
    return entries.get(key)
  }
}

/** The tree as values for JSON Schema. Only for validation: numbers lose their source text. */
export function plainOf(node: Node): unknown {
  if (node.kind === 'list') return node.items.map(plainOf)
  if (node.kind === 'scalar') return plainScalar(node)
  const plain = new Map<string, unknown>()
  for (const { key, value } of node.entries) if (!plain.has(key)) plain.set(key, plainOf(value))
  // Here `__proto__` is a key like any other.
  return Object.fromEntries(plain)
}

function plainScalar(node: ScalarNode): unknown {
  switch (meaningOf(node)) {
    case 'null':
      return null
    case 'boolean':
      return node.text.toLowerCase() === 'true'
    case 'number': {
      const value = Number(node.text)
      // `.inf` and `.nan` are not numbers in JSON Schema. As strings they are fine.
      return Number.isFinite(value) ? value : node.text
    }
    case 'text':
      return node.text
  }
}

/**
 * Reports duplicate keys, also those that look the same because they differ only in Unicode form (docs/fault-model.md F-67), and
 * characters that no string can contain, which escapes in double quotes can bring in (docs/fault-model.md F-69).
 */
export function checkKeys(tree: Node, file: SourceFile, findings: Findings): void {
  // Only escapes can bring in characters that the file itself was checked for; only they and non-ASCII text have two forms.
  const hasEscapes = file.text.includes('\\')
  const isSimple = !hasEscapes && Buffer.byteLength(file.text) === file.text.length

  function check(node: Node): void {
    if (node.kind === 'map') {
      checkMap(node)
      for (const entry of node.entries) check(entry.value)
    } else if (node.kind === 'list') for (const item of node.items) check(item)
    else if (hasEscapes) checkText(node.text, node.at)
  }

  function checkMap({ entries }: MapNode): void {
    if (isSimple && new Set(entries.map(({ key }) => key)).size === entries.length) return
    const first = new Map<string, { readonly key: string; readonly at: number }>()
    for (const entry of entries) {
      if (hasEscapes) checkText(entry.key, entry.at)
      const composed = isSimple ? entry.key : entry.key.normalize('NFC')
      const earlier = holderOf(first, composed, entry)
      if (earlier !== undefined) {
        clash(entry, earlier)
        continue
      }
      if (composed !== entry.key)
        findings.warning(
          'wrong-value',
          `The key "${entry.key}" contains combining characters (it is not in Unicode form NFC).`,
          'Write it in the composed form, unless the key in the service has this form. Another key could look the same.',
          file.at(entry.at),
        )
    }
  }

  function clash(entry: { key: string; at: number }, earlier: { key: string; at: number }): void {
    const { line } = file.at(earlier.at)
    const message =
      entry.key === earlier.key
        ? `"${entry.key}" is already on line ${line}.`
        : `"${entry.key}" looks the same as the key on line ${line}. They differ only in Unicode form.`
    findings.error('duplicate-key', message, 'Remove one of the two.', file.at(entry.at))
  }

  function checkText(text: string, at: number): void {
    if (text.includes('\0'))
      findings.error('wrong-value', 'A string cannot contain the character U+0000.', undefined, file.at(at))
    if (HALF_PAIR.test(text))
      findings.error(
        'wrong-value',
        'A string cannot contain half of a surrogate pair.',
        undefined,
        file.at(at),
      )
  }

  check(tree)
}

const HALF_PAIR = /\p{Surrogate}/u
