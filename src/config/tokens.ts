import { type CST, Lexer, Parser } from 'yaml'
import type { TreeLimits } from './limits.ts'

/** Valid YAML that is not supported. */
export type Feature = 'anchor' | 'alias' | 'tag' | 'directive'

export interface Tokens {
  readonly tokens: readonly CST.Token[]
  /** Places of unsupported features. */
  readonly features: readonly { readonly kind: Feature; readonly at: number }[]
  /** Why and where reading stopped; the tokens are then incomplete. */
  readonly stop?: { readonly reason: 'depth' | 'items' | 'features' | 'noise'; readonly at: number }
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

/** Runs the first stage of the parser, which is not recursive, and stops before a hostile file costs time and memory. */
export function tokensOf(text: string, limits: TreeLimits): Tokens {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const features: { kind: Feature; at: number }[] = []
  const stopped = (reason: NonNullable<Tokens['stop']>['reason']): Tokens => ({
    tokens,
    features,
    stop: { reason, at: Math.min(parser.offset, text.length) },
  })
  let isText = false
  let wasQuoted = false
  let signs = 0
  let loose = 0
  for (const lexeme of new Lexer().lex(text)) {
    const first = lexeme.charCodeAt(0)
    if (isText || first === LINE_FEED || first === SPACE) isText = false
    else if (first === TEXT_FOLLOWS) {
      isText = true
      signs = 0
    } else if (first !== HASH) {
      const isQuoted = first === DOUBLE_QUOTE || first === SINGLE_QUOTE
      // Between indicators a quote is text like any other; several in a row are not YAML.
      if (isQuoted && !wasQuoted) signs = 0
      wasQuoted = isQuoted
      const kind = FEATURES.get(first)
      if (kind !== undefined) features.push({ kind, at: parser.offset })
      if (features.length >= MOST_FEATURES) return stopped('features')
      if (++signs > MOST_SIGNS) return stopped('noise')
    }
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      if (!SILENT.has(token.type)) loose++
    }
    if (parser.stack.length > SAFE_DEPTH) return stopped('depth')
    if (loose > MOST_LOOSE_TOKENS) return stopped('noise')
    // A collection grows with a line or a comma.
    if ((first === LINE_FEED || first === COMMA) && largest(parser.stack) > limits.keysPerMap)
      return stopped('items')
  }
  for (const token of parser.end()) tokens.push(token)
  return { tokens, features }
}

/** An open collection is at the top of the stack, or right below the text that goes into it. */
function largest(stack: readonly CST.Token[]): number {
  const top = stack[stack.length - 1]
  const under = stack[stack.length - 2]
  return Math.max(
    top !== undefined && 'items' in top ? top.items.length : 0,
    under !== undefined && 'items' in under ? under.items.length : 0,
  )
}

/** A file may begin with any number of these. */
const SILENT: ReadonlySet<string> = new Set(['comment', 'newline', 'space'])

const LINE_FEED = 0x0a
/** The lexer's sign that the next lexeme is text. */
const TEXT_FOLLOWS = 0x1f
const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const HASH = 0x23
const SINGLE_QUOTE = 0x27
const COMMA = 0x2c
const FEATURES: ReadonlyMap<number, Feature> = new Map([
  [0x26, 'anchor'],
  [0x2a, 'alias'],
  [0x21, 'tag'],
  [0x25, 'directive'],
])
