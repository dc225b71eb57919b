import type { ASTNode } from '@marcbachmann/cel-js'
import type { RuleSubject } from '../../model/rule.ts'
import { fieldsOf, isObjectName, SCOPES } from '../vocabulary.ts'

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

/** The fields of its item that decide the result of an expression. `undefined` if it looks at anything else. */
export function fieldsRead(subject: RuleSubject, node: ASTNode): readonly string[] | undefined {
  const fields = new Set<string>()
  return collect(subject, node, fields) ? [...fields] : undefined
}

function collect(subject: RuleSubject, node: ASTNode, fields: Set<string>): boolean {
  if (node.op === 'id') return !Object.hasOwn(SCOPES[subject], node.args)
  if (node.op === '.') {
    const [owner, field] = node.args
    if (owner.op === 'id' && owner.args === subject) {
      fields.add(field)
      return true
    }
  }
  return nodesIn(node).every(one => collect(subject, one, fields))
}
