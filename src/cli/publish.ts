import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { sourceBaseUrl } from '../forge/pull-request.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan.ts'
import { digestOf } from '../plan/reviewed.ts'
import { ANY_MARKER, type Failure, failureMarkdown, withFailure } from '../report/comment.ts'
import { HAS_LINKS, IS_WHOLE, isFormat } from '../report/formats.ts'
import { type Format, type RenderOptions, type Report, renderers } from '../report/index.ts'
import { commentMarker } from '../report/markdown.ts'
import type { SingleReport } from '../report/view.ts'
import { WriteError, writeWhole } from '../run/write-files.ts'
import { EXIT, type Run, runCommand } from './command.ts'
import { annotate, type Call, type Io, layoutOf, sayFailure } from './io.ts'
import type { Options } from './options.ts'
import { appendWhole, isStepSummary } from './output-files.ts'

/** Readable by others, like any artifact of a pipeline: a report contains no secret. */
const REPORT_MODE = 0o644

/** Ends a run: writes its report to stdout and to every requested file, and returns the exit code. */
export async function publish(io: Call, report: Report, code: number): Promise<number> {
  io.stdout.write(render(io, report, await sourcesOf(io)))
  if (report.kind === 'plan' || report.kind === 'drift') annotate(io, findingsOf(report.plan))
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
  const dated =
    report.kind === 'plan' || report.kind === 'drift' ? { ...report, at: io.now().toISOString() } : report
  if (dated.kind !== 'several') io.collect?.(dated)
  const links = await sourcesOf(io)
  let failed = false
  for (const { format, path } of io.options.reports) {
    try {
      const text = renderFor(io, format, dated, links)
      if (isStepSummary(io, path)) await appendWhole(io.cwd, path, text)
      else await writeWhole(io.cwd, path, text, REPORT_MODE)
    } catch (error) {
      if (!(error instanceof WriteError)) throw error
      failed = true
      sayFailure(io, `The report ${error.message}.`, hintAfter(report, code))
    }
  }
  return failed ? failedAfter(code) : code
}

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
    .flatMap(({ format, path }) => (IS_WHOLE[format] ? [basename(path)] : []))
    .filter(file => file.length <= 60)
    .slice(0, 3)

/** A report without the secrets of the run: the service has seen them, and may have put them into any name or value. */
const redactedReport = (io: Io, report: Report): Report =>
  report.kind === 'several'
    ? {
        ...report,
        parts: report.parts.map(part => ({
          ...part,
          report: part.report && redactedSingle(io, part.report),
        })),
      }
    : redactedSingle(io, report)

function redactedSingle(io: Io, report: SingleReport): SingleReport {
  const { reach } = report
  const known = reach === undefined ? {} : { reach: () => io.redactor.in(reach()) }
  if (report.kind !== 'apply') return { ...report, ...known, plan: redactedPlan(io, report.plan) }
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

/**
 * The same command, with its failure or refusal written into its Markdown reports. Otherwise the comment on a pull request
 * would keep a green and outdated plan.
 */
export const reportingFailure =
  (name: 'plan' | 'apply', run: Run): Run =>
  async (io, ...rest) => {
    const reports = io.options.reports.filter(({ format }) => format === 'markdown')
    if (reports.length === 0 || io.collect !== undefined) return await run(io, ...rest)
    const heard: Diagnostic[] = []
    const hear = (diagnostics: readonly Diagnostic[]): void => {
      heard.push(...diagnostics.filter(({ severity }) => severity === 'error'))
      io.hear?.(diagnostics)
    }
    const code = await runCommand(run, { ...io, hear }, ...rest)
    if (heard.length === 0 || (code !== EXIT.error && code !== EXIT.refused)) return code
    const failure = { diagnostics: heard, ...(await linksIn(io)) }
    for (const { path } of reports) await writeFailure(io, path, HEADLINES[name], failure)
    return code
  }

const HEADLINES = { plan: 'The plan failed', apply: 'Nothing was applied' } as const

/** A report that cannot be written is not reported: the run has already failed and said why. */
async function writeFailure(io: Call, path: string, headline: string, failure: Failure): Promise<void> {
  const alone = failureMarkdown(await markerOf(io), `Setpoint: ${headline.toLowerCase()}`, failure)
  try {
    if (isStepSummary(io, path)) return await appendWhole(io.cwd, path, alone)
    const made = await readFile(resolve(io.cwd, path), 'utf8').catch(() => undefined)
    await writeWhole(
      io.cwd,
      path,
      made === undefined ? alone : withFailure(made, headline, failure),
      REPORT_MODE,
    )
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
  }
}

/** The files may be the reason for the failure, so this searches for two lines and parses nothing. */
async function markerOf(io: Call): Promise<string> {
  const text = await readFile(resolve(io.cwd, io.options.config ?? 'setpoint.yaml'), 'utf8').catch(() => '')
  const at = (name: string): string | undefined =>
    new RegExp(`^${name}: *["']?([A-Za-z0-9_-]{1,100})["']? *(?:#.*)?$`, 'm').exec(text)?.[1]
  const organization = io.env.SETPOINT_ORGANIZATION || at('organization')
  return organization === undefined ? ANY_MARKER : commentMarker(organization, at('owner'))
}
