import { type Document, isCollection, isScalar, visit } from 'yaml'

/** Where a quote or bracket was opened that is never closed: the parser only says where it missed the end. */
export function findUnclosed(document: Document, text: string): number | undefined {
  let found: number | undefined
  visit(document, (_, node) => {
    if (isScalar(node) && node.range) {
      const [start, end] = node.range
      const quote = text.charAt(start)
      const isQuoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE'
      if (isQuoted && (end - start < 2 || text.charAt(end - 1) !== quote)) found = start
    } else if (isCollection(node) && node.flow === true && node.range) {
      const [start, end] = node.range
      if (text.charAt(end - 1) !== (text.charAt(start) === '[' ? ']' : '}')) found = start
    }
    return found === undefined ? undefined : visit.BREAK
  })
  return found
}
