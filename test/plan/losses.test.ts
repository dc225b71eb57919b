import { describe, expect, test } from 'vitest'
import type { WorkspaceId } from '../../src/model/ids.ts'
import type { Directory, ObservedSet, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const global = true
const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)
const ids = (count: number): WorkspaceId[] =>
  numbered(count).map(at => `ws-${String(at).padStart(2, '0')}` as const)
const keys = (count: number, from = 0) =>
  Object.fromEntries(numbered(count).map(at => [`env/K${from + at}`, 'x']))

/** Forty workspaces, twenty in each of two projects. */
const FORTY: Directory = {
  workspaces: ids(40).map((id, at) => ({ id, name: id.slice(3), project: at < 20 ? 'prj-a' : 'prj-b' })),
  projects: [
    { id: 'prj-a', name: 'a' },
    { id: 'prj-b', name: 'b' },
  ],
  whole: ['workspaces', 'projects'],
  membersOf: ['prj-a', 'prj-b'],
}
/** A token that is told projects and no workspaces. */
const UNTOLD: Directory = { workspaces: [], projects: FORTY.projects }

const blocksOf = (
  desired: readonly ResolvedSet[],
  observed: readonly ObservedSet[],
  { removed = [], directory = FORTY }: { removed?: readonly string[]; directory?: Directory } = {},
) => {
  const state: ResolvedState = {
    ...aDesiredState(...desired),
    directory,
    removed: removed.map(name => ({ name, source: { ...SOMEWHERE, line: 9 } })),
  }
  const { blocks } = planOf(state, anObservedState(...observed))
  return blocks.filter(({ code }) => code === 'loses-values')
}
const losing = (...given: Parameters<typeof blocksOf>): string[] =>
  blocksOf(...given).map(({ item, message }) => `${item.set ?? 'plan'}: ${message}`)

/** Everybody keeps something, so that nobody loses everything. */
const KEPT = { variables: { 'env/KEPT': 'x' }, workspaces: ids(40) }
const kept = () => [aSet('kept', KEPT)]
const keptThere = () => [anObserved('9', 'kept', KEPT)]

describe('every way of taking values away is one measure', () => {
  const BASE = { variables: keys(3) }
  const all = { projects: ['prj-a', 'prj-b'] as const }
  const THREE = 'K0, K1, K2'
  test.each<
    [string, Omit<Partial<ResolvedSet>, 'variables'> | undefined, Parameters<typeof anObserved>[2], string]
  >([
    [
      'the line `global: true`',
      {},
      { ...BASE, global },
      `"base" no longer reaches every workspace, and 40 workspaces lose ${THREE}, which nothing else gives.`,
    ],
    [
      '`projects: []`',
      { projects: [] },
      { ...BASE, projects: [...all.projects] },
      `"base" no longer reaches 2 projects, and 40 workspaces lose ${THREE}, which nothing else gives.`,
    ],
    [
      'another project',
      { projects: ['prj-b'] },
      { ...BASE, projects: ['prj-a'] },
      `"base" no longer reaches a project, and 20 workspaces lose ${THREE}, which nothing else gives.`,
    ],
    [
      '`global` instead for one project',
      { projects: ['prj-b'] },
      { ...BASE, global },
      `"base" no longer reaches every workspace, and 20 workspaces lose ${THREE}, which nothing else gives.`,
    ],
    [
      'workspaces',
      { workspaces: ids(2) },
      { ...BASE, workspaces: ids(4) },
      `2 workspaces lose ${THREE}, which nothing else gives: 6 of the 12 values that "base" gives; more than 30 % need a review.`,
    ],
    [
      'the set',
      undefined,
      { ...BASE, workspaces: ids(4) },
      `4 workspaces lose ${THREE}, which nothing else gives: 12 of the 12 values that "base" gives; more than 30 % need a review.`,
    ],
  ])('%s', (_, head, there, message) => {
    const desired = head === undefined ? kept() : [...kept(), aSet('base', { ...BASE, ...head })]
    const removed = head === undefined ? ['base'] : []
    expect(losing(desired, [...keptThere(), anObserved('1', 'base', there)], { removed })).toEqual([
      `base: ${message}`,
    ])
  })

  test('is told at the line of the set, or at the one that removes it', () => {
    const there = [...keptThere(), anObserved('1', 'base', { ...BASE, global })]
    const linesOf = (...given: Parameters<typeof blocksOf>) =>
      blocksOf(...given).map(({ source }) => source?.line)
    expect(linesOf([...kept(), aSet('base', BASE)], there)).toEqual([1])
    expect(linesOf(kept(), there, { removed: ['base'] })).toEqual([9])
  })

  test('variables, and ways mixed in one set', () => {
    const there = anObserved('1', 'base', { variables: keys(10), workspaces: ids(10) })
    const after = (variables: number, workspaces: number) =>
      losing(
        [...kept(), aSet('base', { variables: keys(variables), workspaces: ids(workspaces) })],
        [...keptThere(), there],
      )
    expect(after(7, 10)).toEqual([])
    expect(after(6, 10)).toEqual([expect.stringContaining('40 of the 100 values')])
    expect(after(10, 7)).toEqual([])
    expect(after(9, 8)).toEqual([])
    expect(after(8, 8)).toEqual([expect.stringContaining('36 of the 100 values')])
  })

  test('from ten values up, and what other sets override was not given', () => {
    const shape = { variables: keys(9), workspaces: ids(1) }
    expect(
      losing([...kept()], [...keptThere(), anObserved('1', 'base', shape)], { removed: ['base'] }),
    ).toEqual([])
    const strong = { priority: true, variables: keys(7), workspaces: ids(4) }
    const weak = (count: number, from: number) => ({ variables: keys(count, from), workspaces: ids(4) })
    expect(
      losing(
        [...kept(), aSet('strong', strong), aSet('weak', weak(8, 0))],
        [...keptThere(), anObserved('1', 'strong', strong), anObserved('2', 'weak', weak(10, 0))],
      ),
    ).toEqual([
      expect.stringContaining('weak: 4 workspaces lose K8, K9, which nothing else gives: 8 of the 12 values'),
    ])
  })

  test('Stacks, which read each set by itself', () => {
    const stacks = ['st-1', 'st-2', 'st-3', 'st-4'] as const
    const shape = { variables: keys(3) }
    expect(
      losing(
        [
          ...kept(),
          aSet('base', { ...shape, stacks: ['st-1'] }),
          aSet('same', { ...shape, stacks: ['st-1'] }),
        ],
        [
          ...keptThere(),
          anObserved('1', 'base', { ...shape, stacks: [...stacks] }),
          anObserved('2', 'same', { ...shape, stacks: ['st-1'] }),
        ],
      ),
    ).toEqual([
      'base: 3 Stacks lose K0, K1, K2, which nothing else gives: 9 of the 12 values that "base" gives; more than 30 % need a review.',
      'plan: 3 Stacks lose everything that the files gave them.',
    ])
  })

  test('a token that is told no workspaces counts projects and everybody else', () => {
    const desired = [aSet('base', { variables: keys(3), projects: [] })]
    expect(
      losing(desired, [anObserved('1', 'base', { global, variables: keys(3) })], { directory: UNTOLD }),
    ).toEqual([expect.stringContaining('no longer reaches every workspace, and all others lose')])
    expect(
      losing(desired, [anObserved('1', 'base', { projects: ['prj-a'], variables: keys(3) })], {
        directory: UNTOLD,
      }),
    ).toEqual([expect.stringContaining('and the workspaces of 1 project lose')])
  })
})

