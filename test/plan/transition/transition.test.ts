import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPlan } from '../../../src/plan/create.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { compareReviewed, digestOf } from '../../../src/plan/reviewed-plan.ts'
import { transition } from '../../proof/transition/moves.ts'
import { OPTIONS, planOf } from '../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'
import { DIRECTORY } from '../../support/world.ts'

test('a gap lists all its workspaces', () => {
  const global = true
  const workspaces = Array.from({ length: 60 }, (_, at) => ({
    id: `ws-${String(at).padStart(16, '0')}` as const,
    name: `w-${at}`,
  }))
  const directory = { workspaces, projects: [], whole: ['workspaces'] } as const
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

test('known workspaces may change the order of a plan, and what is measured at them, but nothing else of its digest', () => {
  let [plans, orders] = [0, 0]
  const some = { ...DIRECTORY, workspaces: DIRECTORY.workspaces.slice(1), whole: [] }
  fc.assert(
    fc.property(transition, ({ desired, observed, only }) => {
      const planWith = (directory: typeof desired.directory) =>
        createPlan({ ...desired, directory }, observed, { ...OPTIONS, only }).value
      const known = planWith(DIRECTORY)
      const others = [planWith({ workspaces: [], projects: [] }), planWith(some)]
      if (known === undefined) return
      const unmeasured = (plan: Plan) =>
        digestOf({ ...plan, blocks: plan.blocks.filter(({ code }) => code !== 'loses-values') })
      const afterOf = ({ steps }: Plan) => JSON.stringify(steps.map(({ id, after }) => [id, after]))
      for (const plan of others) {
        if (plan === undefined) throw new Error('no plan')
        expect(unmeasured(plan)).toBe(unmeasured(known))
        expect(compareReviewed([plan], known, observed)).toEqual({ conflicts: [], done: [] })
        if (afterOf(known) !== afterOf(plan)) orders++
      }
      plans++
    }),
    { numRuns: 200, seed: 7 },
  )
  expect(plans).toBeGreaterThan(100)
  expect(orders).toBeGreaterThan(10)
})
