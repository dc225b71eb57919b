import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Directory } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'
import { PROJECTS, WORKSPACES } from '../support/world.ts'
import { allGaps, namedGaps, type Places } from './oracle.ts'

const DIRECTORY: Directory = {
  workspaces: WORKSPACES.map((id, i) => ({
    id,
    name: `workspace-${i + 1}`,
    project: `project-${(i % 2) + 1}`,
  })),
  projects: PROJECTS.map((id, i) => ({ id, name: `project-${i + 1}` })),
}
const PLACES: Places = WORKSPACES.map((id, i) => [id, PROJECTS[i % 2]])

test('a plan names exactly what a naive reading of every permitted moment finds', () => {
  let looked = 0
  let gaps = 0
  let withGaps = 0
  fc.assert(
    fc.property(pairOfStates, ({ desired, observed }) => {
      const { value: plan } = createPlan({ ...desired, directory: DIRECTORY }, observed, OPTIONS)
      if (plan === undefined || plan.steps.length > 9) return
      const found = allGaps(observed, plan, PLACES)
      expect(namedGaps(plan)).toEqual(found)
      looked++
      gaps += found.length
      withGaps += Number(found.length > 0)
    }),
    { numRuns: 1000, seed: 5 },
  )
  expect([looked > 500, gaps > 500, withGaps > 100]).toEqual([true, true, true])
})
