import { expect, test } from 'vitest'
import type { PlanOptions } from '../../../src/plan/create.ts'
import { planOf } from '../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'

const here = { workspaces: ['ws-1' as const] }
const ours = { ...here, variables: { 'env/K': '1' } }
const stronger = { ...here, priority: true, variables: { 'env/K': '2' } }
const live = anObservedState(anObserved('1', 'a', ours), anObserved('2', 'b', stronger))

/** Who overrides what. */
const overrides = (files: Parameters<typeof planOf>[0], options: Partial<PlanOptions> = {}) =>
  planOf(files, live, options).facts.findings.map(one =>
    one.kind === 'overridden' ? `${one.set} ${one.key} by ${one.by.set}` : one.kind,
  )

test('a set that no file mentions overrides ours, and one outside of the selection is not spoken of', () => {
  const both = aDesiredState(aSet('a', ours), aSet('b', stronger))
  expect(overrides(aDesiredState(aSet('a', ours)))).toEqual(['a env/K by b'])
  expect(overrides(both)).toEqual([])
  expect(overrides(both, { only: ['a'] })).toEqual([])
})

test.each([
  ['an equal value', { ...stronger, variables: { 'env/K': '1' } }, []],
  ['other workspaces', { ...stronger, workspaces: ['ws-2' as const] }, []],
  ['another key', { ...stronger, variables: { 'env/L': '2' } }, []],
  ['less strength', { ...stronger, priority: false, workspaces: [], global: true }, []],
  ['a name that comes first', { ...stronger, priority: false }, ['a env/K by 0']],
] as const)('whether ours is overridden by a set with %s', (_, other, found) => {
  const plan = planOf(
    aDesiredState(aSet('a', ours)),
    anObservedState(anObserved('1', 'a', ours), anObserved('2', '0', other)),
  )
  expect(
    plan.facts.findings.map(one =>
      one.kind === 'overridden' ? `${one.set} ${one.key} by ${one.by.set}` : one.kind,
    ),
  ).toEqual(found)
})
