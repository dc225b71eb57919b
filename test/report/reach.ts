import type { Reach, SetReach, SetScope } from '../../src/plan/reach.ts'

export const scope = (others: Partial<SetScope> = {}): SetScope => ({
  global: false,
  priority: false,
  workspaces: [],
  projects: [],
  ...others,
})

export const aReach = (sets: readonly SetReach[], others: Partial<Omit<Reach, 'sets'>> = {}): Reach => ({
  sets,
  names: {},
  projectOf: {},
  ...others,
})
