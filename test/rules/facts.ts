import { type Asked, EVERYTHING, type Facts, factTable } from '../../src/rules/table.ts'
import type { FactOf } from '../../src/rules/vocabulary.ts'

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

interface Given {
  readonly plan?: Partial<FactOf<'Plan'>>
  readonly sets?: readonly FactOf<'Set'>[]
  readonly exposures?: readonly FactOf<'Exposure'>[]
  readonly effects?: readonly FactOf<'Effect'>[]
}

export function factsWith(
  { plan, sets = [], exposures = [], effects = [] }: Given,
  asked: Asked = EVERYTHING,
): Facts {
  const whole: Record<string, unknown> = {
    organization: 'acme',
    owner: undefined,
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
    ...plan,
  }
  const isAsked = ([field]: readonly [string, unknown]) => asked.Plan?.includes(field)
  const withVariables = asked.Variable === undefined ? [] : sets
  const isColumn = (field: string) => field !== 'variables' && field !== 'deleted'
  return {
    plan: Object.fromEntries(Object.entries(whole).filter(isAsked)),
    sets: factTable('Set', sets, { Set: ['name', ...(asked.Set ?? [])].filter(isColumn) }),
    variables: factTable(
      'Variable',
      withVariables.flatMap(set => [...set.variables, ...set.deleted]),
      asked,
    ),
    stay: Uint32Array.from(withVariables, ({ variables }) => variables.length),
    go: Uint32Array.from(withVariables, ({ deleted }) => deleted.length),
    exposures: factTable('Exposure', exposures, asked),
    effects: factTable('Effect', effects, asked),
  }
}
