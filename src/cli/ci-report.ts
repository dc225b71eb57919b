import { DoorError, type Handover, receive } from '../ci/door.ts'
import { NotReviewed, requestOf } from '../forge/find-reviewed.ts'
import { type KeptIssue, keepIssues, type Matter, MOST_OF_ISSUE } from '../forge/issues.ts'
import { propose } from '../forge/propose.ts'
import { member, type PullRequest, readForgeProject, readPullRequest, textAt } from '../forge/pull-request.ts'
import { mistake } from '../model/diagnostic.ts'
import { parseJson } from '../model/json.ts'
import { commentText } from '../report/comment-text.ts'
import { codeBlock, harmlessLines } from '../report/neutralise.ts'
import { fail, required } from '../run/commands/ending.ts'
import { eventIn } from '../run/commands/reports.ts'
import { EXIT } from '../run/exit-codes.ts'
import { sayDiagnostics } from '../run/run.ts'
import { type OpenJob, openJob } from './ci-job.ts'
import { postComment } from './commands/comment-command.ts'
import { mergesOf } from './find-merges.ts'
import type { CommandContext } from './io.ts'
import { withForge } from './with-forge.ts'

/** `setpoint ci report`: the job that writes to the forge, and never contacts the service. It says what another job handed over. */
export async function reportJob(io: CommandContext): Promise<number> {
  const job = await openJob(io, 'report')
  const found = received(io, job)
  switch (job.event) {
    case 'pull':
      return await onRequest(io, job, found)
    case 'main':
      return await onMerged(io, job, found)
    case 'schedule':
      return await inIssues(io, job, found)
  }
}

/** What a job handed over, or why nobody knows. */
type JobResult =
  | { readonly job: string; readonly handover: Handover }
  | { readonly job: string; readonly handover?: undefined; readonly why: string; readonly isRefused: boolean }

function received(io: CommandContext, job: OpenJob): JobResult {
  const from = sourceOf(io, job)
  try {
    const handover = receive(job, from)
    if (handover !== undefined) return { job: from, handover }
    return { job: from, why: `The job "${from}" ended without a result. See its log.`, isRefused: false }
  } catch (error) {
    if (!(error instanceof DoorError)) throw error
    sayDiagnostics(io, [mistake('bad-usage', error.message, error.hint)])
    return { job: from, why: error.message, isRefused: true }
  }
}

/** The job whose result this one reports: its own name says it. */
function sourceOf(io: CommandContext, job: OpenJob): string {
  const { forge, role, prefix, event } = job
  if (forge === 'none') return event === 'main' && hasResult(job, 'apply') ? 'apply' : 'plan'
  if (role === 'report') return `${prefix}${event === 'pull' ? 'plan' : 'main'}`
  if (event === 'main' && role === 'reported') return `${prefix}apply`
  if (event === 'main' && role === 'reported-approved') return `${prefix}approve`
  return fail(
    io,
    mistake(
      'bad-usage',
      `The job "${prefix}${role}" has nothing to report.`,
      `The jobs that report are named ${prefix}report and, after an apply, ${prefix}reported.`,
    ),
  )
}

/** Whether there is a result, also one that the door refuses: that is said. */
function hasResult(job: OpenJob, from: string): boolean {
  try {
    return receive(job, from) !== undefined
  } catch {
    return true
  }
}

const codeFor = (found: JobResult): number =>
  found.handover === undefined && found.isRefused ? EXIT.error : EXIT.done

/** The comment with the plan. A fork's token cannot write: its plan is in the summary. */
async function onRequest(io: CommandContext, job: OpenJob, found: JobResult): Promise<number> {
  const event = await eventIn(io)
  if (job.forge === 'github' && isOfFork(event, io.env.GITHUB_REPOSITORY)) {
    io.stdout.write(
      'A pull request from a fork: its token cannot comment. The plan is in the summary of this run.\n',
    )
    return codeFor(found)
  }
  const place = required(io, readPullRequest(io.env, event, undefined))
  const text = found.handover?.report ?? unknownMarkdown(found, job)
  return Math.max(await postAll(io, [place], text), codeFor(found))
}

