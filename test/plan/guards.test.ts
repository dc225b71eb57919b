import { expect, test } from 'vitest'
import type { Received } from '../../src/plan/effective/effect.ts'
import { checkGapsKnown } from '../../src/plan/guards.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const set = { variables: { 'env/A': '1' }, global: true }
const files = aDesiredState(aSet('a', { ...set, description: 'new' }), aSet('b', { global: true }))
const live = anObservedState(anObserved('1', 'a', { ...set, variables: { 'env/A': '2' } }))
const { steps, facts } = planOf(files, live)
const [group] = facts.received.groups

function found(change: Partial<Received>, most = steps.length): string[] {
  const received = { ...facts.received, ...change }
  return checkGapsKnown(steps.slice(0, most), received, { ...files.guards, gaps: 'forbid' }).map(
    ({ code }) => code,
  )
}

test('forbidden gaps need to know who sees the change of even one group', () => {
  if (group === undefined) throw new TypeError('nobody sees a change')
  const one = { groups: [group] }
  expect(found({ ...one, level: 'projects' })).toEqual(['unknown-audience'])
  expect(found({ ...one, level: 'workspaces', withoutProject: 1 })).toEqual(['unknown-audience'])
  expect(found({ ...one, level: 'workspaces', withoutProject: 0 })).toEqual([])
  expect(found({ groups: [], level: 'projects' })).toEqual([])
  expect(found({ ...one, level: 'projects' }, 1)).toEqual([])
})
