import type { ApplyResult, Closing } from '../apply/outcome.ts'
import { toJson } from '../model/json.ts'
import type { Plan } from '../plan/plan.ts'
import { inertJson } from './neutralise.ts'
import { driftCounts } from './origin.ts'
import { reportedSteps } from './redacted.ts'

/** Of the report's form, `schemas/report.schema.json`: the second number grows with members, the first with breaks. */
export const REPORT_FORMAT = '1.0'

export const planJson = (plan: Plan): string => inertJson(toJson(reportOf('plan', plan)))

export const driftJson = (plan: Plan): string =>
  inertJson(toJson({ ...reportOf('drift', plan), drift: driftCounts(plan) }))

export function applyJson(result: ApplyResult): string {
  const { plan, results, requests, closing, inventory, stopped, exitCode } = result
  return inertJson(
    toJson({
      ...reportOf('apply', plan),
      requests,
      results: results.map(({ step, outcome }) => ({ id: step.id, ...outcome })),
      closing: closingOf(closing),
      inventory,
      stopped,
      exitCode,
    }),
  )
}

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
    : closing
