import type { ASTNode, ParseResult } from '@marcbachmann/cel-js'
import { didYouMean } from '../../model/names.ts'
import type { RuleSubject } from '../../model/rule.ts'
import { fieldsOf, isObjectName, SCOPES } from '../vocabulary.ts'
import { allNodes, environmentFor, nodesIn, typeOf } from './environment.ts'

/** A rule in the form that the worker gets. */
export interface EngineRule {
  readonly for: RuleSubject
  readonly when?: string
  readonly require: string
}

/** A mistake in an expression. */
export interface Mistake {
  /** The index of the rule. */
  readonly rule: number
  readonly part: 'when' | 'require'
  /** A sentence that quotes the wrong part of the expression, if it is not the whole. */
  readonly message: string
  readonly hint?: string
}

export type Evaluate = (context: Readonly<Record<string, unknown>>) => unknown

type Worded = Pick<Mistake, 'message' | 'hint'>

/** A mistake whose message does not quote the expression yet. Offsets are in UTF-16 units. */
interface Wrong extends Worded {
  readonly start: number
  readonly end: number
  /** Two mistakes with one position are one. */
  readonly pos: number
}

const compiled = new Map<string, Evaluate | readonly Worded[]>()

/** The compiled expression, or its mistakes. An expression is compiled once for all tasks of the thread. */
export function compile(subject: RuleSubject, text: string): Evaluate | readonly Worded[] {
  const name = `${subject} ${text}`
  const known = compiled.get(name) ?? compileNow(subject, text)
  compiled.set(name, known)
  return known
}

function compileNow(subject: RuleSubject, text: string): Evaluate | readonly Worded[] {
  let parsed: ParseResult
  try {
    parsed = environmentFor(subject).parse(text)
  } catch (error) {
    const wrong = wrongIn(error, subject)
    // A mistake of syntax is one character, or the end.
    return [
      quoting(text, {
        ...wrong,
        start: text.lastIndexOf(' ', wrong.start - AROUND) + 1,
        end: wrong.end + AROUND,
      }),
    ]
  }
  const types = typeMistakes(parsed, subject)
  const deep = tooDeep(parsed.ast, 0)
  const found = [...unchecked(parsed.ast), ...types, ...(deep === undefined ? [] : [nestedTooDeep(deep)])]
  if (found.length === 0) return parsed
  // One for each place: the library and we may both refuse a comparison.
  const byPosition = new Map(found.toReversed().map(one => [one.pos, one]))
  const words = [...byPosition.values()].sort((a, b) => a.pos - b.pos).map(wrong => quoting(text, wrong))
  return [...new Map(words.map(one => [one.message, one])).values()].slice(0, MOST_MISTAKES)
}

/** The sentence with the wrong part of the expression, unless that is all of it. */
function quoting(text: string, { start, end, message, hint }: Wrong): Worded {
  const part = text.slice(Math.max(0, start), end).replace(/\s+/g, ' ').trim()
  const isWhole = part === text.replace(/\s+/g, ' ').trim()
  const shown = part.length > LONGEST_PART ? `${part.slice(0, LONGEST_PART)}…` : part
  const quoted = isWhole || part === '' ? message : `${message.replace(/\.$/, '')}, at \`${shown}\`.`
  return hint === undefined ? { message: quoted } : { message: quoted, hint }
}

const AROUND = 20
const LONGEST_PART = 60

/** Mistakes that are reported of one expression. */
const MOST_MISTAKES = 10

/**
 * The library stops at the first mistake. So its node gets the type `dyn`, which fits almost everywhere, and the expression is checked
 * again. A further mistake that mentions this type may only be a consequence.
 */
