import { isAlias, isMap, isScalar, isSeq, type Node as YamlNode } from 'yaml'
import type { Findings } from '../model/findings.ts'
import type { TreeLimits } from './limits.ts'
import type { SourceFile } from './source-file.ts'
import type { Node, TreeEntry } from './tree.ts'

export const tooDeep = (limits: TreeLimits): string =>
  `Maps and lists are nested more than ${limits.depth} deep.`

export const tooMany = (limits: TreeLimits): string =>
  `A map or list has more than ${limits.keysPerMap} entries.`

const isMergeKey = (key: YamlNode): boolean => isScalar(key) && key.type === 'PLAIN' && key.value === '<<'

/** Converts the parser's nodes to our tree, and reports excessive depth, merge keys and missing keys. */
export class Conversion {
  readonly #file: SourceFile
  readonly #limits: TreeLimits
  readonly #findings: Findings

  constructor(file: SourceFile, limits: TreeLimits, findings: Findings) {
    this.#file = file
    this.#limits = limits
    this.#findings = findings
  }

  node(node: YamlNode | null, depth = 1): Node {
    const at = node?.range?.[0] ?? 0
    if (isScalar(node)) return { kind: 'scalar', at, text: String(node.value), plain: node.type === 'PLAIN' }
    const nothing: Node = { kind: 'scalar', at, text: '', plain: true }
    if (isAlias(node)) {
      return { ...nothing, refused: true }
    }
    if (depth > this.#limits.depth) {
      this.#findings.error('file-limit', this.#file.at(at), tooDeep(this.#limits))
      return { ...nothing, refused: true }
    }
    if ((isSeq(node) || isMap(node)) && node.items.length > this.#limits.keysPerMap)
      this.#findings.error('file-limit', this.#file.at(at), tooMany(this.#limits))
    if (isSeq<YamlNode | null>(node))
      return { kind: 'list', at, items: node.items.map(item => this.node(item, depth + 1)) }
    if (isMap<YamlNode, YamlNode | null>(node))
      return {
        kind: 'map',
        at,
        entries: node.items.flatMap(pair => this.#entry(pair.key, pair.value, depth)),
        ...(node.items.some(({ key }) => isMergeKey(key)) && { open: true as const }),
      }
    return nothing
  }

  /** Nothing if the key was refused. */
  #entry(keyNode: YamlNode, value: YamlNode | null, depth: number): TreeEntry | [] {
    const key = this.node(keyNode, depth + 1)
    const { at } = key
    const text = key.kind === 'scalar' ? key.text : ''
    const isPlain = key.kind === 'scalar' && key.plain
    if (isPlain && text === '<<') {
      this.#findings.error(
        'yaml-feature',
        this.#file.at(at),
        'A merge key (`<<`) is not supported.',
        'To share variables, write a base and `from:`.',
      )
    }
    // This is the rest of a value after a comma, so the message does not quote it as a key.
    if (value === null && key.kind === 'scalar')
      this.#findings.error(
        'yaml-syntax',
        this.#file.at(at),
        'This reads as a key without a value.',
        'Quote a value that contains commas. Inside `{ }`, a comma ends a value.',
      )
    else if (isPlain && text === '' && key.refused === undefined)
      this.#findings.error('null-value', this.#file.at(at), 'A key is missing before `:`.')
    const entry = { key: text, at, value: this.node(value, depth + 1) }
    const isRefused = key.kind !== 'scalar' || value === null || (isPlain && (text === '<<' || text === ''))
    return isRefused ? [] : entry
  }
}
