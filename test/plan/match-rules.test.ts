import { describe, expect, test } from 'vitest'
import type { ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import { findSets, matchRules } from '../../src/plan/match-rules.ts'
import { anObserved, aSet } from '../support/states.ts'

const [P, Q] = ['prj-1', 'prj-2'] as const

/** `a 1`: the set `a` found `varset-1`; `a 1?2`: it found two. In any order of the declarations. */
function foundIn(
  sets: readonly ResolvedSet[],
  observed: readonly ObservedSet[],
  recorded: Readonly<Record<string, readonly ObservedSet['id'][]>> = {},
): string[] {
  const rules = matchRules(new Set(sets.map(({ name }) => name)), name => recorded[name] ?? [])
  const inOrder = (ordered: readonly ResolvedSet[]): string[] => {
    const { found, unclear, unmatched } = findSets(ordered, rules, observed)
    const left = unmatched.all().map(set => [set])
    return [
      ...[...found].map(([{ name }, set]) => [name, [set]] as const),
      ...[...unclear].map(([{ name }, meant]) => [name, meant] as const),
      ...left.map(meant => ['nothing', meant] as const),
    ]
      .map(([name, meant]) => `${name} ${meant.map(({ id }) => id.slice(7)).join('?')}`)
      .toSorted()
  }
  const forwards = inOrder(sets)
  expect(inOrder(sets.toReversed())).toEqual(forwards)
  return forwards
}

describe('a declared set finds', () => {
  const cases: readonly (readonly [
    string,
    readonly ResolvedSet[],
    readonly ObservedSet[],
    readonly string[],
  ])[] = [
    [
      'the set of its id, whatever its name and owner',
      [aSet('a', { id: 'varset-2' }), aSet('b')],
      [anObserved('1', 'a'), anObserved('2', 'b', { parent: P })],
      ['a 2', 'nothing 1'],
    ],
    [
      'nothing else if its id does not exist',
      [aSet('a', { id: 'varset-9' })],
      [anObserved('1', 'a')],
      ['nothing 1'],
    ],
    [
      'the set of its name and owner',
      [aSet('a', { parent: P })],
      [anObserved('1', 'a'), anObserved('2', 'a', { parent: P }), anObserved('3', 'A', { parent: P })],
      ['a 2', 'nothing 1', 'nothing 3'],
    ],
    ['a set of its name with another owner', [aSet('a', { parent: P })], [anObserved('1', 'a')], ['a 1']],
    [
      'no set that another declaration means more exactly',
      [aSet('a'), aSet('a-p', { serviceName: 'a', parent: P })],
      [anObserved('1', 'a', { parent: P })],
      ['a-p 1'],
    ],
    [
      'the set of its first previous name that exists, with its owner if there is one',
      [aSet('c', { previousNames: ['x', 'a', 'b'], parent: P })],
      [anObserved('1', 'a'), anObserved('2', 'a', { parent: P }), anObserved('3', 'b', { parent: P })],
      ['c 2', 'nothing 1', 'nothing 3'],
    ],
    [
      'a set of its previous name with another owner',
      [aSet('b', { previousNames: ['a'], parent: P })],
      [anObserved('1', 'a')],
      ['b 1'],
    ],
    [
      'its name before its previous name',
      [aSet('b', { previousNames: ['a'] })],
      [anObserved('1', 'a'), anObserved('2', 'b')],
      ['b 2', 'nothing 1'],
    ],
    [
      'no previous name that is declared',
      [aSet('a', { parent: P }), aSet('b', { previousNames: ['a'] })],
      [anObserved('1', 'a'), anObserved('2', 'a', { parent: P })],
      ['a 2', 'nothing 1'],
    ],
    [
      'several of one rule, and then no other rule counts',
      [aSet('b', { previousNames: ['a'], parent: Q })],
      [anObserved('1', 'b'), anObserved('2', 'b', { parent: P }), anObserved('3', 'a', { parent: Q })],
      ['b 1?2', 'nothing 1', 'nothing 2', 'nothing 3'],
    ],
  ]
  test.each(cases)('%s', (_, sets, observed, expected) => {
    expect(foundIn(sets, observed)).toEqual(expected)
  })
})

describe('a declared set that somebody renamed in the service', () => {
  const [x, a, b] = [anObserved('1', 'x'), anObserved('2', 'a'), anObserved('3', 'b')]
  test.each<
    [string, readonly ResolvedSet[], readonly ObservedSet[], Record<string, ObservedSet['id'][]>, string[]]
  >([
    ['is found by its record', [aSet('a')], [x], { a: ['varset-1'] }, ['a 1']],
    ['also if another set has its name now', [aSet('a')], [x, a], { a: ['varset-1'] }, ['a 1', 'nothing 2']],
    [
      'unless it is pinned',
      [aSet('a', { id: 'varset-2' })],
      [x, a],
      { a: ['varset-1'] },
      ['a 2', 'nothing 1'],
    ],
    ['unless its owner is another', [aSet('a', { parent: P })], [x], { a: ['varset-1'] }, ['nothing 1']],
    ['unless it is gone', [aSet('a')], [b], { a: ['varset-1'] }, ['nothing 3']],
    [
      'and that has the name of another one, which was renamed as well',
      [aSet('a'), aSet('b')],
      [a, b],
      { a: ['varset-3'], b: ['varset-2'] },
      ['a 3', 'b 2'],
    ],
    ['unless a file has its new name', [aSet('x')], [x], { a: ['varset-1'] }, ['x 1']],
  ])('%s', (_, sets, observed, recorded, found) => {
    expect(foundIn(sets, observed, recorded)).toEqual(found)
  })
})
