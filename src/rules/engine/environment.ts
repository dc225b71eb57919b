import { RE2JS } from '@bufbuild/re2'
import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import type { PlannedState } from '../../model/planned.gen.ts'
import type { RuleSubject } from '../../model/rule.ts'
import { fieldsOf, isObjectName, OBJECT_NAMES, type ObjectName, SCOPES } from '../vocabulary.ts'

/** Limits of an expression. The schema limits its length. */
const LIMITS = {
  maxAstNodes: 1000,
  maxDepth: 40,
  maxListElements: 500,
  maxMapEntries: 100,
  maxCallArguments: 8,
}

/** An object of the plan as the library sees it. Each type has a class of its own, by which the library knows it. */
class Fact {
  readonly json: Readonly<Record<string, unknown>>
  readonly facts: Facts
  made: Record<string, unknown> | undefined
  constructor(json: object, facts: Facts) {
    this.json = json as Readonly<Record<string, unknown>>
    this.facts = facts
  }
}

/** A field is converted when a rule reads it: there are as many objects as variables, and rules read few of them. */
function classOf(name: ObjectName): typeof Fact {
  const made = class extends Fact {}
  for (const [field, type] of fieldsOf(name)) {
    const convert = conversionTo(type)
    const get = function (this: Fact) {
      const value = this.json[field]
      if (convert === undefined || value === undefined) return value
      this.made ??= {}
      this.made[field] ??= convert(value as never, this.facts)
      return this.made[field]
    }
    Object.defineProperty(made.prototype, field, { get })
  }
  return made
}

type Convert = ((value: never, facts: Facts) => unknown) | undefined

/** CEL has whole numbers of its own. */
function conversionTo(type: string): Convert {
  if (type === 'int') return (value: number) => BigInt(value)
  const item = /^list<(\w+)>$/.exec(type)?.[1]
  if (isObjectName(item))
    return (values: readonly (string | number | object)[], facts) =>
      values.flatMap(one => (typeof one === 'object' ? facts.of(item, one) : facts.workspaces(one)))
  return isObjectName(type) ? (value: object, facts) => facts.of(type, value) : undefined
}

const CLASSES = new Map(OBJECT_NAMES.map(name => [name, classOf(name)] as const))

/** The objects of a plan. Each is made once. */
export class Facts {
  readonly #groups: PlannedState['groups']
  readonly #workspaces: ReadonlyMap<string, object>
  readonly #known = new Map<object, Fact>()

  constructor({ groups, workspaces }: Pick<PlannedState, 'groups' | 'workspaces'>) {
    this.#groups = groups
    this.#workspaces = new Map(workspaces.map(one => [one.id, one]))
  }

  of(name: ObjectName, json: object): Fact {
    const known = this.#known.get(json)
    if (known !== undefined) return known
    const Class = CLASSES.get(name) ?? Fact
    const made = new Class(json, this)
    this.#known.set(json, made)
    return made
  }

  /** A workspace by its id, or those of a group by its position. */
  workspaces(reference: string | number): readonly Fact[] {
    if (typeof reference === 'number')
      return (this.#groups[reference]?.workspaces ?? []).flatMap(one => this.workspaces(one))
    const found = this.#workspaces.get(reference)
    return found === undefined ? [] : [this.of('Workspace', found)]
  }
}

/** Replaces `matches` of the library by an overload that is found first: our patterns take linear time. */
function withTypes(environment: Environment): Environment {
  for (const [name, ctor] of CLASSES)
    environment.registerType(name, { ctor, fields: Object.fromEntries(fieldsOf(name)) })
  // A macro is looked up only by name and number of arguments, so it applies to every receiver.
  return environment.registerFunction('map.matches(ast): bool', matches as never)
}

interface Checker {
  check(node: ASTNode, context: unknown): { readonly name: string }
  getType(name: string): unknown
  createError(code: string, message: string, node: ASTNode): Error
}

interface Runner {
  run(node: ASTNode, context: unknown): unknown
  createError(code: string, message: string, node: ASTNode): Error
}

interface CelCall {
  readonly args: readonly [ASTNode]
  readonly receiver: ASTNode
}

const matches = ({ args, receiver }: CelCall) => ({
  async: false,
  typeCheck(checker: Checker, _: unknown, context: unknown) {
    const [pattern] = args
    for (const node of [receiver, pattern]) {
      const { name } = checker.check(node, context)
      if (name !== 'string' && name !== 'dyn' && name !== 'dyn<string>')
        throw checker.createError('no_matching_overload', `"matches" needs strings, not ${name}`, node)
    }
    const isText = checker.check(pattern, context).name === 'string'
    if (pattern.op === 'value' && isText) compiled(String(pattern.args), pattern, checker)
    return checker.getType('bool')
  },
  evaluate(runner: Runner, _: unknown, context: unknown) {
    const [pattern] = args
    const text = runner.run(receiver, context)
    const expression = runner.run(pattern, context)
    if (typeof text !== 'string' || typeof expression !== 'string')
      throw runner.createError('no_matching_overload', '"matches" needs strings', receiver)
    return compiled(expression, pattern, runner).test(text)
  },
})

const LONGEST_PATTERN = 1000
const MOST_PATTERNS = 1000
const patterns = new Map<string, RE2JS>()

/** The linear-time engine of RE2. It knows neither back references nor look-around, and refuses them. */
function compiled(pattern: string, node: ASTNode, { createError }: Pick<Checker, 'createError'>): RE2JS {
  const known = patterns.get(pattern)
  if (known !== undefined) return known
  if (pattern.length > LONGEST_PATTERN)
    throw createError('bad_pattern', `The pattern has more than ${LONGEST_PATTERN} characters`, node)
  if (patterns.size >= MOST_PATTERNS) patterns.clear()
  try {
    const made = RE2JS.compile(pattern)
    patterns.set(pattern, made)
    return made
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
    throw createError('bad_pattern', `The pattern is not valid: ${said}`, node)
  }
}

const types = withTypes(new Environment({ limits: LIMITS }))
const environments = new Map<RuleSubject, Environment>()

/** The environment of rules about this subject: the objects that they can use. */
export function environmentFor(subject: RuleSubject): Environment {
  const known = environments.get(subject)
  if (known !== undefined) return known
  const made = types.clone()
  for (const [name, type] of Object.entries(SCOPES[subject])) made.registerVariable(name, type)
  environments.set(subject, made)
  return made
}

/** The nodes directly below. */
export function nodesIn({ args }: ASTNode): ASTNode[] {
  const isNode = (one: unknown): one is ASTNode => typeof one === 'object' && one !== null && 'op' in one
  const below = (one: unknown): ASTNode[] =>
    isNode(one) ? [one] : Array.isArray(one) ? one.flatMap(below) : []
  return below(args)
}

export const allNodes = (node: ASTNode): ASTNode[] => [node, ...nodesIn(node).flatMap(allNodes)]

/** The type of a part of a checked expression. Inside `has`, the library checks only the first name. */
export function typeOf(node: ASTNode): string {
  if ('checkedType' in node) return String(node.checkedType)
  if (node.op !== '.') return 'dyn'
  const [owner, field] = node.args
  const type = typeOf(owner)
  return isObjectName(type) ? (fieldsOf(type).find(([name]) => name === field)?.[1] ?? 'none') : type
}
