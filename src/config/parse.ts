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
import type { Diagnostic } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { TreeLimits } from './limits.ts'
import { type SourceFile, sourceFile } from './source-file.ts'
import { reportErrors, SyntaxReport, tokensOf, tooDeep, tooMany } from './syntax.ts'
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
    // The parser's own check is quadratic; ours is `checkKeys`.
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

/**
 * The trees of a set file without its sets and bases with syntax errors, so that the mistakes of the others are reported in the same run.
 * Of an error that is in no set or base, the whole top-level key is left out. `said` are the errors of the whole file: those of the first
 * entry are reported, and then the rest is parsed again, because what follows an error may be misread. `undefined` if the rest cannot
 * be read.
 */
export function parseSoundPart(
  { path, text }: SourceFile,
  limits: TreeLimits,
  findings: Findings,
  said: readonly Diagnostic[],
): Trees | undefined {
  const lines = text.split('\n')
  const entryAround = entriesOf(lines)
  const left = lines.map(() => true)
  const reported = new Set<number>()
  const report = (error: Diagnostic): void => {
    const { code, source, message, hint } = error
    if (!reported.has(lineOf(error))) findings.say(source, [code, message, hint])
    reported.add(lineOf(error))
  }
  for (const error of said) if (!isSyntax(error)) report(error)
  let errors = said
  const rounds = Math.min(MOST_ROUNDS, Math.ceil(MOST_CHARACTERS / text.length))
  for (let round = 0; round < rounds; round++) {
    const last = left.lastIndexOf(false)
    const first = Math.min(...errors.filter(isSyntax).map(lineOf))
    const { from, end, isEntry } = entryAround(first)
    // Before, beside or closing what is left out, it may be an error only because that is missing.
    if (first > last && left[from] === true && !(round > 0 && CLOSES.test(lines[first] ?? '')))
      for (const error of errors) if (lineOf(error) < (isEntry ? end : first + 1)) report(error)
    let to = end
    while (to <= last && left[to] === true) to++
    if (!left.slice(from, to).includes(true)) return undefined
    left.fill(false, from, to)
    // Spaces, so that all places stay.
    const rest = lines.map((line, at) => (left[at] === true ? line : line.replace(/[^\r]/g, ' ')))
    const scratch = new Findings()
    const trees = parseFile(sourceFile(path, rest.join('\n')), limits, scratch)
    errors = scratch.diagnostics
    if (trees === undefined) continue
    for (const error of errors) report(error)
    const [tree, ...further] = trees
    return [withoutEmptied(tree), ...further.map(withoutEmptied)]
  }
  return undefined
}

/** Bounds, because a file may consist of errors: how often it is parsed again, and how many characters in total. */
const MOST_ROUNDS = 10
const MOST_CHARACTERS = 10_000_000

const CLOSES = /^\s*[\]}]/

/** A feature that is not supported does not keep the rest from being read. */
const isSyntax = ({ code }: Diagnostic): boolean => code !== 'yaml-feature'

const lineOf = ({ source }: Diagnostic): number => (source?.line ?? 1) - 1

/** A key that has lost all sets or bases counts as left out. */
const withoutEmptied = (tree: Node): Node =>
  tree.kind !== 'map'
    ? tree
    : {
        ...tree,
        entries: tree.entries.map(entry =>
          entry.value.kind === 'scalar' && entry.value.plain && entry.value.text === ''
            ? { ...entry, value: { ...entry.value, refused: true } }
            : entry,
        ),
      }

/**
 * For each line, the lines of the set or base that it belongs to: below a top-level key, from one with the indentation of its first line to
 * the next. Of the top-level key, if that is not known. A line without a key belongs to what is before it.
 */
function entriesOf(lines: readonly string[]): (line: number) => Entry {
  const indents = lines.map(line =>
    /^\s*(?:#|$)/.test(line) ? Number.POSITIVE_INFINITY : line.search(/[^ \t]/),
  )
  const keys = indents.map((indent, at) => (STARTS.test(lines[at] ?? '') ? indent : Number.POSITIVE_INFINITY))
  return line => {
    const section = Math.max(
      0,
      keys.findLastIndex((indent, at) => at <= line && indent === 0),
    )
    const indent = indents.find((one, at) => at > section && Number.isFinite(one)) ?? 0
    const from = keys.findLastIndex((one, at) => at > section && at <= line && one === indent)
    const isEntry = from > 0 && !indents.slice(section + 1, line + 1).includes(0)
    const end = keys.findIndex((one, at) => at > line && one <= (isEntry ? indent : 0))
    return { from: from < 0 ? section : from, end: end < 0 ? lines.length : end, isEntry }
  }
}

interface Entry {
  readonly from: number
  readonly end: number
  /** A set or base, as far as the indentation tells. */
  readonly isEntry: boolean
}

/** A key, an item of a list, or the begin or end of a document. */
const STARTS = /^\s*(?:-(?:\s|$)|---|\.\.\.|[^\s#].*?:(?:\s|$))/
