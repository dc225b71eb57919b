import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type Node as YamlNode,
} from 'yaml'
import type { Findings } from '../model/findings.ts'
import type { TreeLimits } from './limits.ts'
import type { SourceFile } from './source-file.ts'
import { FEATURES, NOT_YAML, reportErrors, SyntaxReport } from './syntax-errors.ts'
import type { Node, TreeEntry } from './tree.ts'

/** The tree of the first document, and those of further ones, which are errors: their mistakes are reported in the same run. */
export type Trees = readonly [Node, ...Node[]]

/**
 * Parses a file; `undefined` if it is empty or has a syntax error. Anchors, aliases, merge keys, tags, directives and further
 * documents are errors, and the rest of the file is read.
 */
export function parseFile(file: SourceFile, limits: TreeLimits, findings: Findings): Trees | undefined {
  const report = new SyntaxReport(file, findings)
  const tokens = tokensOf(file.text, limits, report)
  if (tokens === undefined) return undefined
  const documents = compose(tokens, file.text)
  // Every document is checked, also after a broken one.
  const isReadable = documents.map(document => !reportErrors(document, file.text, report)).every(Boolean)
  const [first, second] = documents
  if (second !== undefined)
    report.once(
      'yaml-feature',
      second.range[0],
      'A file can contain only one YAML document. This begins another.',
    )
  if (first === undefined || !isReadable) return undefined
  const [tree, ...further] = documents.flatMap(({ contents }) =>
    contents === null ? [] : [treeOf(contents, file, limits, findings)],
  )
  if (tree === undefined || isNothing(tree)) return undefined
  return [tree, ...further.filter(one => !isNothing(one))]
}

const isNothing = (tree: Node): boolean =>
  tree.kind === 'scalar' && tree.plain && tree.text === '' && tree.refused === undefined

/** Composes the documents of a file. Every option matters. */
function compose(tokens: Iterable<CST.Token>, text: string): Document.Parsed<ParsedNode>[] {
  const composer = new Composer({
    version: '1.2',
    // Strings stay strings, whatever a directive in the file says (docs/fault-model.md F-65).
    schema: 'failsafe',
    merge: false,
    // The parser's own check is quadratic; ours is in keys.ts.
    uniqueKeys: false,
    stringKeys: true,
    logLevel: 'error',
  })
  const limit = Error.stackTraceLimit
  // A broken file can cause millions of errors, whose stack traces would fill the memory.
  Error.stackTraceLimit = 0
  try {
    return [...composer.compose(tokens, true, text.length)]
  } finally {
    Error.stackTraceLimit = limit
  }
}

/**
 * How deep the syntax tree may be for the parser's next stage, which is recursive, to survive it. Past some thousand
 * levels it can abort the whole process (docs/fault-model.md F-62); broken text nests without any indentation, so only the
 * tree itself tells. Far above what `Limits.depth` allows, which is checked exactly later.
 */
const SAFE_DEPTH = 200
const MOST_FEATURES = 1000
/** Tokens outside any document, such as those after a broken one. */
const MOST_LOOSE_TOKENS = 1000
/** Indicators such as `[` and `,` in a row, without text between them. */
const MOST_SIGNS = 10_000

/**
 * Runs the first stage of the parser, which is not recursive, and reports unsupported features. Stops before a hostile file costs time
 * and memory: then the result is `undefined`.
 */
function tokensOf(text: string, limits: TreeLimits, report: SyntaxReport): CST.Token[] | undefined {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let isText = false
  let wasQuoted = false
  let features = 0
  let signs = 0
  let loose = 0
  for (const lexeme of new Lexer().lex(text)) {
    const first = lexeme.charAt(0)
    if (isText || first === '\n' || first === ' ') isText = false
    else if (first === TEXT_FOLLOWS) {
      isText = true
      signs = 0
    } else if (first !== '#') {
      const isQuoted = first === '"' || first === "'"
      // Between indicators a quote is text like any other; several in a row are not YAML.
      if (isQuoted && !wasQuoted) signs = 0
      wasQuoted = isQuoted
      const feature = FEATURES.get(first)
      if (feature !== undefined) report.once('yaml-feature', parser.offset, ...feature)
      if (feature !== undefined && ++features >= MOST_FEATURES) return undefined
      if (++signs > MOST_SIGNS) return report.once('yaml-syntax', parser.offset, NOT_YAML)
    }
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (!SILENT.has(token.type)) loose++
    }
    if (parser.stack.length > SAFE_DEPTH)
      return report.once('file-limit', parser.offset, tooDeep(limits), 'Use fewer levels.')
    if (loose > MOST_LOOSE_TOKENS) return report.once('yaml-syntax', parser.offset, NOT_YAML)
    // A collection grows with a line or a comma.
    if ((first === '\n' || first === ',') && largest(parser.stack) > limits.keysPerMap)
      return report.once('file-limit', parser.offset, tooMany(limits))
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

/** An open collection is at the top of the stack, or right below the text that goes into it. */
function largest(stack: readonly CST.Token[]): number {
  const sizes = stack.slice(-2).map(token => ('items' in token ? token.items.length : 0))
  return Math.max(0, ...sizes)
}

/** A file may begin with any number of these. */
const SILENT: ReadonlySet<string> = new Set(['comment', 'newline', 'space'])

/** The lexer's sign that the next lexeme is text. */
const TEXT_FOLLOWS = '\x1f'

const tooDeep = (limits: TreeLimits): string => `Maps and lists are nested more than ${limits.depth} deep.`

const tooMany = (limits: TreeLimits): string => `A map or list has more than ${limits.keysPerMap} entries.`

const isMergeKey = (key: YamlNode): boolean => isScalar(key) && key.type === 'PLAIN' && key.value === '<<'

/** Converts the parser's nodes to our tree, and reports excessive depth, merge keys and missing keys. */
function treeOf(root: YamlNode, file: SourceFile, limits: TreeLimits, findings: Findings): Node {
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
