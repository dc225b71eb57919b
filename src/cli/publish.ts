import { isFormat } from '../report/formats.ts'
import { type ConfigurationReport, type Report, renderers } from '../report/index.ts'
import { redactedReport, sourcesOf, withRun, writeReports } from '../run/commands/reports.ts'
import type { ReportLinks } from '../run/run.ts'
import { type CommandContext, layoutOf, type Printed } from './io.ts'

/** A report in a format, laid out for stdout. */
export const renderReport = (io: Printed, format: string, report: Report, links: ReportLinks = {}): string =>
  renderers[isFormat(format) ? format : 'text'](report, {
    ...layoutOf(io),
    streamed: true,
    verbose: io.options.verbose,
    markdownLimit: io.options.markdownLimit,
    ...links,
  })

/** Prints and writes the report of several organizations, whose own reports are already printed as text. */
export async function publishSeveral(
  io: CommandContext,
  parts: readonly ConfigurationReport[],
  code: number,
): Promise<number> {
  const report = await withRun(io, { kind: 'several', parts } as const)
  io.stdout.write(renderReport(io, io.options.format, redactedReport(io, report), await sourcesOf(io)))
  return await writeReports(io, report, code)
}
