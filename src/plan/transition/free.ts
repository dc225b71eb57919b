import type { Landscape } from '../effective/facts.ts'
import type { Graph } from '../graph.ts'
import type { Operation } from '../operation.ts'

/** The operations that remove a secret. They wait only for what the rules of the service require. */
export function revoking(
  { moving }: Pick<Landscape, 'moving'>,
  operations: readonly Operation[],
): Set<number> {
  const holdsSecret = new Map<string, boolean>(
    moving.flatMap(({ before }) =>
      before === undefined ? [] : [[before.id, [...before.held.values()].some(({ secret }) => secret)]],
    ),
  )
  return new Set(
    [...operations.entries()].flatMap(([node, operation]) =>
      revokes(operation, holdsSecret.get(operation.subject.id ?? '') === true) ? [node] : [],
    ),
  )
}

/** With everything that they wait for. */
export function withEarlier(nodes: ReadonlySet<number>, slots: Graph): Set<number> {
  const all = new Set(nodes)
  for (const node of all) for (const earlier of slots.before(node)) all.add(earlier)
  return all
}

/** Whether somebody no longer receives a secret of the set. A replaced set has a successor, which gives it. */
function revokes(operation: Operation, holdsSecret: boolean): boolean {
  switch (operation.type) {
    case 'delete-variable':
      return 'hidden' in operation.before.value
    case 'delete-set':
      return holdsSecret && operation.replaced !== true
    case 'unassign':
      return holdsSecret
    case 'update-set':
      return holdsSecret && operation.before.global && !operation.after.global
    case 'create-set':
    case 'create-variable':
    case 'update-variable':
    case 'assign':
      return false
  }
}