function isOfFork(event: string | undefined, repository: string | undefined): boolean {
  const head = member(member(parseJson(event ?? ''), 'pull_request'), 'head')
  return head !== undefined && textAt(member(head, 'repo'), 'full_name') !== repository
}

/** What was applied, or why not, on each request of the merges. */
async function onMerged(io: CommandContext, job: OpenJob, found: JobResult): Promise<number> {
  const text =
    found.handover === undefined ? unknownMarkdown(found, job) : mergedText(job, found.job, found.handover)
  if (text === '') {
    io.stdout.write('There is nothing to report.\n')
    return codeFor(found)
  }
  const project = required(io, readForgeProject(io.env, 'comment'))
  const requests = found.handover?.requests ?? []
  const numbers = requests.length > 0 ? requests : await numbersOf(io, job)
  if (typeof numbers === 'number') return numbers
  const places = numbers.map(number => ({ ...project, number }))
  return Math.max(await postAll(io, places, text), codeFor(found))
}

/** The request of the commit. A direct push has none. */
async function numbersOf(io: CommandContext, job: OpenJob): Promise<readonly number[] | number> {
  const project = required(io, readForgeProject(io.env, 'comment'))
  return await withForge(io, project, async transport => {
    try {
      return [(await requestOf(mergesOf(io, project, transport, job.prefix), job.commit)).number]
    } catch (error) {
      if (!(error instanceof NotReviewed)) throw error
      io.stdout.write(harmlessLines(`${error.message} No comment was posted.\n`))
      return []
    }
  })
}

/** Worst code of all: one request that is locked does not keep the others from being told. */
async function postAll(io: CommandContext, places: readonly PullRequest[], report: string): Promise<number> {
  const text = commentText(report)
  if (text === undefined)
    return fail(
      io,
      mistake(
        'bad-usage',
        'The job before passed on something that is not a report of Setpoint.',
        'Nothing was posted.',
      ),
    )
  let code: number = EXIT.done
  for (const place of places) {
    const posted = await withForge(io, place, transport => postComment(io, place, transport, text))
    code = Math.max(code, posted)
  }
  return code
}

/** '' if there is nothing to say: what follows says it. */
function mergedText(job: OpenJob, from: string, { report, reason, next, code }: Handover): string {
  if (report === '') return ''
  if (from !== `${job.prefix}main` && from !== 'plan') return withSection(report, NEXT_STEPS[code])
  if (code !== EXIT.done) return withSection(report, 'Start the whole pipeline again.')
  if (next !== 'approve') return ''
  const link = job.url === undefined ? '' : `\n\n[Approve or reject](${job.url})`
  const block = codeBlock(cutText(reason ?? '').split('\n'), 'text')
  return withSection(report, `**Not applied: a second person has to approve this plan.**\n\n${block}${link}`)
}

/** A report has at most `LIMIT` characters, so a comment has room for this reason beside it. */
const cutText = (reason: string): string =>
  reason.length > MOST_OF_REASON ? `${reason.slice(0, MOST_OF_REASON)}…` : reason
const MOST_OF_REASON = 4_000

/** What to do after an apply, by its exit code. */
const NEXT_STEPS: Readonly<Record<number, string>> = {
  [EXIT.error]: 'Nothing was written. Start the same job again.',
  [EXIT.partial]: 'Start the same job again: it does what is left.',
  [EXIT.interrupted]: 'The job was cancelled. Started again, it does what is left.',
  [EXIT.terminated]: 'The job was cancelled. Started again, it does what is left.',
  [EXIT.refused]:
    'Nothing was written. Start the whole pipeline again: it makes a new plan of the default branch.',
}

/** A section after the marker and the headline. */
function withSection(report: string, section: string | undefined): string {
  if (section === undefined) return report
  const [top = '', ...rest] = report.split('\n\n')
  return [top, section, ...rest].join('\n\n')
}

function unknownMarkdown(found: JobResult, job: OpenJob): string {
  const why = found.handover === undefined ? found.why : ''
  const link = job.url === undefined ? '' : `\n\n[See the run](${job.url})`
  return `${ANY_MARKER}\n### Setpoint: the result is unknown\n\n${codeBlock([why], 'text')}${link}\n`
}