function typeMistakes(parsed: ParseResult, subject: RuleSubject): Wrong[] {
  const found: Wrong[] = []
  const wrong = new Set<Typed>()
  const parentOf = (node: Typed): Typed | undefined =>
    allNodes(parsed.ast).find(one => nodesIn(one).some(below => below === node))
  while (found.length < MOST_MISTAKES) {
    const { valid, type = '', error } = parsed.check()
    if (valid) return found.length === 0 && type !== 'bool' && type !== 'dyn' ? [notBool(type)] : found
    const said = isSaid(error) ? error : undefined
    if (found.length === 0 || !/\bdyn\b/.test(said?.summary ?? '')) found.push(wrongIn(error, subject))
    let node: Typed | undefined = said?.node
    // `dyn` does not fit either: try its parent.
    while (node !== undefined && wrong.has(node)) node = parentOf(node)
    if (node === undefined) return found
    node.checkedType = dynType()
    wrong.add(node)
  }
  return found
}

/** A node of an expression as the library leaves it: its type is remembered, and not computed again. */
type Typed = Partial<ASTNode> & { checkedType?: unknown }

function dynType(): unknown {
  const { ast, check } = environmentFor('plan').parse('dyn(0)')
  check()
  return (ast as Typed).checkedType
}

/** Nothing of the expression is quoted. */
const WHOLE = { pos: 0, start: 0, end: 0 }

const notBool = (type: string): Wrong => ({
  ...WHOLE,
  message: `The expression returns ${shownType(type)}, but must return true or false.`,
  hint: 'Compare the value with something, such as `set.name == "a"`.',
})

/** Mistakes that the library accepts: unknown fields in `has`, and comparisons of objects, which are never equal for it. */
const unchecked = (ast: ASTNode): Wrong[] =>
  allNodes(ast).flatMap(node => {
    if (node.op === '.' && !('checkedType' in node)) {
      const [owner, field] = node.args
      const type = typeOf(owner)
      const isField = isObjectName(type) ? fieldsOf(type).some(([name]) => name === field) : type === 'dyn'
      return isField ? [] : { ...placeOf(node), ...missing(type, field) }
    }
    if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') return []
    const types = node.args.map(one => typeOf(one).replace(/^list<(.*)>$/, '$1'))
    const type = types.find(isObjectName)
    if (type === undefined) return []
    const field = fieldsOf(type)[0]?.[0]
    return {
      ...placeOf(node),
      message: `A ${type} cannot be compared.`,
      hint: `Compare a field of it, such as \`x.${field} == "a"\`; with a list: \`list.exists(x, …)\`.`,
    }
  })

const placeOf = ({ pos, start, end }: ASTNode): Omit<Wrong, keyof Worded> => ({ pos, start, end })

/** Nested macros that go through a list. Each level multiplies the work by the length of its list. */
const MOST_NESTED = 3
const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])

const nestedTooDeep = (node: ASTNode): Wrong => ({
  ...placeOf(node),
  pos: node.start,
  message: `More than ${MOST_NESTED} macros such as \`all\` and \`exists\` are nested here.`,
  hint: 'Write several rules, or check fewer objects at once.',
})

