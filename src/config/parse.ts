import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  type Node as YamlNode,
} from 'yaml'
import type { Findings } from '../model/findings.ts'
import type { SourceFile } from './source-file.ts'
import { DEEPEST, reportErrors, SyntaxReport, TOO_DEEP, tokensOf } from './syntax.ts'
import type { Node, TreeEntry } from './tree.ts'

/**
 * Parses a file; `undefined` if it is empty or has a syntax error. Anchors, aliases, merge keys, tags and directives are errors, and
 * the rest of the file is read. So is a second document, and what follows is not read.
 */
export function parseFile(file: SourceFile, findings: Findings): Node | undefined {
  const report = new SyntaxReport(file, findings)
  const tokens = tokensOf(file.text, report)
  if (tokens === undefined) return undefined
  const [, second] = tokens.filter(({ type }) => type === 'document')
  const first = compose(second === undefined ? tokens : tokens.slice(0, tokens.indexOf(second)), file.text)
  const isBroken = first === undefined || reportErrors(first, file.text, report)
  if (second !== undefined)
    report.once(
      'yaml-feature',
      second.offset,
      'A file can contain only one YAML document. This begins another.',
    )
  if (isBroken || first.contents === null) return undefined
  const tree = treeOf(first.contents, file, findings)
  if (isNothing(tree)) return undefined
  return second !== undefined && tree.kind === 'map' ? { ...tree, open: true } : tree
}

const isNothing = (tree: Node): boolean =>
  tree.kind === 'scalar' && tree.plain && tree.text === '' && tree.refused === undefined

/** Composes the document of a file. Every option matters. */
function compose(tokens: Iterable<CST.Token>, text: string): Document.Parsed<ParsedNode> | undefined {
  const composer = new Composer({
    version: '1.2',
    // Strings stay strings, whatever a directive in the file says (docs/fault-model.md F-65).
    schema: 'failsafe',
    merge: false,
    // The parser's own check is quadratic; ours is `checkKeys`.
    uniqueKeys: false,
    stringKeys: true,
    logLevel: 'error',
  })
  const limit = Error.stackTraceLimit
  // A broken file can cause millions of errors, whose stack traces would fill the memory.
  Error.stackTraceLimit = 0
  try {
    return [...composer.compose(tokens, true, text.length)][0]
  } finally {
    Error.stackTraceLimit = limit
  }
}

const isMergeKey = (key: YamlNode): boolean => isScalar(key) && key.type === 'PLAIN' && key.value === '<<'

/** Converts the parser's nodes to our tree, and reports excessive depth, merge keys and missing keys. */
function treeOf(root: YamlNode, file: SourceFile, findings: Findings): Node {
  function converted(node: YamlNode | null, depth: number): Node {
    const at = node?.range?.[0] ?? 0
    if (isScalar(node)) return { kind: 'scalar', at, text: String(node.value), plain: node.type === 'PLAIN' }
    const nothing: Node = { kind: 'scalar', at, text: '', plain: true }
    if (isAlias(node)) return { ...nothing, refused: true }
    if (depth > DEEPEST) {
      findings.error('file-limit', TOO_DEEP, undefined, file.at(at))
      return { ...nothing, refused: true }
    }
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
        'A merge key (`<<`) is not supported.',
        'To share variables, write a base and `from:`.',
        file.at(at),
      )
    // This is the rest of a value after a comma, so the message does not quote it as a key.
    if (value === null && key.kind === 'scalar')
      findings.error(
        'yaml-syntax',
        'This reads as a key without a value.',
        /^[^\s:]+:[^\s/]/.test(text)
          ? 'Write a space after the `:` of a key.'
          : 'Quote a value that contains commas. Inside `{ }`, a comma ends a value.',
        file.at(at),
      )
    else if (isPlain && text === '' && key.refused === undefined)
      findings.error('null-value', 'A key is missing before `:`.', undefined, file.at(at))
    const entry = { key: text, at, value: converted(value, depth + 1) }
    const isRefused = key.kind !== 'scalar' || value === null || (isPlain && (text === '<<' || text === ''))
    return isRefused ? [] : entry
  }

  return converted(root, 1)
}
