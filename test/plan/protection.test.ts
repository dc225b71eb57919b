import { expect, test } from 'vitest'
import type { ResolvedSet } from '../../src/model/variable-set.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const guards = { deletions: 30, losses: 30, protect: ['core*'] }
const files = (...sets: readonly ResolvedSet[]) => ({ ...aDesiredState(...sets), guards })
const blocks = (...args: Parameters<typeof planOf>) => planOf(...args).blocks.map(({ message }) => message)
const LEFT = '"core" is protected, and would no longer be under its new name "old-core".'

test('a rename out of guards.protect is blocked, by a previous name and by an id', () => {
  const observed = anObservedState(anObserved('1', 'core'))
  expect(blocks(files(aSet('old-core', { previousNames: ['core'] })), observed)).toEqual([LEFT])
  expect(blocks(files(aSet('old-core', { id: 'varset-1' })), observed)).toEqual([LEFT])
})

test('with a base it is a loosened setting as well, also if the change removes the pattern', () => {
  const observed = anObservedState(anObserved('1', 'core'))
  const base = { ref: 'main', commit: 'c0ffee', desired: files(aSet('core')) }
  const head = aDesiredState(aSet('old-core', { previousNames: ['core'] }))
  const plan = planOf(head, observed, { base })
  expect(plan.blocks.map(({ code }) => code)).toEqual(['protected-name'])
  expect(plan.facts.base?.loosened).toContainEqual({
    setting: 'guards.protect',
    base: '"core"',
    head: '"old-core", which is not protected',
  })
})

test('a rename within guards.protect is not, and neither is one of a set that was not protected', () => {
  const observed = anObservedState(anObserved('1', 'core'), anObserved('2', 'b'))
  const sets = [aSet('core-2', { previousNames: ['core'] }), aSet('c', { previousNames: ['b'] })]
  expect(blocks(files(...sets), observed)).toEqual([])
})

test('a set that is protected by its id keeps its protection under any name', () => {
  const byId = {
    ...aDesiredState(aSet('x', { previousNames: ['core'] })),
    guards: { deletions: 30, losses: 30, protect: ['varset-1'] },
  }
  expect(blocks(byId, anObservedState(anObserved('1', 'core')))).toEqual([])
})

test('a set that has a protected name in the service keeps its protection under any key', () => {
  const owned = { parent: 'prj-1' as const }
  const keyed = files(aSet('x', { ...owned, serviceName: 'core' }))
  expect(blocks(keyed, anObservedState(anObserved('1', 'core', owned)))).toEqual([])
})

test('a set is protected by its name also where reports add its id', () => {
  const named = { ...guards, protect: ['core'] }
  const removing = {
    ...files(aSet('core')),
    guards: named,
    removed: [{ id: 'varset-2' as const, source: SOMEWHERE }],
  }
  const observed = anObservedState(anObserved('1', 'core'), anObserved('2', 'core', { parent: 'prj-1' }))
  expect(blocks(removing, observed)).toEqual(['"core (varset-2)" is protected and would be deleted.'])
})
