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
export function treeOf(root: YamlNode, file: SourceFile, limits: TreeLimits, findings: Findings): Node {
  function converted(node: YamlNode | null, depth: number): Node {
    const at = node?.range?.[0] ?? 0
    if (isScalar(node)) return { kind: 'scalar', at, text: String(node.value), plain: node.type === 'PLAIN' }
    const nothing: Node = { kind: 'scalar', at, text: '', plain: true }
    if (isAlias(node)) return { ...nothing, refused: true }
    if (depth > limits.depth) {
      findings.error('file-limit', file.at(at), tooDeep(limits))
      return { ...nothing, refused: true }
    }
    if ((isSeq(node) || isMap(node)) && node.items.length > limits.keysPerMap)
      findings.error('file-limit', file.at(at), tooMany(limits))
    if (isSeq<YamlNode | null>(node))
      return { kind: 'list', at, items: node.items.map(item => converted(item, depth + 1)) }
    if (isMap<YamlNode, YamlNode | null>(node))
      return {
        kind: 'map',
        at,
        entries: node.items.flatMap(pair => entryOf(pair.key, pair.value, depth)),
        ...(node.items.some(({ key }) => isMergeKey(key)) && { open: true as const }),
      }
    return nothing
  }

  /** Nothing if the key was refused. */
  function entryOf(keyNode: YamlNode, value: YamlNode | null, depth: number): TreeEntry | [] {
    const key = converted(keyNode, depth + 1)
    const { at } = key
    const text = key.kind === 'scalar' ? key.text : ''
    const isPlain = key.kind === 'scalar' && key.plain
    if (isPlain && text === '<<')
      findings.error(
        'yaml-feature',
        file.at(at),
        'A merge key (`<<`) is not supported.',
        'To share variables, write a base and `from:`.',
      )
    // This is the rest of a value after a comma, so the message does not quote it as a key.
    if (value === null && key.kind === 'scalar')
      findings.error(
        'yaml-syntax',
        file.at(at),
        'This reads as a key without a value.',
        'Quote a value that contains commas. Inside `{ }`, a comma ends a value.',
      )
    else if (isPlain && text === '' && key.refused === undefined)
      findings.error('null-value', file.at(at), 'A key is missing before `:`.')
    const entry = { key: text, at, value: converted(value, depth + 1) }
    const isRefused = key.kind !== 'scalar' || value === null || (isPlain && (text === '<<' || text === ''))
    return isRefused ? [] : entry
  }

  return converted(root, 1)
}
