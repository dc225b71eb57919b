import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { History } from '../git/commits.ts'
import { Git } from '../git/git.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { FailureReport, ReportingCommand } from '../report/failure.ts'
import type { SingleReport } from '../report/view.ts'
import { EXIT, type Run, runCommand } from './command.ts'
import type { Call } from './io.ts'
import { prepareOutputs } from './output-files.ts'
import { publish, withRun, writeReports } from './publish.ts'
import { RunRecord } from './run-record.ts'

/**
 * A command with `--report`. Its files are checked before anything else, and written when it has ended, however that was: a command
 * without a report has a failure to report. Otherwise a comment or a dashboard would keep what was true before.
 */
export const reporting =
  (command: ReportingCommand, run: Run): Run =>
  async (io, argument, program, others = []) => {
    await prepareOutputs(io, argument === undefined ? [] : [argument, ...others])
    const errors: Diagnostic[] = []
    const kept: { report?: SingleReport | FailureReport } = {}
    const inside: Call = {
      ...io,
      record: recordOf(io),
      hear: diagnostics => {
        errors.push(...diagnostics.filter(({ severity }) => severity === 'error'))
        io.hear?.(diagnostics)
      },
      collect: report => Object.assign(kept, { report }),
    }
    const finish = async (code: number): Promise<number> => {
      const failure = { command, exitCode: code, diagnostics: errors }
      if (kept.report === undefined)
        await publish(inside, { kind: 'failure', ...failure, ...(await namesIn(io)) }, code)
      const { report } = kept
      if (report === undefined) return code
      // A plan that was not applied, or not saved.
      const hasFailed = code === EXIT.error || (code === EXIT.refused && errors.length > 0)
      const ended = await withRun(
        inside,
        report.kind === 'plan' && hasFailed ? { ...report, failure } : report,
      )
      io.collect?.(ended)
      return await writeReports(io, ended, code)
    }
    let code: number
    try {
      code = await runCommand(run, inside, argument, program, others)
    } catch (bug) {
      await finish(EXIT.error)
      throw bug
    }
    return await finish(code)
  }

/** What reports say of this run. Git is asked for the commit once for several organizations, and only if JSON is made. */
export function recordOf(io: Call): RunRecord {
  let commit: Promise<string | undefined> | undefined
  const ask = async (): Promise<string | undefined> => (makesJson(io) ? await headOf(io) : undefined)
  return new RunRecord(io.now, io.record?.commit ?? (() => (commit ??= ask())), io.record)
}

/** A calling program gets every report as data. */
const makesJson = ({ collect, options: { format, reports } }: Call): boolean =>
  collect !== undefined || format === 'json' || reports.some(one => one.format === 'json')

/** `undefined` without a repository, and if Git is missing or refuses: a report does not depend on it. */
async function headOf({ cwd, env }: Call): Promise<string | undefined> {
  const git = Git.around(cwd, env)
  return git && (await new History(git).head().catch(() => undefined))
}

/** The files may be the reason for the failure, so this searches for two lines and parses nothing. */
async function namesIn(io: Call): Promise<Pick<FailureReport, 'organization' | 'owner'>> {
  const text = await readFile(resolve(io.cwd, io.options.config ?? 'setpoint.yaml'), 'utf8').catch(() => '')
  const at = (name: string): string | undefined =>
    new RegExp(`^${name}: *["']?([A-Za-z0-9_-]{1,100})["']? *(?:#.*)?$`, 'm').exec(text)?.[1]
  const organization = io.env.SETPOINT_ORGANIZATION || at('organization')
  return organization === undefined ? {} : { organization, owner: at('owner') }
}
