import { expect, test } from 'vitest'
import type { Plan } from '../../src/plan/plan.ts'
import { planOf, printed } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const workspaces = ['ws-1'] as const
const hidden = { hidden: true } as const
const global = true

/** `env/X nothing, delete-variable a env/X .. create-variable b env/X, slot` */
const gapsOf = ({ facts }: Plan): string[] =>
  facts.transition.gaps.map(
    ({ key, seen, between, why }) => `${key} ${seen?.set ?? 'nothing'}, ${between.join(' .. ')}, ${why}`,
  )

test('a variable that moves between sets comes before it goes', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { workspaces }), aSet('b', { workspaces, variables: { 'env/X': '1' } })),
    anObservedState(
      anObserved('1', 'a', { workspaces, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { workspaces }),
    ),
  )
  expect(printed(plan)).toEqual([
    'create-variable b env/X',
    'delete-variable a env/X  after create-variable b env/X',
  ])
  expect(plan.facts.transition).toEqual({ workspaces: 1, seeing: 0, gaps: [], left: 0 })
})

test('what nobody would see is not ordered', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces: ['ws-1'] }),
      aSet('b', { workspaces: ['ws-2'], variables: { 'env/X': '1' } }),
    ),
    anObservedState(
      anObserved('1', 'a', { workspaces: ['ws-1'], variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { workspaces: ['ws-2'] }),
    ),
  )
  expect(printed(plan)).toEqual(['delete-variable a env/X', 'create-variable b env/X'])
})

test('taking a secret away waits for nothing, and the gap is named', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces: [], variables: { 'env/X': { secret: { name: 'S' } } } }),
      aSet('b', { workspaces, variables: { 'env/X': { secret: { name: 'T' } } } }),
    ),
    anObservedState(
      anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } }),
      anObserved('2', 'b', { variables: { 'env/X': hidden } }),
    ),
  )
  expect(printed(plan)).toEqual(['unassign a workspaces', 'assign b workspaces'])
  expect(gapsOf(plan)).toEqual(['env/X nothing, unassign a workspaces .. assign b workspaces, revocation'])
})

test('a name that decides who wins changes after the value that it shows', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { previousNames: ['z'], workspaces, variables: { 'env/X': 'new' } }),
      aSet('m', { workspaces, variables: { 'env/X': 'old' } }),
    ),
    anObservedState(
      anObserved('1', 'z', { workspaces, variables: { 'env/X': 'third' } }),
      anObserved('2', 'm', { workspaces, variables: { 'env/X': 'old' } }),
    ),
  )
  expect(printed(plan)).toEqual(['update-variable a env/X', 'update-set a  after update-variable a env/X'])
  expect(gapsOf(plan)).toEqual([])
})

test('a set that a stronger one overrides is created after that one', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { global, variables: { 'env/X': 'weak' } }),
      aSet('b', { workspaces, variables: { 'env/X': 'strong' } }),
    ),
    anObservedState(),
  )
  expect(printed(plan)).toEqual(['create-set b', 'create-set a  after create-set b'])
})

test("a variable that is replaced is in nobody's set for a moment", () => {
  const plan = planOf(
    aDesiredState(aSet('a', { workspaces, variables: { 'env/X': 'readable' } })),
    anObservedState(anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } })),
  )
  expect(gapsOf(plan)).toEqual(['env/X nothing, delete-variable a env/X .. create-variable a env/X, slot'])
})
