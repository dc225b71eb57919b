import { DoorError, type Handover, handOver, openDoor } from '../ci/door.ts'
import { type PipelineJob, type PipelineStep, readJob } from '../ci/pipeline-job.ts'
import { appendToFile } from '../disk/write-file.ts'
import { headOf } from '../git/commits.ts'
import { Git } from '../git/git.ts'
import { realPath } from '../git/work-tree.ts'
import { mistake } from '../model/diagnostic.ts'
import type { FailureReport, ReportingCommand } from '../report/failure-doc.ts'
import { type Report, renderers } from '../report/index.ts'
import { fail, required } from '../run/commands/ending.ts'
import { eventIn, redactedReport, sourcesOf } from '../run/commands/reports.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Options } from '../run/options.ts'
import type { Run } from '../run/run.ts'
import type { CommandContext } from './io.ts'

/** A job of a pipeline with its door open. */
export interface OpenJob extends PipelineJob {
  /** What stands before the names of all jobs: `setpoint-` in the component for GitLab, or `acme-` for one of several organizations. */
  readonly prefix: string
  /** Its name without that. */
  readonly role: string
}

/** Reads the job of this process and opens its door. Ends the command if either is not possible. */
export async function openJob(io: CommandContext, step: PipelineStep): Promise<OpenJob> {
  const git = io.env.SETPOINT_CI_EVENT ? Git.around(io.cwd, io.env) : undefined
  const head = git && (await headOf(git).catch(() => undefined))
  const { SETPOINT_CI_DIR: named } = io.env
  const env = { ...io.env, SETPOINT_CI_DIR: named && (realPath(named) ?? named) }
  const job = required(io, readJob(env, step, { event: await eventIn(io), head, root: git?.root }))
  await throughDoor(io, () => openDoor(job, io.env))
  const [, prefix = '', role = job.name] = ROLE.exec(job.name) ?? []
  return { ...job, prefix, role }
}

/** The name of a job, after what stands before the names of all jobs: of the component, or of one organization among several. */
const ROLE = /^((?:[\w-]+-)?)(plan|main|report|apply|approve|reported|reported-approved)$/

/** What the door refuses ends the command: nobody knows the result. */
export async function throughDoor<T>(io: Run, body: () => T | Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof DoorError)) throw error
    return fail(io, mistake('bad-usage', error.message, error.hint))
  }
}

/** Hands over the result of a job and ends it with this code. */
export async function endJob(
  io: Run,
  job: PipelineJob,
  handover: Handover,
  code = handover.code,
): Promise<number> {
  await throughDoor(io, () => handOver(job, handover))
  return code
}

/** A run of another command inside of a job: with its own options, and without hints to type a command. */
export const inside = (io: CommandContext, options: Partial<Options>): CommandContext => ({
  ...io,
  typed: undefined,
  told: [],
  options: { ...io.options, ...options },
})

/** Characters of a report, with room for what `ci report` adds. */
const LIMIT = 60_000

/** A report as Markdown, as it is handed over. */
export async function markdownOf(io: Run, report: Report): Promise<string> {
  return renderers.markdown(redactedReport(io, report), {
    elsewhere: [],
    markdownLimit: LIMIT,
    ...(await sourcesOf(io)),
  })
}

/** The report of a run that ended before it had one: the errors that it told. */
export const failedMarkdown = (
  io: Run,
  command: ReportingCommand,
  exitCode: number = EXIT.error,
): Promise<string> => {
  const diagnostics = io.told.filter(({ severity }) => severity === 'error')
  const report: FailureReport = { kind: 'failure', command, exitCode, diagnostics }
  return markdownOf(io, report)
}

/** Tells the forge what comes next: an output on GitHub. */
export async function sayOutput(io: Run, name: string, value: string): Promise<void> {
  const path = io.env.GITHUB_OUTPUT
  if (path) await appendToFile(path, `${name}=${value}\n`)
}

/** The page of a run on GitHub. Elsewhere it is the log. */
export async function saySummary(io: CommandContext, text: string): Promise<void> {
  io.stdout.write(text)
  const path = io.env.GITHUB_STEP_SUMMARY
  if (path) await appendToFile(path, `\n${text}`)
}
