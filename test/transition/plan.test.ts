import { expect, test } from 'vitest'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

test('a gap names every workspace', () => {
  const global = true
  const workspaces = Array.from({ length: 60 }, (_, at) => ({
    id: `ws-${String(at).padStart(16, '0')}` as const,
    name: `w-${at}`,
    project: 'p',
  }))
  const directory = { workspaces, projects: [], live: ['workspaces'] } as const
  const plan = planOf(
    {
      ...aDesiredState(aSet('a', { global }), aSet('b', { global, variables: { 'env/X': '1' } })),
      directory,
    },
    anObservedState(
      anObserved('1', 'a', { global, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { global }),
    ),
  )
  const [gap] = plan.facts.transition.gaps
  expect(gap?.workspaces).toHaveLength(60)
  expect(gap?.count).toBe(60)
  expect(plan.facts.transition).toMatchObject({ workspaces: 60, seeing: 60, left: 0 })
})
