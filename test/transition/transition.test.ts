import { expect, test } from 'vitest'
import type { ObservedState } from '../../src/model/variable-set.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { planOf, printed } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { performedOn, viewOf } from './oracle.ts'

const workspaces = ['ws-1'] as const
const hidden = { hidden: true } as const
const global = true

/** `env/X nothing, delete-variable a env/X .. create-variable b env/X, slot` */
const gapsOf = ({ facts }: Plan): string[] =>
  facts.transition.gaps.map(
    ({ key, seen, between, why }) => `${key} ${seen?.set ?? 'nothing'}, ${between.join(' .. ')}, ${why}`,
  )

test('a variable that moves between sets is created before it is deleted', () => {
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

test('changes that no workspace would see are not ordered', () => {
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

test('removing a secret waits for nothing, and the gap is listed', () => {
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

test('a rename that changes precedence comes after the change of the value that it reveals', () => {
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

test('a new set is created after a new set that overrides it', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { global, variables: { 'env/X': 'weak' } }),
      aSet('b', { workspaces, variables: { 'env/X': 'strong' } }),
    ),
    anObservedState(),
  )
  expect(printed(plan)).toEqual(['create-set b', 'create-set a  after create-set b'])
})

test('the replacement of a variable is a gap', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { workspaces, variables: { 'env/X': 'readable' } })),
    anObservedState(anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } })),
  )
  expect(gapsOf(plan)).toEqual(['env/X nothing, delete-variable a env/X .. create-variable a env/X, slot'])
})

test('if a value is missing twice, two gaps are listed, each with its steps', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { global, workspaces: [], variables: { 'env/X': 'readable' } })),
    anObservedState(anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } })),
  )
  expect(gapsOf(plan)).toEqual([
    'env/X nothing, delete-variable a env/X .. create-variable a env/X, slot',
    'env/X nothing, unassign a workspaces .. update-set a, slot',
  ])
})

/** What `ws-1` sees first and after each step, in the order of the plan. */
function seen({ steps }: Plan, observed: ObservedState): string[] {
  let { sets }: Pick<ObservedState, 'sets'> = observed
  const show = (): string =>
    [...viewOf(sets, [['ws-1', undefined]])]
      .map(([place, { value, set }]) => `${place.slice('ws-1 env/'.length)} ${value} of ${set}`)
      .toSorted()
      .join(', ')
      .replaceAll('false ', '')
      .replaceAll('varset-', '')
      .replaceAll(/secret \S+ \S+/g, 'a secret')
  return [
    show(),
    ...steps.map(({ id, operation }) => {
      sets = performedOn(sets, operation)
      return `${id}: ${show()}`
    }),
  ]
}

/** `a` becomes `z`, weaker than `q` and `m`, and gets Y, which `m` had. `m` is unassigned from the workspace. */
const renamed = (ofM: Readonly<Record<string, string | typeof hidden>>) => {
  const observed = anObservedState(
    anObserved('a', 'a', { workspaces, variables: { 'env/X': 'old' } }),
    anObserved('m', 'm', { workspaces, variables: ofM }),
    anObserved('q', 'q', { workspaces, variables: { 'env/X': 'new' } }),
  )
  const z = { 'env/X': 'old', 'env/Y': 'new' }
  const declared = Object.entries(ofM).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : { secret: { name: 'S' } },
  ])
  const desired = aDesiredState(
    aSet('m', { variables: Object.fromEntries(declared), workspaces: [] }),
    aSet('q', { workspaces, variables: { 'env/X': 'new' } }),
    aSet('z', { previousNames: ['a'], workspaces, variables: z }),
  )
  return { plan: planOf(desired, observed), observed }
}

test('a new variable does not wait for the rename of its set', () => {
  const { plan, observed } = renamed({ 'env/X': 'third', 'env/Y': 'old' })
  expect(gapsOf(plan)).toEqual([])
  // The new name would show the third X before `m` is unassigned, and Y would be missing after it.
  expect(seen(plan, observed)).toEqual([
    'X old of a, Y old of m',
    'create-variable z env/Y: X old of a, Y new of a',
    'unassign m workspaces: X old of a, Y new of a',
    'update-set z: X new of q, Y new of a',
  ])
})

test('removing a secret waits for nothing, not even for a variable that takes its place', () => {
  const { plan, observed } = renamed({ 'env/X': 'third', 'env/Y': hidden })
  expect(gapsOf(plan)).toEqual([
    'env/Y nothing, unassign m workspaces .. create-variable z env/Y, revocation',
  ])
  expect(seen(plan, observed)[1]).toBe('unassign m workspaces: X old of a')
})