function tooDeep(node: ASTNode, depth: number): ASTNode | undefined {
  const isMacro = node.op === 'rcall' && MACROS.has(node.args[0])
  if (isMacro && depth === MOST_NESTED) return node
  // The list of a macro is computed once, outside of it.
  const [receiver, inner] = isMacro ? [[node.args[1]], node.args[2]] : [nodesIn(node), []]
  for (const one of receiver) {
    const found = tooDeep(one, depth)
    if (found !== undefined) return found
  }
  for (const one of inner) {
    const found = tooDeep(one, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

interface Said {
  readonly code: string
  readonly summary: string
  readonly node?: Typed
  readonly range?: { readonly start: number; readonly end: number }
}

/** A mistake of the library in our words, with the part of the expression that it is about. */
export const worded = (error: unknown, subject: RuleSubject, text: string): Worded =>
  quoting(text, wrongIn(error, subject))

/** An error of another kind than the library's comes from an exhausted machine, such as a full stack. */
function wrongIn(error: unknown, subject: RuleSubject): Wrong {
  if (!isSaid(error)) return { ...WHOLE, message: `The expression cannot be evaluated (${String(error)}).` }
  const { node, range } = error
  const pos = range?.start ?? 0
  const place = { pos, start: node?.start ?? pos, end: node?.end ?? range?.end ?? pos }
  return { ...place, ...wordsOf(error, subject) }
}

function wordsOf({ code, summary, node }: Said, subject: RuleSubject): Worded {
  if (code === 'no_such_key') return missing(ownerType(node), lastWord(summary))
  if (code === 'unknown_variable') return unknown(subject, lastWord(summary))
  if (code === 'no_matching_overload') return noFunction(summary)
  return { message: `${sentence(summary)}.`, hint: hintOf(summary) }
}

/** Hints for habits from other languages. */
const HINTS: readonly (readonly [summary: RegExp, hint: string])[] = [
  [/^Unexpected character: =$/, 'Compare with `==`, `!=`, `<=` or `>=`.'],
  [/^Unexpected character: '[a-z]'$/, 'Write `&&`, `||` and `!` for and, or and not.'],
  [
    /^List index must be int/,
    'A list has no fields. Its length is `size(list)`. Test its items with `all` or `exists`.',
  ],
  [
    /^no such overload: (string \S+ int|int \S+ string)$/i,
    'Compare values of one type: `int(text)` and `string(number)` convert.',
  ],
  [/^Exceeded max/, 'Make the expression shorter, or write several rules.'],
]

const hintOf = (summary: string): string | undefined => HINTS.find(([said]) => said.test(summary))?.[1]

const isSaid = (error: unknown): error is Said =>
  error instanceof Error && 'code' in error && 'summary' in error && typeof error.summary === 'string'

const lastWord = (text: string): string => text.slice(text.indexOf(': ') + 2)

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.$/, '').replaceAll('\n', ' ')

/** A field that its type does not have, or that an object lacks. */
function missing(type: string, field: string): Worded {
  if (!isObjectName(type))
    return { message: `There is no ${JSON.stringify(field)} here.`, hint: 'Check first: `has(a.b) && …`.' }
  const fields = fieldsOf(type).map(([one]) => one)
  if (fields.includes(field))
    return {
      message: `This ${type} has no "${field}".`,
      hint: `It may be absent. Check first: \`has(….${field}) && …\`.`,
    }
  return { message: `A ${type} has no field "${field}".`, hint: meant(field, fields, 'Its fields') }
}

/** The type of the object whose field a node names. */
function ownerType(node: Partial<ASTNode> | undefined): string {
  const owner = Array.isArray(node?.args) ? node.args[0] : undefined
  return typeof owner === 'object' && owner !== null && 'op' in owner ? typeOf(owner as ASTNode) : 'none'
}

function unknown(subject: RuleSubject, name: string): Worded {
  const here = Object.keys(SCOPES[subject])
  return {
    message: `"${name}" is not known in a rule \`for: ${subject}\`.`,
    hint: meant(name, here, 'Known here'),
  }
}

const meant = (written: string, known: readonly string[], label: string): string => {
  const near = didYouMean(written, known)
  return `${near === undefined ? '' : `${near} `}${label}: ${known.join(', ')}.`
}

/** `found no matching overload for 'string.startWith(string)'`. */
function noFunction(summary: string): Worded {
  const [, receiver, name = '', given = ''] = /'(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? []
  if (name === '') return { message: `${sentence(summary)}.` }
  const on = receiver === undefined ? '' : ` of ${shownType(receiver)}`
  const fields = isObjectName(receiver)
    ? ` Its fields: ${fieldsOf(receiver)
        .map(([field]) => field)
        .join(', ')}.`
    : ''
  return {
    message: `There is no function "${name}"${on}${given === '' ? '' : ` that takes ${given}`}.`,
    hint: `docs/rules.md lists the functions.${fields}`,
  }
}

const shownType = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
