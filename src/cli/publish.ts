import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { sourceBaseUrl } from '../forge/pull-request.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan.ts'
import { digestOf } from '../plan/reviewed.ts'
import type { FailureReport } from '../report/failure.ts'
import { type FileKind, HAS_LINKS, IS_WHOLE, isFormat } from '../report/formats.ts'
import {
  type ConfigurationReport,
  type Format,
  type RenderOptions,
  type Report,
  renderers,
} from '../report/index.ts'
import { metricsText } from '../report/metrics.ts'
import type { SingleReport } from '../report/view.ts'
import { WriteError, writeWhole } from '../run/write-files.ts'
import { EXIT } from './command.ts'
import { annotate, type Call, type Io, layoutOf, sayFailure } from './io.ts'
import type { Options } from './options.ts'
import { appendWhole, isStepSummary } from './output-files.ts'
import { readUpTo } from './saved-plan.ts'

/** Readable by others, like any artifact of a pipeline: a report contains no secret. */
const REPORT_MODE = 0o644

/** Prints the report of a run, and keeps it for its files. Returns the exit code. */
export async function publish(io: Call, report: SingleReport | FailureReport, code: number): Promise<number> {
  // What a failure says in text is on stderr.
  if (report.kind !== 'failure' || io.options.format !== 'text')
    io.stdout.write(render(io, await withRun(io, report), await sourcesOf(io)))
  if (report.kind === 'plan' || report.kind === 'drift') annotate(io, findingsOf(report.plan))
  return keep(io, report, code)
}

/** The report with the run that makes it. */
export const withRun = async <R extends Report>(io: Call, report: R): Promise<R> =>
  io.record === undefined ? report : { ...report, run: await io.record.info(runOf(io)) }

const runOf = ({ version, options: { shard } }: Call) => ({
  version,
  shard: shard === undefined ? undefined : `${shard.index}/${shard.of}`,
})

/** The report goes to the files of `--report` when the command has ended: `reporting`. */
export function keep(io: Call, report: SingleReport | FailureReport, code: number): number {
  const isDated = report.kind === 'plan' || report.kind === 'drift'
  io.collect?.(isDated ? { ...report, at: io.now().toISOString() } : report)
  return code
}

/** The same for several organizations, whose reports are already printed as text. */
export async function publishSeveral(
  io: Call,
  parts: readonly ConfigurationReport[],
  code: number,
): Promise<number> {
  const report = await withRun(io, { kind: 'several', parts } as const)
  io.stdout.write(render(io, report, await sourcesOf(io)))
  return await writeReports(io, report, code)
}

/** Everything that the report says about places in the files. */
const findingsOf = ({ diagnostics, blocks }: Plan): Diagnostic[] => [
  ...diagnostics,
  ...blocks.map(
    ({ message, source }): Diagnostic => ({ severity: 'warning', code: 'refused', message, source }),
  ),
]

/**
 * Writes the report to every file of `--report`, each completely or not at all; a failure does not stop the others. The exit
 * code becomes 1 if a file could not be written and the code was no worse.
 */
export async function writeReports(io: Call, report: Report, code: number): Promise<number> {
  const links = await sourcesOf(io)
  let ended = code
  // Metrics come last, because they have the exit code.
  const isLast = ({ format }: { format: FileKind }): number => Number(format === 'metrics')
  for (const { format, path } of io.options.reports.toSorted((a, b) => isLast(a) - isLast(b))) {
    try {
      const text =
        format === 'metrics'
          ? await metricsFor(io, path, report, ended)
          : renderFor(io, format, report, links)
      if (isStepSummary(io, path)) await appendWhole(io.cwd, path, text)
      else await writeWhole(io.cwd, path, text, REPORT_MODE)
    } catch (error) {
      if (!(error instanceof WriteError)) throw error
      ended = failedAfter(ended)
      sayFailure(io, `The report ${error.message}.`, hintAfter(report, code), 'unwritable-file')
    }
  }
  return ended
}

