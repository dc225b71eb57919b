import { expect, test } from 'vitest'
import { readableSets } from '../../../src/plan/effective/explain-variables.ts'
import { matchStates } from '../../../src/plan/match-states.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'
import { STACKS } from '../../support/world.ts'

test('a set whose key in the files differs from its name in the service is one set for a Stack', () => {
  const [stack] = STACKS
  const shape = { variables: { 'env/A': '1' }, stacks: [stack] }
  const desired = aDesiredState(aSet('tokens of core', { serviceName: 'tokens', ...shape }))
  const observed = anObservedState(anObserved('1', 'tokens', shape))
  const { match } = matchStates(desired, observed, [])
  expect(readableSets({ id: stack }, observed, match, 'difference')).toEqual([
    { set: 'tokens of core', change: 'same', ways: ['stack'], variables: [{ key: 'env/A' }] },
  ])
})
