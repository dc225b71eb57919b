import type { ApplyResult, Closing, InventoryOutcome, StepOutcome } from '../apply/outcome.ts'
import type { VariableKey } from '../model/ids.ts'
import { toJson } from '../model/json.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import type { Operation, OperationId, Subject } from '../plan/operation.ts'
import type { Plan, Remaining } from '../plan/plan.ts'
import type { Alert } from './alert.ts'
import { alertsOf } from './alerts.ts'
import type { Validation } from './diagnostics.ts'
import { plainText } from './layout.ts'
import { driftCounts } from './totals.ts'

/** Version of `schemas/report.schema.json`: new members raise the second number, breaking changes the first. */
export const REPORT_FORMAT = '2.0'

export const planJson = (plan: Plan): string => toJson(planReport(plan))

export const driftJson = (plan: Plan): string => toJson(driftReport(plan))

export const applyJson = (result: ApplyResult): string => toJson(applyReport(result))

/** Members of every report (schemas/report.schema.json). */
interface CommonReport
  extends Pick<
    Plan,
    | 'organization'
    | 'address'
    | 'only'
    | 'digest'
    | 'summary'
    | 'requests'
    | 'diagnostics'
    | 'blocked'
    | 'blocks'
    | 'facts'
    | 'names'
  > {
  readonly format: string
  readonly owner?: string | undefined
  readonly steps: ReturnType<typeof reportedSteps>
}

export interface PlanReport extends CommonReport {
  readonly kind: 'plan'
  readonly review: readonly Finding[]
}

export interface DriftReport extends CommonReport {
  readonly kind: 'drift'
  readonly review: readonly Finding[]
  /** Number of sets that differ, by the gravest origin of their differences. */
  readonly drift: ReturnType<typeof driftCounts>
}

export interface ApplyReport extends CommonReport, Pick<ApplyResult, 'requests' | 'exitCode'> {
  readonly kind: 'apply'
  /** One for each step of the plan. */
  readonly results: readonly (StepOutcome & { readonly id: OperationId; readonly subject: Subject })[]
  readonly closing: ReturnType<typeof closingOf>
  readonly secrets?: ApplyResult['secrets'] | undefined
  readonly inventory?: ReturnType<typeof inventoryOf>
  /** What stopped it before its end. */
  readonly stopped?: string | undefined
}

/** One finding of *Review first* (docs/reports.md), the most harmful first, none summed up or left out. */
interface Finding extends Pick<Alert, 'kind' | 'sets' | 'keys' | 'source'> {
  readonly text: string
  /** Number of workspaces, if known. */
  readonly workspaces?: number
}

const findingsIn = (plan: Plan, kind: 'plan' | 'drift'): Finding[] =>
  alertsOf(plan, kind).every.map(({ kind, phrase, sets, keys, breadth, source }) => ({
    kind,
    text: plainText(phrase),
    sets,
    keys,
    workspaces: Number.isFinite(breadth) ? breadth : undefined,
    source,
  }))

export const planReport = (plan: Plan): PlanReport => ({
  ...reportOf(plan),
  kind: 'plan',
  review: findingsIn(plan, 'plan'),
})

export const driftReport = (plan: Plan): DriftReport => ({
  ...reportOf(plan),
  kind: 'drift',
  review: findingsIn(plan, 'drift'),
  drift: driftCounts(plan),
})

export const applyReport = (result: ApplyResult): ApplyReport => {
  const { plan, results, requests, closing, secrets, inventory, stopped, exitCode } = result
  return {
    ...reportOf(plan),
    kind: 'apply',
    requests,
    results: results.map(({ step, outcome }) => ({
      id: step.id,
      subject: step.operation.subject,
      ...outcome,
    })),
    closing: closingOf(closing),
    secrets,
    inventory: inventoryOf(inventory),
    stopped,
    exitCode,
  }
}

const inventoryOf = (inventory: InventoryOutcome | undefined) =>
  inventory?.state === 'failed'
    ? { state: inventory.state, requests: inventory.requests, message: inventory.message }
    : inventory

/** One part of `schemas/several.schema.json`: a configuration, its exit code, its report. */
export interface PartReport {
  readonly configuration: string
  readonly exitCode?: number
  readonly report?: PlanReport | DriftReport | ApplyReport
  readonly validation?: Validation
}

export const severalJson = (parts: readonly PartReport[]): string =>
  toJson({ format: REPORT_FORMAT, kind: 'several' as const, parts })

const reportOf = (plan: Plan): CommonReport => ({
  format: REPORT_FORMAT,
  organization: plan.organization,
  address: plan.address,
  owner: plan.owner,
  only: plan.only,
  digest: plan.digest,
  steps: reportedSteps(plan),
  summary: plan.summary,
  requests: plan.requests,
  diagnostics: plan.diagnostics,
  blocked: plan.blocked,
  blocks: plan.blocks,
  facts: plan.facts,
  names: plan.names,
})

const closingOf = (closing: Closing) =>
  closing.state === 'differs'
    ? {
        state: closing.state,
        remaining: {
          digest: closing.remaining.digest,
          steps: reportedSteps(closing.remaining),
          summary: closing.remaining.summary,
        },
      }
    : withoutStored(closing)

/** Warnings say this; the texts themselves may be hidden. */
function withoutStored(closing: Exclude<Closing, { state: 'differs' }>) {
  if (closing.state !== 'equal') return closing
  const { stored: _, ...rest } = closing
  return rest
}

/** The steps of a plan without the new values that it hides. */
function reportedSteps(plan: Pick<Remaining, 'steps' | 'facts'>) {
  const hidden = new Set(plan.facts.hidden)
  return plan.steps.map(step => ({ ...step, operation: reported(step.operation, hidden) }))
}

function reported(operation: Operation, hidden: ReadonlySet<VariableKey>) {
  switch (operation.type) {
    case 'create-set': {
      const variables = operation.after.variables.map(sent => withoutHidden(sent, hidden))
      return { ...operation, after: { ...operation.after, variables } }
    }
    case 'update-set':
      return { ...operation, variables: operation.variables.map(sent => withoutHidden(sent, hidden)) }
    case 'create-variable':
    case 'update-variable':
      return { ...operation, after: withoutHidden(operation.after, hidden) }
    case 'delete-set':
    case 'delete-variable':
    case 'assign':
    case 'unassign':
      return operation
  }
}

const withoutHidden = (
  variable: Variable<DesiredValue>,
  hidden: ReadonlySet<VariableKey>,
): Variable<DesiredValue | { readonly hidden: true }> =>
  'text' in variable.value && hidden.has(variable.key) ? { ...variable, value: { hidden: true } } : variable
