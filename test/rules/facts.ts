import { type Facts, factTable, tableOf } from '../../src/rules/table.ts'
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

export function factsWith({ plan, sets = [], exposures = [], effects = [] }: Given): Facts {
  const whole: FactOf<'Plan'> = {
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
    ...plan,
  }
  const numbers = tableOf([sets], {
    stay: ({ variables }) => variables.length,
    go: ({ deleted }) => deleted.length,
  })
  const columns = factTable('Set', sets)
  const tables = {
    Plan: factTable('Plan', [whole]),
    Set: {
      size: sets.length,
      column: (field: string) =>
        field === 'variables' || field === 'deleted'
          ? undefined
          : (numbers.column(field) ?? columns.column(field)),
    },
    Variable: factTable(
      'Variable',
      sets.flatMap(set => [...set.variables, ...set.deleted]),
    ),
    Exposure: factTable('Exposure', exposures),
    Effect: factTable('Effect', effects),
  }
  return name => tables[name]
}