describe('workspaces that lose everything', () => {
  const SMALL = { variables: keys(1) }
  const after = (kept: number) =>
    losing(
      [aSet('a', { ...SMALL, workspaces: ids(40).slice(40 - kept) })],
      [anObserved('1', 'a', { ...SMALL, workspaces: ids(40) })],
    )
  test('three are blocked, fewer are told', () => {
    expect(after(38)).toEqual([])
    expect(after(37)).toEqual(['plan: 3 workspaces lose everything that the files gave them: 00, 01, 02.'])
  })
  test('who keeps a set of ours, or one of another key, does not', () => {
    const other = { variables: keys(1, 5), workspaces: ids(2) }
    expect(
      losing(
        [aSet('a', { ...SMALL, workspaces: ids(40).slice(3) }), aSet('b', other)],
        [anObserved('1', 'a', { ...SMALL, workspaces: ids(40) }), anObserved('2', 'b', other)],
      ),
    ).toEqual([])
  })
  test('a set of others does not count as ours', () => {
    expect(
      losing(
        [aSet('a', { ...SMALL, workspaces: ids(40).slice(3) })],
        [
          anObserved('1', 'a', { ...SMALL, workspaces: ids(40) }),
          anObserved('2', 'theirs', { variables: keys(1, 5), workspaces: ids(40) }),
        ],
      ),
    ).toEqual([expect.stringContaining('plan: 3 workspaces')])
  })
})

describe('a clean-up does not block', () => {
  test('a retired workspace is taken out of all its sets', () => {
    const shape = (workspaces: WorkspaceId[]) => ({ variables: keys(5), workspaces })
    const names = ['a', 'b', 'c']
    expect(
      losing(
        names.map((name, at) => aSet(name, { ...shape(ids(40).slice(1)), variables: keys(5, at * 5) })),
        names.map((name, at) => anObserved(name, name, { ...shape(ids(40)), variables: keys(5, at * 5) })),
      ),
    ).toEqual([])
  })
  test('a key moves to another set', () => {
    expect(
      losing(
        [
          aSet('a', { workspaces: ids(40), variables: {} }),
          aSet('b', { workspaces: ids(40), variables: keys(10) }),
        ],
        [
          anObserved('1', 'a', { workspaces: ids(40), variables: keys(10) }),
          anObserved('2', 'b', { workspaces: ids(40) }),
        ],
      ),
    ).toEqual([])
  })
  test('a set is split', () => {
    expect(
      losing(
        [
          aSet('a', { workspaces: ids(40), variables: keys(3) }),
          aSet('b', { workspaces: ids(40).slice(0, 20), variables: keys(7, 3) }),
          aSet('c', { workspaces: ids(40).slice(20), variables: keys(7, 3) }),
        ],
        [anObserved('1', 'a', { workspaces: ids(40), variables: keys(10) })],
      ),
    ).toEqual([])
  })
  test.each<[string, Directory]>([
    ['told', FORTY],
    ['projects told only', { ...UNTOLD, whole: ['projects'] }],
  ])('`global` becomes all projects, %s', (_, directory) => {
    expect(
      losing(
        [aSet('a', { projects: ['prj-a', 'prj-b'], variables: keys(10) })],
        [anObserved('1', 'a', { global, variables: keys(10) })],
        { directory },
      ),
    ).toEqual([])
  })
  test('a deleted set whose values others give', () => {
    expect(
      losing(
        [aSet('b', { global, variables: keys(10) })],
        [
          anObserved('1', 'a', { workspaces: ids(40), variables: keys(10) }),
          anObserved('2', 'b', { global, variables: keys(10) }),
        ],
        { removed: ['a'] },
      ),
    ).toEqual([])
  })
})
