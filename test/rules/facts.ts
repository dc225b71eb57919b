import type { FactOf, Facts } from '../../src/rules/vocabulary.ts'

/** A set with defaults, for facts that a test writes by hand. */
export const aSet = (set: Partial<FactOf<'Set'>> & { readonly name: string }): FactOf<'Set'> => ({
  action: 'none',
  description: '',
  global: false,
  priority: false,
  workspaces: [],
  projects: [],
  stacks: [],
  variables: [],
  deleted: [],
  ...set,
})

export const aVariable = (
  variable: Partial<FactOf<'Variable'>> & { readonly key: string },
): FactOf<'Variable'> => ({
  set: 'a',
  category: 'env',
  action: 'none',
  description: '',
  hcl: false,
  sensitive: false,
  external: false,
  ...variable,
})

export const factsWith = (
  facts: Partial<Omit<Facts, 'plan'>> & { plan?: Partial<Facts['plan']> },
): Facts => ({
  sets: [],
  exposures: [],
  effects: [],
  ...facts,
  plan: {
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
    ...facts.plan,
  },
})
