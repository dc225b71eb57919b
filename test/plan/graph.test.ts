import { expect, test } from 'vitest'
import { Graph } from '../../src/plan/graph.ts'

/** Each edge is `earlier later`. */
function graphOf(size: number, ...edges: readonly (readonly [number, number])[]): Graph<string> {
  const graph = new Graph<string>(size)
  for (const [earlier, later] of edges) graph.add(earlier, later, `${earlier}-${later}`)
  return graph
}

test('a node waits for others, directly or through others, and never for itself', () => {
  const graph = graphOf(4, [0, 1], [1, 2], [3, 3])
  const waits = [0, 1, 2, 3].map(later => [0, 1, 2, 3].filter(earlier => graph.waits(later, earlier)))
  expect(waits).toEqual([[], [0], [0, 1], []])
  expect([graph.why(0, 1), graph.why(0, 2), graph.before(2), graph.before(3)]).toEqual([
    '0-1',
    undefined,
    [1],
    [],
  ])
})

test('another reason takes the place of the known one, and not in a copy', () => {
  const graph = graphOf(2, [0, 1])
  const copy = graph.copy<number>()
  copy.add(0, 1, 7)
  expect([graph.why(0, 1), copy.why(0, 1)]).toEqual(['0-1', 7])
})

test('every node comes after those that it waits for, otherwise in the given order', () => {
  expect(graphOf(4, [3, 0], [2, 0], [1, 2]).sort()).toEqual({ order: [1, 2, 3, 0] })
  expect(graphOf(3, [0, 2]).sort([2, 1])).toEqual({ order: [0, 2, 1] })
})

test('a cycle is told without what only leads to it, each node waiting for the next', () => {
  expect(graphOf(4, [1, 0], [2, 1], [3, 2], [1, 3]).sort()).toEqual({ cycle: [1, 2, 3] })
})
