import type { Draft } from './draft.ts'
import type { Graph } from './graph.ts'
import type { UpdateSet } from './operation.ts'

/** A draft, or one half of a split one: `sends` says which half. */
export interface Part extends Draft {
  readonly sends?: 'name' | 'rest'
}

/** The narrower halves of an update: its name, and everything else. A half that would change nothing is left out. */
export function partsOf(draft: Part): Part[] {
  const { split, operation, provides: _, withdraws: __, ...common } = draft
  if (split === undefined || operation.type !== 'update-set') return [draft]
  const name: Part = { ...common, operation, ...split.name, sends: 'name', id: `${draft.id} (name)` }
  return changesMoreThanName(operation)
    ? [name, { ...common, operation, ...split.rest, sends: 'rest' }]
    : [{ ...name, id: draft.id }]
}

const changesMoreThanName = ({ before, after, variables }: UpdateSet): boolean =>
  variables.length > 0 ||
  before.description !== after.description ||
  before.global !== after.global ||
  before.priority !== after.priority

/**
 * Fills in what each half sends. An update always sends all four settings, so the half that runs second has to know
 * that it does: the order found for the slots decides, and becomes an edge of the graph.
 */
export function settle(parts: readonly Part[], graph: Graph, order: readonly number[]): Draft[] {
  const settled = [...parts]
  const firstHalf = new Map<string, number>()
  for (const node of order) {
    const part = parts[node]
    if (part?.sends === undefined || part.operation.type !== 'update-set') continue
    const first = firstHalf.get(part.operation.subject.id)
    firstHalf.set(part.operation.subject.id, node)
    if (first !== undefined) graph.add(first, node)
    settled[node] = { ...part, operation: halfOf(part.operation, part.sends, first !== undefined) }
  }
  return settled
}

function halfOf(whole: UpdateSet, sends: 'name' | 'rest', second: boolean): UpdateSet {
  const { before, after } = whole
  if (sends === 'name') {
    const start = second ? { ...after, name: before.name } : before
    return { ...whole, before: start, after: { ...start, name: after.name }, variables: [] }
  }
  const name = second ? after.name : before.name
  return { ...whole, before: { ...before, name }, after: { ...after, name } }
}
