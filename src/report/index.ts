import type { SourceRange } from '../model/diagnostic.ts'
import { toJson } from '../model/json.ts'
import { applyDoc } from './apply-doc.ts'
import { countsBySign } from './change.ts'
import { failureMarker, withFailure } from './comment-text.ts'
import type { Validation } from './diagnostics.ts'
import type { Doc, LinkOf } from './doc.ts'
import { type FailureReport, failureDoc, failureDocument, failureGitlab, reasonText } from './failure-doc.ts'
import type { Format } from './formats.ts'
import { renderFailureHtml, renderHtml } from './html/page.ts'
import { type PartReport, reportOf, severalJson } from './json-report.ts'
import { renderMarkdown } from './markdown.ts'
import { mergedView, type PartView, severalMarkdown, severalText } from './organizations.ts'
import { placed } from './phrase.ts'
import { planDoc } from './plan-doc.ts'
import { COMMENT_LIMIT, markdownOf } from './print-markdown.ts'
import { type TextOptions, textOf } from './print-text.ts'
import type { RunInfo } from './run-info.ts'
import { type SingleReport, type View, viewOf } from './view.ts'

export interface ConfigurationReport {
  readonly configuration: string
  /** The exit code of its run; undefined if it was not started. */
  readonly code?: number
  /** Undefined if there are only errors. */
  readonly report?: SingleReport | FailureReport
  /** Only for `validate`, which has no report. */
  readonly validation?: Validation
}

export type Report =
  | SingleReport
  | FailureReport
  | {
      readonly kind: 'several'
      readonly parts: readonly ConfigurationReport[]
      readonly run?: RunInfo
    }

export interface RenderOptions extends TextOptions {
  /** The reports were already written one by one; only the summary is left. */
  readonly streamed?: boolean
  /** Maximum length of a Markdown report; by default that of a comment on GitHub. */
  readonly markdownLimit?: number
  /** URL prefix for files: `https://github.com/acme/sets/blob/…/`. */
  readonly sources?: string
  /** Files with the whole report, named where Markdown leaves something out. */
  readonly elsewhere?: readonly string[]
}

type Renderer = (report: Report, options: RenderOptions) => string

/** The renderer of each format. A new format needs its name in `formats.ts` and an entry here. */
export const renderers = {
  text: (report, options) =>
    report.kind === 'several' ? textOfSeveral(report.parts, options) : textOfOne(report, options),
  markdown: (report, options?: MarkdownWishes) => {
    const { markdownLimit, elsewhere, sources } = options ?? {}
    const one = (view: View, limit?: number) => renderMarkdown(linked(view, sources), limit, elsewhere)
    switch (report.kind) {
      case 'several':
        return severalMarkdown(report.parts.map(partView), one, markdownLimit)
      case 'failure':
        return marked(failureMarker(report), failureDoc(report), options)
      case 'plan':
      case 'drift':
      case 'apply': {
        const text = one(viewOf(report), markdownLimit)
        return report.failure === undefined ? text : withFailure(text, report.failure, sources)
      }
    }
  },
  html: (report, options?: Partial<RenderOptions>) => {
    if (report.kind === 'failure') return renderFailureHtml(report)
    const view = linked(wholeView(report), options?.sources)
    return report.kind === 'several' ? renderHtml(view) : renderHtml(view, report.reach?.(), report.failure)
  },
  json: report =>
    report.kind === 'several'
      ? severalJson(report.parts.map(partReport), report.run)
      : toJson(documentOf(report)),
  gitlab: report => (report.kind === 'failure' ? failureGitlab(report) : renderGitlab(wholeView(report))),
} as const satisfies Readonly<Record<Format, Renderer>>

export type { Format }

/** Markdown below the invisible first line, by which the next run finds and replaces the comment. */
function marked(
  marker: string,
  doc: Doc,
  { markdownLimit = COMMENT_LIMIT, elsewhere, sources }: MarkdownWishes = {},
): string {
  const link: LinkOf | undefined = sources === undefined ? undefined : source => placed(source, sources).href
  return `${marker}\n${markdownOf(doc, { limit: markdownLimit - marker.length - 1, link, elsewhere })}`
}

type MarkdownWishes = Pick<RenderOptions, 'markdownLimit' | 'elsewhere' | 'sources'>

/** A whole text, for a file: what was printed to stderr belongs to it. */
function textOfOne(report: SingleReport | FailureReport, options: RenderOptions): string {
  if (report.kind === 'failure') return textOf(failureDoc(report), options)
  if (report.kind === 'apply') return textOf(applyDoc(report), options)
  const text = textOf(planDoc({ ...report, verbose: options.verbose }), options)
  return report.failure === undefined || options.streamed ? text : `${text}\n${reasonText(report.failure)}`
}

const documentOf = (report: SingleReport | FailureReport) =>
  report.kind === 'failure' ? failureDocument(report) : reportOf(report)

const wholeView = (report: Exclude<Report, FailureReport>): View =>
  report.kind === 'several' ? mergedView(report.parts.map(partView)) : viewOf(report)

function textOfSeveral(parts: readonly ConfigurationReport[], options: RenderOptions): string {
  const reports = options.streamed ? [] : parts.flatMap(({ report }) => report ?? [])
  const texts = reports.map(report => textOfOne(report, options))
  return [...texts, severalText(parts.map(partView), options)].join('\n')
}

const partView = ({ configuration, code, report }: ConfigurationReport): PartView => ({
  configuration,
  code,
  ...(report?.kind === 'failure' ? { failure: report } : { view: report && viewOf(report) }),
})

const partReport = ({ configuration, code, report, validation }: ConfigurationReport): PartReport => ({
  configuration,
  exitCode: code,
  report: report && documentOf(report),
  validation,
})

/**
 * The `terraform` report of GitLab's merge request widget: how many sets are created, updated and deleted. It contains no
 * untrusted text.
 */
export function renderGitlab({ sets }: Pick<View, 'sets'>): string {
  const counts = countsBySign(sets)
  return `${JSON.stringify({ create: counts['+'], update: counts['~'], delete: counts['-'] })}\n`
}

/** The view with a link for each place. */
function linked(view: View, sources: string | undefined): View {
  if (sources === undefined) return view
  const at = <T extends { readonly source?: SourceRange }>(one: T): T =>
    one.source === undefined ? one : { ...one, source: placed(one.source, sources) }
  return {
    ...view,
    sets: view.sets.map(set => at({ ...set, changes: set.changes.map(at) })),
    warnings: view.warnings.map(at),
    end: view.end && { ...view.end, rows: view.end.rows.map(at) },
  }
}
