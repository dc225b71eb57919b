import type { Diagnostic } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan.ts'
import type { Report } from '../report/index.ts'
import { WriteError, writeWhole } from '../run/write-files.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { render, renderFor } from './render.ts'
import { annotate, sayFailure } from './say.ts'
import { sourcesOf } from './sources.ts'
import { appendWhole, isStepSummary } from './step-summary.ts'

/** Readable by others, as any artifact of a pipeline: a report holds no secret. */
const MODE = 0o644

/** The end of a run: its report on stdout and in every file that was asked for, and the exit code. */
export async function publish(io: Io, options: Options, report: Report, code: number): Promise<number> {
  io.stdout.write(render(io, options, report, await sourcesOf(io, options)))
  if (report.kind === 'plan' || report.kind === 'drift') annotate(io, findingsOf(report.plan))
  return await writeReports(io, options, report, code)
}

/** What the report itself says of places in the files. */
const findingsOf = ({ diagnostics, blocks }: Plan): Diagnostic[] => [
  ...diagnostics,
  ...blocks.map(
    ({ message, source }): Diagnostic => ({
      severity: 'warning',
      code: 'refused',
      message,
      ...(source === undefined ? {} : { source }),
    }),
  ),
]

/**
 * The report in every file that `--report` names, each whole or not at all, whatever became of the others. The exit code
 * becomes 1 where a file could not be written and the code spoke of nothing worse.
 */
export async function writeReports(io: Io, options: Options, report: Report, code: number): Promise<number> {
  const dated =
    report.kind === 'plan' || report.kind === 'drift' ? { ...report, at: io.now().toISOString() } : report
  if (dated.kind !== 'several') io.collect?.(dated)
  const links = await sourcesOf(io, options)
  let failed = false
  for (const { format, path } of options.reports) {
    try {
      const text = renderFor(io, format, options, dated, links)
      if (isStepSummary(io, path)) await appendWhole(io.cwd, path, text)
      else await writeWhole(io.cwd, path, text, MODE)
    } catch (error) {
      if (!(error instanceof WriteError)) throw error
      failed = true
      sayFailure(io, options, `The report ${error.message}.`, hintAfter(report, code))
    }
  }
  return failed ? withFailure(code) : code
}

/** Done and drift say "all is known"; they may not stand beside a report that is missing. */
export const withFailure = (code: number): number =>
  code === EXIT.done || code === EXIT.changes ? EXIT.error : code

const hintAfter = (report: Report, code: number): string =>
  report.kind !== 'apply'
    ? 'Nothing was written to the service.'
    : code === EXIT.done
      ? 'All that was planned is done; only the report is missing.'
      : 'What was done stands in the output.'
