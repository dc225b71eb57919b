import type { ApplyResult } from '../apply/outcome.ts'
import type { Plan } from '../plan/plan.ts'
import { applyJson, driftJson, planJson } from './json.ts'
import { renderMarkdown } from './markdown.ts'
import { renderText, type TextOptions } from './text.ts'
import { type View, viewOfApply, viewOfDrift, viewOfPlan } from './view.ts'

/** What there is to report. */
export type Report =
  | { readonly kind: 'plan' | 'drift'; readonly plan: Plan }
  | { readonly kind: 'apply'; readonly result: ApplyResult }

export type Render = (report: Report, options: TextOptions) => string

/** A renderer by the name that `--format` knows. */
export const renders = {
  text: (report, options) => renderText(viewOfReport(report), options),
  markdown: report => renderMarkdown(viewOfReport(report)),
  json: report => jsonOf(report),
} as const satisfies Readonly<Record<string, Render>>

export type Format = keyof typeof renders

function viewOfReport(report: Report): View {
  if (report.kind === 'apply') return viewOfApply(report.result)
  return report.kind === 'drift' ? viewOfDrift(report.plan) : viewOfPlan(report.plan)
}

function jsonOf(report: Report): string {
  if (report.kind === 'apply') return applyJson(report.result)
  return report.kind === 'drift' ? driftJson(report.plan) : planJson(report.plan)
}
