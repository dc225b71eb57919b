import type { ApplyResult } from '../apply/outcome.ts'
import type { Plan } from '../plan/plan.ts'
import type { Reach } from '../plan/reach.ts'
import type { Format } from './formats.ts'
import { renderGitlab } from './gitlab.ts'
import { renderHtml } from './html/page.ts'
import {
  applyJson,
  applyReport,
  driftJson,
  driftReport,
  type PartReport,
  planJson,
  planReport,
  severalJson,
} from './json.ts'
import { linked } from './links.ts'
import { renderMarkdown } from './markdown.ts'
import { mergedView, type PartView, severalMarkdown, severalText } from './several.ts'
import { renderText, type TextOptions } from './text.ts'
import type { Validation } from './validation.ts'
import { type Again, type View, viewOfApply, viewOfDrift, viewOfPlan } from './view.ts'

/**
 * What there is to report of one organization. `reach`: what all our sets reach, where more is known than the plan; asked by the page alone. `at`: when
 * it was planned, ISO 8601.
 */
export type SingleReport =
  | {
      readonly kind: 'plan' | 'drift'
      readonly plan: Plan
      /** How the same plan is made again, where that is known. */
      readonly again?: Again
      readonly reach?: () => Reach
      readonly at?: string
    }
  | {
      readonly kind: 'apply'
      readonly result: ApplyResult
      /** What a command that does the rest has to repeat. */
      readonly again?: Again
      readonly reach?: () => Reach
    }

/** What became of one configuration among several. */
export type OneOf =
  | { readonly configuration: string; readonly state: 'not-started' }
  | {
      readonly configuration: string
      readonly state: 'ended'
      /** Its exit code. */
      readonly code: number
      /** None where its errors are all there is to say. */
      readonly report?: SingleReport
      /** Of `validate`, which makes no report. */
      readonly validation?: Validation
    }

export type Report = SingleReport | { readonly kind: 'several'; readonly parts: readonly OneOf[] }

export interface RenderOptions extends TextOptions {
  /** The reports of several organizations were written as they came: only their sum is left to write. */
  readonly streamed?: boolean
  /** Characters that a Markdown report may have; left out: what a comment on GitHub takes. */
  readonly markdownLimit?: number
  /** Before the path of a file, where a browser shows it: `https://github.com/acme/sets/blob/…/`. */
  readonly sources?: string
  /** Files with the whole report, for what is too long for Markdown. */
  readonly elsewhere?: readonly string[]
}

export type Render = (report: Report, options: RenderOptions) => string

/** A renderer by the name that `--format` and `--report` know: a new form is one entry here and its name in `formats.ts`. */
export const renders = {
  text: (report, options) =>
    report.kind === 'several'
      ? textOfSeveral(report.parts, options)
      : renderText(viewOfReport(report), options),
  markdown: (report, options?: Pick<RenderOptions, 'markdownLimit' | 'elsewhere' | 'sources'>) => {
    const { markdownLimit, elsewhere, sources } = options ?? {}
    const one = (view: View, limit?: number) => renderMarkdown(linked(view, sources), limit, elsewhere)
    if (report.kind !== 'several') return one(viewOfReport(report), markdownLimit)
    return severalMarkdown(report.parts.map(partView), one, markdownLimit)
  },
  html: (report, options?: Partial<RenderOptions>) => {
    const sources = options?.sources
    if (report.kind !== 'several') return renderHtml(linked(viewOfReport(report), sources), report.reach?.())
    return renderHtml(linked(mergedView(report.parts.map(partView)), sources))
  },
  json: report => (report.kind === 'several' ? severalJson(report.parts.map(partReport)) : jsonOf(report)),
  gitlab: report =>
    report.kind === 'several'
      ? renderGitlab(mergedView(report.parts.map(partView)))
      : renderGitlab(viewOfReport(report)),
} as const satisfies Readonly<Record<Format, Render>>

export type { Format }

/** Of one plan or result all forms show the same view, and long values are compared once. */
const known = new WeakMap<Plan | ApplyResult, View>()

function viewOfReport(report: SingleReport): View {
  const subject = report.kind === 'apply' ? report.result : report.plan
  const before = known.get(subject)
  const view = before?.kind === report.kind ? before : newViewOf(report)
  known.set(subject, view)
  return report.kind === 'apply' || report.at === undefined ? view : { ...view, at: report.at }
}

function newViewOf(report: SingleReport): View {
  if (report.kind === 'apply') return viewOfApply(report.result, report.again)
  return report.kind === 'drift'
    ? viewOfDrift(report.plan, report.again)
    : viewOfPlan(report.plan, report.again)
}

function jsonOf(report: SingleReport): string {
  if (report.kind === 'apply') return applyJson(report.result)
  return report.kind === 'drift' ? driftJson(report.plan) : planJson(report.plan)
}

function textOfSeveral(parts: readonly OneOf[], options: RenderOptions): string {
  const reports = options.streamed
    ? []
    : parts.flatMap(part =>
        part.state === 'ended' && part.report !== undefined
          ? [renderText(viewOfReport(part.report), options)]
          : [],
      )
  return [...reports, severalText(parts.map(partView), options)].join('\n')
}

function partView(part: OneOf): PartView {
  const { configuration } = part
  if (part.state === 'not-started') return { configuration }
  const { code, report } = part
  return { configuration, code, ...(report === undefined ? {} : { view: viewOfReport(report) }) }
}

function partReport(part: OneOf): PartReport {
  const { configuration } = part
  if (part.state === 'not-started') return { configuration }
  const { code: exitCode, report, validation } = part
  return {
    configuration,
    exitCode,
    ...(report && { report: reportOf(report) }),
    ...(validation && { validation }),
  }
}

function reportOf(report: SingleReport): NonNullable<PartReport['report']> {
  if (report.kind === 'apply') return applyReport(report.result)
  return report.kind === 'drift' ? driftReport(report.plan) : planReport(report.plan)
}
