import type { ASTNode } from '@marcbachmann/cel-js'
import type { RuleSubject } from '../../model/rule.ts'
import { SCOPES } from '../vocabulary.ts'
import { nodesIn } from './check.ts'

/** The fields of its item that decide the result of an expression. `undefined` if it looks at anything else. */
export function fieldsRead(subject: RuleSubject, node: ASTNode): ReadonlySet<string> | undefined {
  const fields = new Set<string>()
  return collect(subject, node, fields) ? fields : undefined
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

/** Remembers the results of items that are equal in these fields. */
export function remembering(
  fields: ReadonlySet<string>,
  evaluate: (index: number) => boolean,
): (index: number, item: object) => boolean {
  const last = [...fields]
  const final = last.pop()
  if (final === undefined) return evaluate
  const root: Known = new Map()
  return (index, item) => {
    const read = item as Readonly<Record<string, unknown>>
    let known = root
    for (const field of last) {
      const value = read[field]
      let next = known.get(value) as Known | undefined
      if (next === undefined) {
        next = new Map()
        known.set(value, next)
      }
      known = next
    }
    let result = known.get(read[final]) as boolean | undefined
    if (result === undefined) {
      result = evaluate(index)
      known.set(read[final], result)
    }
    return result
  }
}

/** By the value of each field in turn. */
type Known = Map<unknown, unknown>
