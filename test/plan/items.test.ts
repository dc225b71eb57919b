import { expect, test } from 'vitest'
import { createPlan } from '../../src/plan/create.ts'
import { duplicatesIfResent, repeats } from '../../src/plan/items.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

test('sending an operation twice would duplicate new sets and new variables', () => {
  const [one, two] = [{ text: '1' }, { text: '2' }]
  const desired = {
    ...aDesiredState(
      aSet('new', { variables: { 'env/A': one } }),
      aSet('one', { variables: { 'env/A': two, 'env/B': one }, workspaces: ['ws-AAAAAAAAAAAAAAA1'] }),
      aSet('two', { variables: { 'env/B': one, 'env/C': one } }),
      aSet('set', { description: 'new' }),
    ),
    removed: [{ name: 'gone', source: SOMEWHERE }],
  }
  const observed = anObservedState(
    anObserved('1', 'one', { variables: { 'env/A': one, 'env/Z': one } }),
    anObserved('2', 'two'),
    anObserved('3', 'set'),
    anObserved('4', 'gone'),
  )
  const steps = createPlan(desired, observed, OPTIONS).value?.steps ?? []
  const made = (isNew: boolean) =>
    steps.flatMap(({ id, operation }) => (duplicatesIfResent(operation) === isNew ? [id] : [])).sort()
  expect(made(true)).toEqual([
    'create-set new',
    'create-variable one env/B',
    'create-variable two env/B',
    'create-variable two env/C',
  ])
  expect(made(false)).toEqual([
    'assign one workspaces',
    'delete-set gone',
    'delete-variable one env/Z',
    'update-set set',
    'update-variable one env/A',
  ])
})

test('an assignment is repeated by the same assignment of some of its workspaces, and by no other', () => {
  const [one, two] = ['ws-AAAAAAAAAAAAAAA1', 'ws-AAAAAAAAAAAAAAA2'] as const
  const from = (before: (typeof one | typeof two)[], after: (typeof one | typeof two)[]) => {
    const desired = aDesiredState(aSet('a', { workspaces: after }))
    const observed = anObservedState(anObserved('1', 'a', { workspaces: before }))
    const [step] = createPlan(desired, observed, OPTIONS).value?.steps ?? []
    if (step === undefined) throw new Error('there is no step')
    return step.operation
  }
  const isRepeatedBy = repeats(from([], [one]))
  expect(isRepeatedBy(from([], [one]))).toBe(true)
  expect(isRepeatedBy(from([], [two]))).toBe(false)
  expect(isRepeatedBy(from([], [one, two]))).toBe(false)
  expect(isRepeatedBy(from([one], []))).toBe(false)
  expect(repeats(from([], [one, two]))(from([], [two]))).toBe(true)
})

test('a creation asks again for what was sent to a set of its name, unless that was its deletion', () => {
  const variables = { 'env/A': '1' }
  const observed = anObservedState(anObserved('1', 'a'))
  const operationsOf = (...given: Parameters<typeof createPlan>) =>
    (createPlan(...given).value?.steps ?? []).map(({ operation }) => operation)
  const [created] = operationsOf(aDesiredState(aSet('a')), anObservedState(), OPTIONS)
  const [changed] = operationsOf(aDesiredState(aSet('a', { variables })), observed, OPTIONS)
  const removing = { ...aDesiredState(), removed: [{ name: 'a', source: SOMEWHERE }] }
  const [deleted] = operationsOf(removing, observed, OPTIONS)
  const [other] = operationsOf(aDesiredState(aSet('b')), anObservedState(), OPTIONS)
  if (!(created && changed && deleted && other)) throw new TypeError('each plan has a step')
  expect([created, changed, deleted, other].map(sent => repeats(sent)(created))).toEqual([
    true,
    true,
    false,
    false,
  ])
})
