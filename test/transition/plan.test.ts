import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPlan } from '../../src/plan/create.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { judgeClaim } from '../../src/plan/reviewed.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { DIRECTORY, transition } from './moves.ts'

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

const isSplit = ({ steps }: Plan): boolean => steps.some(({ id }) => /\((?:name|variables)\)$/.test(id))

test('what is known of workspaces changes the order of a plan, and its digest only where an update is split', () => {
  let [plans, orders] = [0, 0]
  fc.assert(
    fc.property(transition, ({ desired, observed, only }) => {
      const planWith = (directory: typeof desired.directory) =>
        createPlan({ ...desired, directory }, observed, { ...OPTIONS, only }).value
      const known = planWith(DIRECTORY)
      const unknown = planWith({ workspaces: [], projects: [] })
      if (known === undefined || unknown === undefined || isSplit(known) || isSplit(unknown)) return
      expect(known.digest).toBe(unknown.digest)
      expect(judgeClaim(unknown, known, observed)).toEqual({ conflicts: [], done: [] })
      const afterOf = ({ steps }: Plan) => JSON.stringify(steps.map(({ id, after }) => [id, after]))
      plans++
      if (afterOf(known) !== afterOf(unknown)) orders++
    }),
    { numRuns: 120, seed: 7 },
  )
  expect(plans).toBeGreaterThan(50)
  expect(orders).toBeGreaterThan(4)
})
