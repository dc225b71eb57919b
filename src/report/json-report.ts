import type { ApplyResult, Closing, InventoryOutcome, StepOutcome } from '../apply/outcome.ts'
import { sortDiagnostics } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import { toJson } from '../model/json.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import { isWithoutVariables, type Operation, type OperationId, type Subject } from '../plan/operation.ts'
import { isForbidden, type Plan, type Remaining } from '../plan/plan-data.ts'
import type { Validation } from './diagnostics.ts'
import type { Failure, failureDocument } from './failure-doc.ts'
import { plainText } from './layout.ts'
import { type Finding, findingsIn, sentenceOf } from './review.ts'
import { type RunInfo, runDocument } from './run-info.ts'
import { driftCounts } from './totals.ts'

/** Version of `schemas/parts/report.json`: new members raise the second number, breaking changes the first. */
export const REPORT_FORMAT = '3.0'

/** Members of every report (schemas/parts/report.json). */
interface CommonReport extends Omit<Plan, 'format' | 'tool' | 'digest' | 'steps'> {
  readonly format: string
  /** Left out if rules forbid the plan. */
  readonly digest?: string | undefined
  readonly steps: ReturnType<typeof reportedSteps>
  /** Absent for a saved plan. */
  readonly run?: ReturnType<typeof runDocument>
}

/** The command ended with an error or a refusal, and the reason is in `diagnostics`. */
interface MayFail {
  readonly exitCode?: number
}

export interface PlanReport extends CommonReport, MayFail {
  readonly kind: 'plan'
  readonly review: readonly ReportedFinding[]
  /** Absent for a saved plan. */
  readonly planned?: PlannedState
}

export interface DriftReport extends CommonReport, MayFail {
  readonly kind: 'drift'
  readonly review: readonly ReportedFinding[]
  /** Number of sets that differ, by the gravest origin of their differences. */
  readonly drift: ReturnType<typeof driftCounts>
}

export interface ApplyReport
  extends CommonReport,
    Pick<ApplyResult, 'requests' | 'secrets' | 'stopped' | 'exitCode'> {
  readonly kind: 'apply'
  /** One for each step of the plan. */
  readonly results: readonly (StepOutcome & { readonly id: OperationId; readonly subject: Subject })[]
  readonly closing: ReturnType<typeof closingOf>
  readonly inventory?: ReturnType<typeof inventoryOf>
}

/** One finding of *Review first* (docs/reports.md), the most harmful first, none summed up or left out. */
interface ReportedFinding extends Pick<Finding, 'kind' | 'sets' | 'keys' | 'source'> {
  readonly text: string
  readonly workspaces?: number
}

type Reported = { readonly failure?: Failure; readonly run?: RunInfo } & (
  | { readonly kind: 'plan' | 'drift'; readonly plan: Plan; readonly planned?: () => PlannedState }
  | { readonly kind: 'apply'; readonly result: ApplyResult }
)

export function reportOf(report: Reported): PlanReport | DriftReport | ApplyReport {
  if (report.kind === 'apply') {
    const { plan, results, closing, inventory, ...others } = report.result
    return {
      ...commonOf(plan),
      ...others,
      run: runDocument(report.run),
      kind: 'apply',
      results: results.map(({ step: { id, operation }, outcome }) => ({
        id,
        subject: operation.subject,
        ...outcome,
      })),
      closing: closingOf(closing),
      inventory: inventoryOf(inventory),
    }
  }
  const { kind, plan, planned, failure } = report
  const ended = failure && {
    exitCode: failure.exitCode,
    diagnostics: sortDiagnostics([...plan.diagnostics, ...failure.diagnostics]),
  }
  const common = { ...commonOf(plan), ...ended, run: runDocument(report.run), review: reviewIn(plan, kind) }
  return kind === 'plan'
    ? { ...common, kind, planned: planned?.() }
    : { ...common, kind, drift: driftCounts(plan) }
}

const reviewIn = (plan: Plan, kind: 'plan' | 'drift'): ReportedFinding[] =>
  findingsIn(plan, kind).map(one => {
    const { kind: what, sets, keys, breadth, source } = one
    return {
      kind: what,
      text: plainText(sentenceOf(one)),
      sets,
      keys,
      workspaces: Number.isFinite(breadth) ? breadth : undefined,
      source,
    }
  })

function inventoryOf(outcome: InventoryOutcome | undefined) {
  if (outcome?.state !== 'failed') return outcome
  const { state, requests, message } = outcome
  return { state, requests, message }
}

/** One part of `schemas/parts/several.json`: a configuration, its exit code, its report. */
export interface PartReport {
  readonly configuration: string
  readonly exitCode?: number
  readonly report?: PlanReport | DriftReport | ApplyReport | ReturnType<typeof failureDocument>
  readonly validation?: Validation
}

export const severalJson = (parts: readonly PartReport[], run: RunInfo | undefined): string =>
  toJson({ format: REPORT_FORMAT, kind: 'several' as const, run: runDocument(run), parts })

const commonOf = ({ tool: _, ...plan }: Plan): CommonReport => ({
  ...plan,
  format: REPORT_FORMAT,
  digest: isForbidden(plan) ? undefined : plan.digest,
  steps: reportedSteps(plan),
})

function closingOf(closing: Closing) {
  if (closing.state === 'equal') {
    // Warnings say what is stored otherwise; the texts themselves may be hidden.
    const { stored: _, ...rest } = closing
    return rest
  }
  if (closing.state === 'unread') return { state: closing.state, message: closing.message }
  if (closing.state !== 'differs') return closing
  const { state, remaining } = closing
  return { state, remaining: { steps: reportedSteps(remaining), summary: remaining.summary } }
}

/** The steps of a plan without the new values that it hides. */
function reportedSteps(plan: Pick<Remaining, 'steps' | 'facts'>) {
  const hidden = new Set(plan.facts.hidden)
  return plan.steps.map(step => ({ ...step, operation: reported(step.operation, hidden) }))
}

function reported(operation: Operation, hidden: ReadonlySet<VariableKey>) {
  const shown = (variable: Variable<DesiredValue>): Variable<DesiredValue | { readonly hidden: true }> =>
    'text' in variable.value && hidden.has(variable.key) ? { ...variable, value: { hidden: true } } : variable
  if (isWithoutVariables(operation)) return operation
  switch (operation.type) {
    case 'create-set': {
      const { after } = operation
      return { ...operation, after: { ...after, variables: after.variables.map(shown) } }
    }
    case 'create-variable':
    case 'update-variable':
      return { ...operation, after: shown(operation.after) }
    case 'delete-set':
    case 'delete-variable':
      return operation
  }
}
