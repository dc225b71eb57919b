import type {
  PlannedEffect,
  PlannedExposure,
  PlannedSet,
  PlannedState,
  PlannedVariable,
} from '../../src/model/planned.gen.ts'

/** A set with defaults, for plans that a test writes by hand. */
export const aSet = (set: Partial<PlannedSet> & { readonly name: string }): PlannedSet => ({
  action: 'none',
  description: '',
  global: false,
  priority: false,
  projectOwned: false,
  workspaces: [],
  projects: [],
  stacks: [],
  variables: [],
  deleted: [],
  ...set,
})

export const aVariable = (
  variable: Partial<PlannedVariable> & { readonly key: string },
): PlannedVariable => ({
  set: 'a',
  category: 'env',
  action: 'none',
  description: '',
  hcl: false,
  sensitive: false,
  external: false,
  accept: [],
  hidden: false,
  ...variable,
})

export const anExposure = (exposure: Partial<PlannedExposure>): PlannedExposure => ({
  kind: 'secret',
  set: 'a',
  keys: [],
  secrets: [],
  everywhere: false,
  workspaces: [],
  projects: [],
  stacks: [],
  ...exposure,
})

export const anEffect = (effect: Partial<PlannedEffect>): PlannedEffect => ({
  kind: 'changed',
  key: 'A',
  category: 'env',
  everywhere: false,
  ...effect,
})

/** What a plan leads to. */
export const planned = (state: Partial<PlannedState>): PlannedState => ({
  organization: 'acme',
  changes: 0,
  creates: 0,
  updates: 0,
  deletes: 0,
  assigns: 0,
  unassigns: 0,
  affected: 0,
  everywhere: false,
  drift: 0,
  blocked: false,
  selected: false,
  gaps: [],
  sets: [],
  exposures: [],
  effects: [],
  workspaces: [],
  groups: [],
  ...state,
})
