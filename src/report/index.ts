import { toJson } from '../model/json.ts'
import { changedSets, type Sign } from '../plan/changed-sets.ts'
import type { Plan } from '../plan/plan-data.ts'
import { applyDoc } from './apply-doc.ts'
import { commentMarker, failureMarker, NOTHING_CHANGES } from './comment-text.ts'
import type { Doc } from './doc.ts'
import { type FailureReport, failureDoc, failureDocument, failureGitlab, withReason } from './failure-doc.ts'
import type { Format } from './formats.ts'
import { htmlOf } from './html/print-html.ts'
import { type PartReport, reportOf, severalJson } from './json-report.ts'
import { linkTo } from './links.ts'
import { present } from './phrase.ts'
import { pictureOf } from './picture.ts'
import { planDoc } from './plan-doc.ts'
import { COMMENT_LIMIT, markdownOf } from './print-markdown.ts'
import { type TextOptions, textOf } from './print-text.ts'
import type { RunInfo } from './run-info.ts'
import { type ConfigurationReport, severalDoc } from './several-doc.ts'
import type { SingleReport } from './single-report.ts'

export type { ConfigurationReport }

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
  text: (report, options) => {
    const text = textOf(textDocOf(report, options), options)
    // The reports were printed before it.
    return report.kind === 'several' && options.streamed ? `\n${text}` : text
  },
  markdown: (report, options?: MarkdownWishes) => {
    switch (report.kind) {
      case 'several':
        return marked(
          '<!-- setpoint:several -->',
          severalDoc(report.parts, one => reportDoc(one)),
          options,
        )
      case 'failure':
        return marked(failureMarker(report), failureDoc(report), options)
      case 'plan':
      case 'drift':
      case 'apply': {
        const { organization, owner } = planIn(report)
        return marked(commentMarker(organization, owner), textDoc(report), options)
      }
    }
  },
  html: (report, options?: Partial<RenderOptions>) =>
    htmlOf(
      report.kind === 'several'
        ? severalDoc(report.parts, one => pageDocOf(one, options?.verbose))
        : withReason(pageDocOf(report, options?.verbose), report),
      {
        link: linkTo(options?.sources),
      },
    ),
  json: report =>
    report.kind === 'several'
      ? severalJson(report.parts.map(partReport), report.run)
      : toJson(documentOf(report)),
  gitlab: report => (report.kind === 'failure' ? failureGitlab(report) : renderGitlab(plansIn(report))),
} as const satisfies Readonly<Record<Format, Renderer>>

export type { Format }

/** Markdown below the invisible first line, by which the next run finds and replaces the comment. */
function marked(
  marker: string,
  doc: Doc,
  { markdownLimit = COMMENT_LIMIT, elsewhere, sources }: MarkdownWishes = {},
): string {
  const marks = present(marker, doc.isQuiet && NOTHING_CHANGES).join('\n')
  const limit = markdownLimit - marks.length - 1
  return `${marks}\n${markdownOf(doc, { limit, link: linkTo(sources), elsewhere })}`
}

type MarkdownWishes = Pick<RenderOptions, 'markdownLimit' | 'elsewhere' | 'sources'>

/** What was printed to stderr belongs to a file, and so do the reports of several. */
function textDocOf(report: Report, { streamed = false, verbose }: RenderOptions): Doc {
  if (report.kind !== 'several') return streamed ? reportDoc(report, verbose) : textDoc(report, verbose)
  const doc = severalDoc(report.parts, one => reportDoc(one, verbose))
  return streamed ? { ...doc, parts: [] } : doc
}

const textDoc = (report: SingleReport | FailureReport, verbose?: boolean): Doc =>
  withReason(reportDoc(report, verbose), report)

function reportDoc(report: SingleReport | FailureReport, verbose?: boolean): Doc {
  switch (report.kind) {
    case 'failure':
      return failureDoc(report)
    case 'apply':
      return applyDoc(report)
    case 'plan':
    case 'drift':
      return planDoc({ ...report, verbose })
  }
}

const planIn = (report: SingleReport): Plan => (report.kind === 'apply' ? report.result.plan : report.plan)

/** With the picture, which only the page has. After a failed apply nobody knows it. */
function pageDocOf(report: SingleReport | FailureReport, verbose?: boolean): Doc {
  const doc = reportDoc(report, verbose)
  if (report.kind === 'failure') return doc
  const isWhole = report.kind !== 'apply' || report.result.exitCode === 0
  const picture = isWhole ? pictureOf(planIn(report), report.reach?.()) : []
  return { ...doc, sections: [...doc.sections, ...picture] }
}

const plansIn = (report: Exclude<Report, FailureReport>): Plan[] =>
  report.kind === 'several'
    ? report.parts.flatMap(one =>
        one.report === undefined || one.report.kind === 'failure' ? [] : plansIn(one.report),
      )
    : [report.kind === 'apply' ? report.result.plan : report.plan]

const documentOf = (report: SingleReport | FailureReport) =>
  report.kind === 'failure' ? failureDocument(report) : reportOf(report)

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
function renderGitlab(plans: readonly Plan[]): string {
  const signs = plans.flatMap(plan => changedSets(plan).map(({ sign }) => sign))
  const count = (sign: Sign): number => signs.filter(one => one === sign).length
  return `${JSON.stringify({ create: count('+'), update: count('~'), delete: count('-') })}\n`
}
