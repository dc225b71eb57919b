import { type ESTree, parseSync, Visitor } from 'rolldown/utils'

/** One small change of a source file: the text from `start` to `end`, which is `replaced`. */
export interface Mutation {
  /** Relative to the repository. */
  readonly file: string
  readonly start: number
  readonly end: number
  readonly replaced: string
  readonly replacement: string
}

const SWAPPED: Readonly<Record<string, string>> = {
  '&&': '||',
  '||': '&&',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
}

const SWAPPED_METHODS: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  max: 'min',
  min: 'max',
}

/** Methods whose result has the type of the object, so the call can be left out. */
const LEFT_OUT = new Set([
  'filter',
  'reverse',
  'slice',
  'sort',
  'toReversed',
  'toSorted',
  'trim',
  'toLowerCase',
])

interface Place {
  readonly start: number
  readonly end: number
}

export const mutated = (text: string, { start, end, replacement }: Mutation): string =>
  text.slice(0, start) + replacement + text.slice(end)

/** Every mutation of a file. Many of them do not compile. */
export function mutationsOf(file: string, text: string): Mutation[] {
  const found: Mutation[] = []
  let types = 0
  const textOf = ({ start, end }: Place): string => text.slice(start, end)
  const replace = ({ start, end }: Place, ...replacements: readonly string[]): void => {
    const replaced = text.slice(start, end)
    for (const replacement of replacements)
      if (replacement !== replaced) found.push({ file, start, end, replaced, replacement })
  }
  const decide = (condition: Place): void => replace(condition, `!(${textOf(condition)})`, 'true', 'false')
  const swapOperator = (node: Operation): void => {
    const other = SWAPPED[node.operator]
    if (other === undefined) return
    const between = text.slice(node.left.end, node.right.start).replace(node.operator, other)
    // In parentheses, so that the operands stay the same.
    replace(
      node,
      `(${text.slice(node.start, node.left.end)}${between}${text.slice(node.right.start, node.end)})`,
    )
  }
  const leaveOutEach = (list: readonly Place[]): void => {
    for (const [index, { start, end }] of list.entries()) {
      const next = list[index + 1]
      const place =
        next === undefined ? { start: list[index - 1]?.end ?? start, end } : { start, end: next.start }
      replace(place, '')
    }
  }
  const visitor = new Visitor({
    TSLiteralType: () => void types++,
    'TSLiteralType:exit': () => void types--,
    IfStatement: node => decide(node.test),
    ConditionalExpression: node => decide(node.test),
    WhileStatement: node => replace(node.test, `!(${textOf(node.test)})`),
    LogicalExpression(node) {
      swapOperator(node)
      if (node.operator === '??') replace(node, textOf(node.left), textOf(node.right))
    },
    BinaryExpression: swapOperator,
    UnaryExpression(node) {
      if (node.operator === '!') replace(node, textOf(node.argument))
    },
    AssignmentExpression(node) {
      if (node.operator === '+=' || node.operator === '-=')
        replace({ start: node.left.end, end: node.right.start }, node.operator === '+=' ? ' -= ' : ' += ')
    },
    ExpressionStatement(node) {
      if (node.expression.type !== 'Literal') replace(node, '{}')
    },
    ReturnStatement(node) {
      if (node.argument !== null) replace(node.argument, 'undefined', '[]', "''")
    },
    ArrowFunctionExpression(node) {
      if (node.body.type !== 'BlockStatement') replace(node.body, 'undefined', '[]', "''")
    },
    ArrayExpression(node) {
      if (node.elements.length > 1) replace(node, '[]')
      leaveOutEach(node.elements.filter(element => element !== null))
    },
    ObjectExpression: node => leaveOutEach(node.properties),
    CallExpression(node) {
      if (node.callee.type !== 'MemberExpression' || node.callee.computed) return
      const { object, property } = node.callee
      const other = SWAPPED_METHODS[property.name]
      if (other !== undefined) replace(property, other)
      if (LEFT_OUT.has(property.name)) replace(node, textOf(object))
    },
    Literal(node) {
      if (types > 0) return
      if (typeof node.value === 'boolean') replace(node, `${!node.value}`)
      if (typeof node.value === 'number') replace(node, `${node.value + 1}`)
    },
  })
  visitor.visit(parseSync(file, text).program)
  return found
}

type Operation = Pick<ESTree.BinaryExpression | ESTree.LogicalExpression, 'operator' | 'start' | 'end'> & {
  readonly left: Place
  readonly right: Place
}
