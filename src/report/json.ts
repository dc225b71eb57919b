import type { ApplyResult, Closing } from '../apply/outcome.ts'
import { toJson } from '../model/json.ts'
import type { Plan } from '../plan/plan.ts'
import { driftCounts } from './origin.ts'
import { reportedSteps } from './redacted.ts'

/** Of the report's form, `schemas/report.schema.json`: the second number grows with members, the first with breaks. */
export const REPORT_FORMAT = '2.0'

export const planJson = (plan: Plan): string => toJson(planReport(plan))

export const driftJson = (plan: Plan): string => toJson(driftReport(plan))

export const applyJson = (result: ApplyResult): string => toJson(applyReport(result))

export const planReport = (plan: Plan) => reportOf('plan', plan)

export const driftReport = (plan: Plan) => ({ ...reportOf('drift', plan), drift: driftCounts(plan) })

export const applyReport = (result: ApplyResult) => {
  const { plan, results, requests, closing, secrets, inventory, stopped, exitCode } = result
  return {
    ...reportOf('apply', plan),
    requests,
    results: results.map(({ step, outcome }) => ({
      id: step.id,
      subject: step.operation.subject,
      ...outcome,
    })),
    closing: closingOf(closing),
    secrets,
    inventory,
    stopped,
    exitCode,
  }
}

/** One part of `schemas/several.schema.json`: a configuration, its exit code, and its report where there is one. */
export interface PartReport {
  readonly configuration: string
  readonly exitCode?: number
  readonly report?: ReturnType<typeof planReport | typeof driftReport | typeof applyReport>
}

export const severalJson = (parts: readonly PartReport[]): string =>
  toJson({ format: REPORT_FORMAT, kind: 'several' as const, parts })

const reportOf = (kind: 'plan' | 'drift' | 'apply', plan: Plan) => ({
  format: REPORT_FORMAT,
  kind,
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

/** Said by warnings; the texts themselves may be ones that are not shown. */
function withoutStored(closing: Exclude<Closing, { state: 'differs' }>) {
  if (closing.state !== 'equal') return closing
  const { stored: _, ...rest } = closing
  return rest
}
