import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { configurationIn } from '../../config/read.ts'
import { sourceBaseUrl } from '../../forge/pull-request.ts'
import { type Diagnostic, warning } from '../../model/diagnostic.ts'
import type { Plan } from '../../plan/plan-data.ts'
import { digestOf } from '../../plan/reviewed-plan.ts'
import { inThisPlace } from '../../report/command-line.ts'
import type { FailureReport } from '../../report/failure-doc.ts'
import { type FileKind, IS_WHOLE, isFormat } from '../../report/formats.ts'
import { type Format, type Report, renderers } from '../../report/index.ts'
import { metricsText } from '../../report/metrics.ts'
import type { SingleReport } from '../../report/single-report.ts'
import { EXIT, failedAfter } from '../exit-codes.ts'
import type { Options } from '../options.ts'
import { readUpTo } from '../read-file.ts'
import { type ReportLinks, type Run, sayFailure, type World } from '../run.ts'
import { WriteError } from '../write-files.ts'
import type { Ending } from './ending.ts'
import { writeOutput } from './output-files.ts'

/** Readable by others, like any artifact of a pipeline: a report contains no secret. */
const REPORT_MODE = 0o644

/** Tells the report of a run that ends with this code. */
export async function published(
  run: Run,
  report: SingleReport | FailureReport,
  code: number,
): Promise<Ending> {
  tellReport(run, await withRun(run, report), await sourcesOf(run))
  if (report.kind === 'plan' || report.kind === 'drift')
    run.listener.findings(inThisPlace(findingsOf(report.plan), run.typed))
  return endingOf(run, report, code)
}

/** Tells a report without the secrets of the run. */
export const tellReport = (run: Run, report: SingleReport | FailureReport, links?: ReportLinks): void =>
  run.listener.report(redactedOne(run, report), links)

/** The report with the run that makes it. */
export const withRun = async <R extends Report>(run: Run, report: R): Promise<R> =>
  run.record === undefined ? report : { ...report, run: await run.record.info(runOf(run)) }

const runOf = ({ version, options: { shard } }: Run) => ({
  version,
  shard: shard === undefined ? undefined : `${shard.index}/${shard.of}`,
})

/** How the run ends. Its report goes to the files of `--report` when it has ended: `reported`. */
export function endingOf(run: Run, report: SingleReport | FailureReport, code: number): Ending {
  const isDated = report.kind === 'plan' || report.kind === 'drift'
  return { code, report: isDated ? { ...report, at: run.now().toISOString() } : report }
}

/** Everything that the report says about places in the files. */
const findingsOf = ({ diagnostics, blocks }: Plan): Diagnostic[] => [
  ...diagnostics,
  ...blocks.map(({ message, source }): Diagnostic => warning('refused', message, undefined, source)),
]

/**
 * Writes the report to every file of `--report`, each completely or not at all; a failure does not stop the others. The exit
 * code becomes 1 if a file could not be written and the code was no worse.
 */
export async function writeReports(run: Run, report: Report, code: number): Promise<number> {
  const links = await sourcesOf(run)
  let ended = code
  // Metrics come last, because they have the exit code.
  const isLast = ({ format }: { format: FileKind }): number => Number(format === 'metrics')
  for (const { format, path } of run.options.reports.toSorted((a, b) => isLast(a) - isLast(b))) {
    try {
      const text =
        format === 'metrics'
          ? await metricsFor(run, path, report, ended)
          : renderFor(run, format, report, links)
      await writeOutput(run, { path, kind: format }, text, REPORT_MODE)
    } catch (error) {
      if (!(error instanceof WriteError)) throw error
      ended = failedAfter(ended)
      sayFailure(run, `The report ${error.message}.`, hintAfter(report, code), 'unwritable-file')
    }
  }
  return ended
}

/** The metrics of this run. The time of the last success is kept from the file that they replace. */
async function metricsFor(run: Run, path: string, report: Report, code: number): Promise<string> {
  const { config = configurationIn(run.cwd) } = run.options
  const parts = report.kind === 'several' ? report.parts : [{ configuration: config, code, report }]
  const { text } = await readUpTo(LARGEST_METRICS, resolve(run.cwd, path)).catch(() => ({
    text: undefined,
  }))
  return run.redactor.text(metricsText(parts, run.version, text))
}

const LARGEST_METRICS = 16 * 1024 * 1024

const hintAfter = (report: Report, code: number): string =>
  report.kind !== 'apply'
    ? 'Nothing was written to the service.'
    : code === EXIT.done
      ? 'The apply succeeded. Only the report is missing.'
      : 'The output shows what was applied.'

/** A report for a file: no colour. */
const renderFor = (run: Run, format: Format, report: Report, links: ReportLinks = {}): string =>
  renderers[format](redactedReport(run, report), {
    color: false,
    elsewhere: wholeIn(run.options),
    markdownLimit: run.options.markdownLimit,
    ...links,
  })

/** Files with a complete report. Few and short names only, because notices have little room. */
const wholeIn = ({ reports }: Options): string[] =>
  reports
    .flatMap(({ format, path }) => (isFormat(format) && IS_WHOLE[format] ? [basename(path)] : []))
    .filter(file => file.length <= 60)
    .slice(0, 3)

/** A report without the secrets of the run: the service has seen them, and may have put them into any name or value. */
export const redactedReport = (run: Run, report: Report): Report =>
  report.kind === 'several'
    ? {
        ...report,
        parts: report.parts.map(part => ({
          ...part,
          report: part.report && redactedOne(run, part.report),
        })),
      }
    : redactedOne(run, report)

/** A report without the secrets of its run. */
export const redactedOne = (run: Run, report: SingleReport | FailureReport): SingleReport | FailureReport =>
  report.kind === 'failure' ? run.redactor.in(report) : redactedSingle(run, report)

/** The same of a plan or its result. */
export function redactedSingle(run: Run, report: SingleReport): SingleReport {
  const { reach } = report
  const known = reach === undefined ? {} : { reach: () => run.redactor.in(reach()) }
  if (report.kind !== 'apply') {
    const { planned } = report
    const whole = planned === undefined ? {} : { planned: () => run.redactor.in(planned()) }
    return { ...report, ...known, ...whole, plan: redactedPlan(run, report.plan) }
  }
  const result = run.redactor.in(report.result)
  const plan = redactedPlan(run, report.result.plan)
  return { ...report, ...known, result: plan.digest === result.plan.digest ? result : { ...result, plan } }
}

/** A plan without the secrets of the run. If it contained one, it is another plan with a digest of its own. */
export function redactedPlan({ redactor }: World, plan: Plan): Plan {
  const shown = redactor.in(plan)
  return shown === plan ? plan : { ...shown, digest: digestOf(shown) }
}

/** The event that started a pipeline of GitHub, if its file can be read. */
export const eventIn = async ({ env: { GITHUB_EVENT_PATH: path } }: World): Promise<string | undefined> =>
  path ? await readFile(resolve(path), 'utf8').catch(() => undefined) : undefined

/** Where the forge shows the files that this job has read, for formats with links. */
export const sourcesOf = async (world: World): Promise<ReportLinks> => ({
  sources: sourceBaseUrl(world.env, await eventIn(world)),
})