/** What a job that writes hands over before it begins: it is read only if the job dies. */
export const diedMarkdown = (name: string, what: string): string =>
  `${ANY_MARKER}\n### Setpoint: the result is unknown\n\nThe job "${name}" ended without a result. Something may be written. Started again, this ${what} does what is left.\n`

/** The comment of any organization: a job that died may not know its own. */
const ANY_MARKER = '<!-- setpoint:* -->'

/** One issue about drift, one about a check that failed, and one request for groups: each is looked for first. */
async function inIssues(io: CommandContext, job: OpenJob, found: JobResult): Promise<number> {
  const place = required(io, readForgeProject(io.env, 'comment'))
  const matters = mattersOf(io, job, found)
  const kept = await withForge(io, place, transport =>
    keepIssues(transport, place, matters, () => io.sleep(PAUSE, io.stop)),
  )
  if (typeof kept === 'number') return kept
  for (const [index, { title }] of matters.entries()) {
    const state = kept[index]
    if (state !== undefined && state !== 'nothing') io.stdout.write(`${SAID[state]}: ${title}\n`)
  }
  return Math.max(await proposeGroups(io, found.handover), codeFor(found))
}

/** The time until a forge returns what it has just stored. */
const PAUSE = 2_000

const SAID = {
  opened: 'Opened the issue',
  updated: 'Updated the issue',
  unchanged: 'The issue is up to date',
  closed: 'Closed the issue',
} as const satisfies Record<Exclude<KeptIssue, 'nothing'>, string>

function mattersOf(io: CommandContext, job: OpenJob, found: JobResult): readonly Matter[] {
  const { handover } = found
  const code = handover?.code
  const isChecked = code === EXIT.done || code === EXIT.changes
  const report = handover === undefined ? unknownMarkdown(found, job) : handover.report
  // What another job handed over may have any length.
  const body = report.length > MOST_OF_ISSUE ? 'The report is too long. See the run.' : report
  const where = [io.options.directory, io.options.config].filter(part => part && part !== '.').join('/')
  const suffix = where === '' ? '' : `:${where.replace(/[^\w./-]/g, '_')}`
  const of = where === '' ? '' : ` (${where.replace(/[^\w./-]/g, '_')})`
  const today = io.now().toISOString().slice(0, 10)
  return [
    {
      name: `drift${suffix}`,
      title: `The service differs from the files${of}`,
      state: code === EXIT.changes ? 'so' : code === EXIT.done ? 'over' : 'unknown',
      body,
      closing: 'The service matches the files.',
    },
    {
      name: `unchecked${suffix}`,
      title: `Drift could not be checked since ${today}${of}`,
      state: isChecked ? 'over' : 'so',
      body,
      closing: 'Drift is checked again.',
    },
  ]
}

async function proposeGroups(io: CommandContext, handover: Handover | undefined): Promise<number> {
  const { groups: files = [], groupsText = '' } = handover ?? {}
  if (files.length === 0) return EXIT.done
  if (!io.env.SETPOINT_BOT_TOKEN) {
    io.stdout.write(
      'Groups differ from the service. With SETPOINT_BOT_TOKEN, this job opens a pull or merge request that updates them.\n',
    )
    return EXIT.done
  }
  const place = required(io, readForgeProject(io.env, 'propose'))
  const body = `${codeBlock(groupsText.trimEnd().split('\n'), 'text')}\n`
  const proposal = { branch: 'setpoint-groups', title: 'Update the groups of workspaces', body, files }
  const made = await withForge(io, place, transport => propose(transport, place, proposal))
  if (typeof made === 'number') return made
  const { number, isNew, isPushed } = made
  io.stdout.write(
    isNew
      ? `Opened pull or merge request ${number} for the groups that differ.\n`
      : isPushed
        ? `Updated pull or merge request ${number} for the groups that differ.\n`
        : `The pull or merge request ${number} for the groups that differ is up to date.\n`,
  )
  return EXIT.done
}
