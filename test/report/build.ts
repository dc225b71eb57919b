import type { ApplyResult, StepOutcome } from '../../src/apply/outcome.ts'
import type { SourceRange } from '../../src/model/diagnostic.ts'
import { NO_FIELDS, type SetSettings } from '../../src/model/fields.ts'
import type { Targets, VariableKey } from '../../src/model/ids.ts'
import type { DesiredValue, ObservedValue, Variable } from '../../src/model/variable-set.ts'
import { summaryOf } from '../../src/plan/create.ts'
import { secretsSent } from '../../src/plan/items.ts'
import type {
  Assign,
  CreateSet,
  CreateVariable,
  DeleteSet,
  DeleteVariable,
  Operation,
  RewriteReason,
  Unassign,
  UpdateSet,
  UpdateVariable,
} from '../../src/plan/operation.ts'
import type { Plan, PlanFacts, Step } from '../../src/plan/plan-data.ts'
import { secrecyOf, withholdBefore } from '../../src/plan/secrecy.ts'

export const at = (path: string, line: number): SourceRange => ({ path, line, column: 3 })

export const settings = (name: string, others: Partial<SetSettings> = {}): SetSettings => ({
  name,
  description: '',
  global: false,
  priority: false,
  ...others,
})

export const text = (
  key: VariableKey,
  value: string,
  others: Partial<Variable<never>> = {},
): Variable<{ readonly text: string }> => ({
  ...NO_FIELDS,
  ...others,
  key,
  value: { text: value },
})

export const secret = (key: VariableKey, version?: string): Variable<DesiredValue> => ({
  key,
  value: { secret: { name: key.slice(key.indexOf('/') + 1), ...(version === undefined ? {} : { version }) } },
  ...NO_FIELDS,
})

export const hidden = (key: VariableKey, hcl = false): Variable<ObservedValue> => ({
  key,
  value: { hidden: true },
  ...NO_FIELDS,
  hcl,
})

export const external = (key: VariableKey, description = ''): Variable<DesiredValue> => ({
  key,
  value: { external: true },
  ...NO_FIELDS,
  description,
})

export const step = (id: string, operation: Operation, source?: SourceRange, after: string[] = []): Step => ({
  id,
  operation,
  after: after.map(earlier => ({ step: earlier, why: { kind: 'name', name: 'free' } as const })),
  ...(source === undefined ? {} : { source }),
})

/** An id in the form of the service for any set name. */
const idOf = (set: string) => `varset-${set.replace(/[^A-Za-z0-9]/g, '').slice(0, 16)}x` as const

export const subjectOf = (name: string, id: `varset-${string}` = idOf(name)) =>
  ({ kind: 'variable-set', name, id }) as const

export const createSet = (set: string, after: Partial<CreateSet['after']>): CreateSet => ({
  type: 'create-set',
  subject: { kind: 'variable-set', name: set },
  after: { ...settings(set), variables: [], workspaces: [], projects: [], ...after },
})

export const deleteSet = (set: string, before: Partial<DeleteSet['before']>): DeleteSet => ({
  type: 'delete-set',
  subject: subjectOf(set),
  before: { ...settings(set), variables: [], workspaces: [], projects: [], ...before },
})

export const updateSet = (before: SetSettings, after: SetSettings): UpdateSet => ({
  type: 'update-set',
  subject: subjectOf(after.name),
  before,
  after,
})

export const create = (set: string, after: Variable<DesiredValue>, replaces = false): CreateVariable => ({
  type: 'create-variable',
  subject: subjectOf(set),
  after,
  replaces,
})

export const update = (
  set: string,
  before: Variable<ObservedValue>,
  after: Variable<DesiredValue>,
  rewrite?: RewriteReason,
): UpdateVariable => ({
  type: 'update-variable',
  subject: subjectOf(set),
  variableId: 'var-1',
  before,
  after,
  ...(rewrite && { rewrite }),
})

export const remove = (set: string, before: Variable<ObservedValue>, replaced = false): DeleteVariable => ({
  type: 'delete-variable',
  subject: subjectOf(set),
  variableId: 'var-1',
  before,
  replaced,
})

export const assign = (set: string, targets: Targets): Assign => ({
  type: 'assign',
  subject: subjectOf(set),
  targets,
})

export const unassign = (set: string, targets: Targets): Unassign => ({
  type: 'unassign',
  subject: subjectOf(set),
  targets,
})

export const NO_FACTS: PlanFacts = {
  findings: [],
  newReach: [],
  counts: [],
  equalSets: 0,
  undeclaredSets: 0,
  observedSets: 0,
  unmanagedAssignments: [],
  secretsNotCompared: 0,
  secretsToWrite: 0,
  externals: 0,
  outsideSelection: 0,
  hidden: [],
  secrets: [],
  owners: [],
  leftAlone: [],
  inventory: { adopted: [], taken: [], requests: 0 },
  received: {
    level: 'workspaces',
    known: 0,
    withoutProject: 0,
    changes: [],
    groups: [],
    sizes: {},
  },
  exposure: [],
  transition: { workspaces: 0, seeing: 0, gaps: [], left: 0 },
  origins: [],
}

export function aPlan(
  steps: readonly Step[],
  { facts, ...others }: Partial<Omit<Plan, 'facts'>> & { readonly facts?: Partial<PlanFacts> } = {},
): Plan {
  const operations = steps.map(({ operation }) => operation)
  const secrecy = secrecyOf(operations, new Set(operations.flatMap(secretsSent)), () => false)
  const shown = steps.map(step => ({ ...step, operation: withholdBefore(step.operation, secrecy) }))
  return {
    format: 2,
    organization: 'acme',
    address: 'https://app.terraform.io',
    owner: 'platform',
    only: [],
    digest: '3f9a1c2b7d4e5f60718293a4b5c6d7e8f9010203040506070809a0b0c0d0e0f0',
    steps: shown,
    summary: summaryOf(steps),
    requests: { reads: 1, writes: steps.length },
    blocks: [],
    blocked: (others.blocks ?? []).length > 0,
    diagnostics: [],
    names: {},
    projectOf: {},
    ...others,
    facts: { ...NO_FACTS, hidden: secrecy.hidden, ...facts },
  }
}

/** The result of a plan whose steps all succeeded, with the given exceptions. */
export function aResult(
  plan: Plan,
  outcomes: Readonly<Record<string, StepOutcome>>,
  others: Partial<Omit<ApplyResult, 'plan' | 'results'>> = {},
): ApplyResult {
  return {
    plan,
    results: plan.steps.map(one => ({ step: one, outcome: outcomes[one.id] ?? { status: 'succeeded' } })),
    requests: { reads: 2, writes: plan.steps.length },
    closing: { state: 'equal' },
    exitCode: 0,
    ...others,
  }
}
