import { readFile } from 'node:fs/promises'
import { headOf } from '../../git/commits.ts'
import { Git } from '../../git/git.ts'
import type { FailureReport, ReportingCommand } from '../../report/failure-doc.ts'
import { configurationOf } from '../editor-schemas.ts'
import { EXIT } from '../exit-codes.ts'
import type { Run, World } from '../run.ts'
import { type Ending, untilEnd } from './ending.ts'
import { prepareOutputs } from './output-files.ts'
import { published, withRun, writeReports } from './reports.ts'
import { RunRecord } from './run-record.ts'

/**
 * Runs a command with reports. Their files are checked before anything else, and written when it has ended, however that was: a command
 * without a report has a failure to report. Otherwise a comment or a dashboard would keep what was true before.
 */
export async function reported(
  command: ReportingCommand,
  run: Run,
  body: (inside: Run) => Promise<Ending>,
  planFiles: readonly string[] = [],
): Promise<Ending> {
  await prepareOutputs(run, planFiles)
  const inside: Run = { ...run, record: recordOf(run) }
  let ending: Ending
  try {
    ending = await untilEnd(inside, () => body(inside))
  } catch (bug) {
    await finished(command, inside, { code: EXIT.error })
    throw bug
  }
  return await finished(command, inside, ending)
}

async function finished(command: ReportingCommand, run: Run, ending: Ending): Promise<Ending> {
  const { code } = ending
  const errors = run.told.filter(({ severity }) => severity === 'error')
  const failure = { command, exitCode: code, diagnostics: errors }
  const { report } =
    ending.report === undefined
      ? await published(run, { kind: 'failure', ...failure, ...(await namesIn(run)) }, code)
      : ending
  if (report === undefined) return ending
  // A plan that was not applied, or not saved.
  const hasFailed = code === EXIT.error || (code === EXIT.refused && errors.length > 0)
  const ended = await withRun(run, report.kind === 'plan' && hasFailed ? { ...report, failure } : report)
  return { code: await writeReports(run, ended, code), report: ended }
}

/** What reports say of this run. Git is asked for the commit once for several organizations, and only if JSON is made. */
export function recordOf(run: Run): RunRecord {
  let commit: Promise<string | undefined> | undefined
  const ask = async (): Promise<string | undefined> => (makesJson(run) ? await commitOf(run) : undefined)
  return new RunRecord(run.now, run.record?.commit ?? (() => (commit ??= ask())), run.record)
}

const makesJson = ({ options: { format, reports } }: Run): boolean =>
  format === 'json' || reports.some(one => one.format === 'json')

/** `undefined` without a repository, and if Git is missing or refuses: a report does not depend on it. */
export async function commitOf({ cwd, env }: World): Promise<string | undefined> {
  const git = Git.around(cwd, env)
  return git && (await headOf(git).catch(() => undefined))
}

/** The files may be the reason for the failure, so this searches for two lines and parses nothing. */
async function namesIn(run: Run): Promise<Pick<FailureReport, 'organization' | 'owner'>> {
  const file = configurationOf(run.cwd, run.options.config)
  const text = await readFile(file, 'utf8').catch(() => '')
  const at = (name: string): string | undefined =>
    new RegExp(`^${name}: *["']?([A-Za-z0-9_-]{1,100})["']? *(?:#.*)?$`, 'm').exec(text)?.[1]
  const organization = run.env.SETPOINT_ORGANIZATION || at('organization')
  return organization === undefined ? {} : { organization, owner: at('owner') }
}