/** The metrics of this run. The time of the last success is kept from the file that they replace. */
async function metricsFor(io: Call, path: string, report: Report, code: number): Promise<string> {
  const { config = 'setpoint.yaml' } = io.options
  const parts = report.kind === 'several' ? report.parts : [{ configuration: config, code, report }]
  const { text } = await readUpTo(LARGEST_METRICS, resolve(io.cwd, path)).catch(() => ({ text: undefined }))
  return io.redactor.text(metricsText(parts, io.version, text))
}

const LARGEST_METRICS = 16 * 1024 * 1024

/** Success and drift mean that everything is known, so a missing report turns both into an error. */
export const failedAfter = (code: number): number =>
  code === EXIT.done || code === EXIT.changes ? EXIT.error : code

const hintAfter = (report: Report, code: number): string =>
  report.kind !== 'apply'
    ? 'Nothing was written to the service.'
    : code === EXIT.done
      ? 'The apply succeeded. Only the report is missing.'
      : 'The output shows what was applied.'

/** A report in the format of `--format`, laid out for stdout. */
export const render = (io: Call, report: Report, links: Links = {}): string =>
  renderers[isFormat(io.options.format) ? io.options.format : 'text'](redactedReport(io, report), {
    ...layoutOf(io),
    streamed: true,
    verbose: io.options.verbose,
    markdownLimit: io.options.markdownLimit,
    ...links,
  })

/** The same for a file: no colour, and the width of a log. */
export const renderFor = (io: Call, format: Format, report: Report, links: Links = {}): string =>
  renderers[format](redactedReport(io, report), {
    color: false,
    width: 120,
    elsewhere: wholeIn(io.options),
    markdownLimit: io.options.markdownLimit,
    ...links,
  })

/** Files with a complete report. Few and short names only, because notices have little room. */
const wholeIn = ({ reports }: Options): string[] =>
  reports
    .flatMap(({ format, path }) => (isFormat(format) && IS_WHOLE[format] ? [basename(path)] : []))
    .filter(file => file.length <= 60)
    .slice(0, 3)

/** A report without the secrets of the run: the service has seen them, and may have put them into any name or value. */
const redactedReport = (io: Io, report: Report): Report =>
  report.kind === 'several'
    ? {
        ...report,
        parts: report.parts.map(part => ({
          ...part,
          report: part.report && redactedOne(io, part.report),
        })),
      }
    : redactedOne(io, report)

/** A report without the secrets of its run. */
export function redactedOne(io: Io, report: SingleReport | FailureReport): SingleReport | FailureReport {
  if (report.kind === 'failure') return io.redactor.in(report)
  const { reach } = report
  const known = reach === undefined ? {} : { reach: () => io.redactor.in(reach()) }
  if (report.kind !== 'apply') {
    const { planned } = report
    const whole = planned === undefined ? {} : { planned: () => io.redactor.in(planned()) }
    return { ...report, ...known, ...whole, plan: redactedPlan(io, report.plan) }
  }
  const result = io.redactor.in(report.result)
  const plan = redactedPlan(io, report.result.plan)
  return { ...report, ...known, result: plan.digest === result.plan.digest ? result : { ...result, plan } }
}

/** A plan without the secrets of the run. If it contained one, it is another plan with a digest of its own. */
export function redactedPlan({ redactor }: Io, plan: Plan): Plan {
  const shown = redactor.in(plan)
  return shown === plan ? plan : { ...shown, digest: digestOf(shown) }
}

/** The event that started a pipeline of GitHub, if its file can be read. */
export const eventIn = async ({ env: { GITHUB_EVENT_PATH: path } }: Io): Promise<string | undefined> =>
  path ? await readFile(resolve(path), 'utf8').catch(() => undefined) : undefined

/** Where the forge shows the files that this job has read, for formats with links. */
async function sourcesOf(io: Call): Promise<Links> {
  const formats = [io.options.format, ...io.options.reports.map(report => report.format)]
  return formats.some(one => isFormat(one) && HAS_LINKS[one]) ? await linksIn(io) : {}
}

/** The same, whatever the formats. */
export const linksIn = async (io: Io): Promise<Links> => ({
  sources: sourceBaseUrl(io.env, await eventIn(io)),
})

type Links = Pick<RenderOptions, 'sources'>
