import { join } from 'node:path'
import { hasToken } from '../api/tokens.ts'
import type { Handover } from '../ci/door.ts'
import { loadGroups } from '../config/load.ts'
import { replaceFile } from '../disk/write-file.ts'
import { findReviewed, NotReviewed, type Reviewed, short } from '../forge/find-reviewed.ts'
import { lastSnapshot } from '../forge/last-snapshot.ts'
import { readForgeProject } from '../forge/pull-request.ts'
import { Git } from '../git/git.ts'
import { savedPlan } from '../plan/reviewed-plan.ts'
import { differs, groupsDoc } from '../report/groups-doc.ts'
import { codeBlock } from '../report/neutralise.ts'
import { textOf } from '../report/print-text.ts'
import { type ComparedPlan, comparePlans } from '../run/apply.ts'
import { type Ending, fail, misuse, required, untilEnd } from '../run/commands/ending.ts'
import { loadOptions } from '../run/commands/load-files.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Options } from '../run/options.ts'
import { drift, plan } from '../run/plan.ts'
import { parsePlan } from '../run/saved-plan.ts'
import {
  endJob,
  failedMarkdown,
  inside,
  markdownOf,
  type OpenJob,
  openJob,
  sayOutput,
  saySummary,
} from './ci-job.ts'
import { comparedGroups } from './commands/groups-command.ts'
import { snapshotText } from './commands/snapshot-command.ts'
import { guardIn } from './files-that-decide.ts'
import { mergesOf, PLAN_FILE, workflowIn } from './find-merges.ts'
import type { CommandContext } from './io.ts'
import { downloadFrom, withForge } from './with-forge.ts'

/** `setpoint ci plan`: the job that reads the service, and hands over what it found. It never writes there. */
export async function planJob(given: CommandContext): Promise<number> {
  const job = await openJob(given, 'plan')
  const io = { ...given, env: readingEnvironment(given) }
  switch (job.event) {
    case 'pull':
      return await planPull(io, job)
    case 'main':
      return await planMain(io, job)
    case 'schedule':
      return await planSchedule(io, job)
  }
}

/** The token that only reads comes first: on GitLab, both may reach a job. */
function readingEnvironment({ env }: CommandContext): CommandContext['env'] {
  const { TFE_TOKEN_READ: reading, ...others } = env
  return reading ? { ...others, TFE_TOKEN: reading } : others
}

/** The reports for people beside what is handed over, and the summary of the run. */
const reportsIn = ({ env }: CommandContext, { own, forge }: OpenJob): Options['reports'] => [
  { format: 'html', path: join(own, 'plan.html') },
  ...(forge === 'gitlab' ? ([{ format: 'gitlab', path: join(own, 'widget.json') }] as const) : []),
  ...(env.GITHUB_STEP_SUMMARY ? ([{ format: 'markdown', path: env.GITHUB_STEP_SUMMARY }] as const) : []),
]

async function planPull(io: CommandContext, job: OpenJob): Promise<number> {
  const run = inside(io, {
    base: job.base,
    out: join(job.own, PLAN_FILE),
    reports: reportsIn(io, job),
  })
  const ending = await untilEnd(run, async () => {
    const snapshot = hasToken(io.env) || io.given !== undefined ? undefined : await snapshotFor(run, job)
    return await plan({ ...run, options: { ...run.options, snapshot } })
  })
  return await endJob(io, job, { code: ending.code, report: await reportOf(run, ending, 'plan') })
}

const reportOf = async (
  io: CommandContext,
  { code, report }: Ending,
  command: 'plan' | 'drift',
): Promise<string> =>
  report === undefined ? await failedMarkdown(io, command, code) : await markdownOf(io, report)

/** A job without a token of the service, such as that of a fork, plans from the newest snapshot of the default branch. */
async function snapshotFor(io: CommandContext, job: OpenJob): Promise<string> {
  if (job.forge === 'none')
    misuse(
      io,
      'There is no token for the service.',
      'Set TFE_TOKEN_READ to a token that only reads variables.',
    )
  const jobToken = job.forge === 'gitlab' ? io.env.CI_JOB_TOKEN : undefined
  const environment = jobToken ? { ...io.env, SETPOINT_FORGE_TOKEN: jobToken } : io.env
  const place = required(io, readForgeProject(environment, 'read'))
  const branch = io.env.CI_DEFAULT_BRANCH ?? ''
  const found = await withForge(
    io,
    place,
    transport =>
      lastSnapshot(transport, place, {
        jobs: [`${job.prefix}apply`, `${job.prefix}main`],
        branch,
        workflow: workflowIn(io),
        download: downloadFrom(io, place),
      }),
    jobToken ? 'job' : 'bearer',
  )
  if (typeof found !== 'string')
    return typeof found === 'number'
      ? fail(io)
      : misuse(
          io,
          'There is no token for the service, and no snapshot to plan from.',
          'Set TFE_TOKEN_READ, or let the default branch make a snapshot: its job needs ci plan --snapshot, and one run.',
        )
  const path = join(job.own, '..', 'snapshot.json')
  replaceFile(path, found, 0o600)
  return path
}

/** What is known of the merges since the last apply. */
type Waiting =
  | Exclude<Reviewed, { state: 'ready' }>
  | {
      readonly state: 'waiting'
      /** Absent for the first commit of a repository. */
      readonly base?: string
      readonly requests: readonly number[]
      readonly plans: readonly string[] | NotReviewed
    }

async function planMain(io: CommandContext, job: OpenJob): Promise<number> {
  const run = inside(io, {})
  const waiting = await untilEnd(run, () => waitingFor(run, job))
  if (typeof waiting === 'number' || 'code' in waiting) {
    const code = typeof waiting === 'number' ? waiting : waiting.code
    return await endJob(io, job, { code, report: await failedMarkdown(run, 'plan', code) })
  }
  if (waiting.state !== 'waiting') {
    const reason =
      waiting.state === 'applied'
        ? `${short(job.commit)} is applied already.`
        : `${short(job.commit)} is not the newest commit of ${waiting.branch}: the pipeline of ${short(waiting.tip)} applies it.`
    await saySummary(io, `${reason}\n`)
    return await endJob(io, job, { code: EXIT.done, report: '', reason })
  }
  const { base, requests, plans } = waiting
  const options = { base, reports: reportsIn(io, job) }
  const reviewed = plans instanceof NotReviewed ? [] : plans
  const made = await planOf(io, options, waiting)
  const report = await reportOf(made.run, made.ending, 'plan')
  const known = { report, base, requests }
  if (made.plan === undefined) {
    const code = made.ending.code === EXIT.done ? EXIT.error : made.ending.code
    return await endJob(io, job, { ...known, code })
  }
  const text = savedPlan(made.plan)
  replaceFile(join(job.own, PLAN_FILE), text, 0o644)
  const { refusal: reason } = made
  const next = reason === undefined ? 'apply' : 'approve'
  const more = await untilEnd(run, async () => ({ snapshot: await snapshotIf(io, run) }))
  if ('code' in more)
    return await endJob(io, job, { code: more.code, report: await failedMarkdown(run, 'plan', more.code) })
  if (reason !== undefined) await saySummary(io, approvalText(reason))
  await sayOutput(io, 'next', next)
  return await endJob(io, job, { ...known, code: EXIT.done, next, reason, plan: text, reviewed, ...more })
}

/** Why a person has to approve, for the summary: the reviewers of the run see it there. */
const approvalText = (reason: string): string =>
  `**This is not the reviewed plan.** A second person has to approve it.\n\n${codeBlock(reason.split('\n'), 'text')}\n`

interface MadePlan extends ComparedPlan {
  readonly run: CommandContext
}

/** The one plan of main: compared with the reviewed plans, or else the plan that a person approves. */
async function planOf(
  io: CommandContext,
  options: Partial<Options>,
  { plans }: Extract<Waiting, { state: 'waiting' }>,
): Promise<MadePlan> {
  const isReviewed = !(plans instanceof NotReviewed)
  const run = inside(io, { ...options, onlyThisChange: false, expectNoDrift: isReviewed })
  if (!isReviewed) {
    const made = await comparePlans(run, [])
    return { run, ...made, refusal: plans.message }
  }
  const files = plans.map((text, index) => ({ file: `the reviewed plan ${index + 1}`, text }))
  const modes = new Set<boolean>()
  for (const { file, text } of files) {
    const parsed = await parsePlan(file, text)
    if (!('severity' in parsed)) modes.add(parsed.onlyThisChange !== undefined)
  }
  if (modes.size > 1) {
    const full = { ...run, options: { ...run.options, expectNoDrift: false } }
    return { run: full, ...(await comparePlans(full, [])), refusal: MIXED }
  }
  const alone = modes.has(true)
  const asked = { ...run, options: { ...run.options, onlyThisChange: alone, expectNoDrift: !alone } }
  return { run: asked, ...(await comparePlans(asked, files)) }
}

const MIXED =
  'Some of these plans are of one change alone (--only-this-change), and others are not, so they cannot be applied together.'

/** Asks the forge which merges wait for an apply, and for their plans. Without artifacts of a forge, a person always approves. */
async function waitingFor(io: CommandContext, job: OpenJob): Promise<Waiting | number> {
  if (job.forge === 'none')
    return {
      state: 'waiting',
      base: job.base,
      requests: [],
      plans: new NotReviewed('Outside GitHub and GitLab, no reviewed plans are kept.'),
    }
  const place = required(io, readForgeProject(io.env, 'read'))
  if (job.forge === 'github' && workflowIn(io) === '') misuse(io, NO_WORKFLOW, IN_A_JOB)
  const isGuarded = await guardIn(io)
  // On GitHub, "approve" is a gate that applies nothing.
  const roles = job.forge === 'github' ? ['apply'] : ['apply', 'approve']
  const jobs = roles.map(role => `${job.prefix}${role}`)
  return await withForge(io, place, async transport => {
    try {
      const merges = mergesOf(io, place, transport, job.prefix)
      const found = await findReviewed(merges, { commit: job.commit, jobs, isGuarded })
      if (found.state === 'applied' && job.isByHand) return againBy(job)
      if (found.state !== 'ready') return found
      const requests = found.plans.map(({ request }) => request.number)
      const plans = await acceptedPlans(found.plans)
      return { state: 'waiting', base: found.base, requests, plans }
    } catch (error) {
      if (!(error instanceof NotReviewed)) throw error
      const requests = error.requests.map(({ number }) => number).toReversed()
      return { state: 'waiting', base: error.base ?? (await before(io)), requests, plans: error }
    }
  })
}

/** Whoever starts a run by hand wants the service as the files: what differs was not reviewed. */
const againBy = ({ commit }: OpenJob): Waiting => ({
  state: 'waiting',
  base: commit,
  requests: [],
  plans: new NotReviewed(`${short(commit)} was applied before, and this run was started by hand.`),
})

const NO_WORKFLOW = 'GITHUB_WORKFLOW_REF does not name the workflow that plans.'
const IN_A_JOB = 'Run this in a job of GitHub, which sets it.'

/** Without a known apply, the commit before; none for the first one. */
async function before({ cwd, env }: CommandContext): Promise<string | undefined> {
  const found = await Git.around(cwd, env)?.run(['rev-parse', '--verify', '--quiet', `${BEFORE}^{commit}`])
  return found?.status === 0 ? BEFORE : undefined
}

const BEFORE = 'HEAD^1'

/** The texts of the plans, if all can be applied. */
export async function acceptedPlans(
  plans: Extract<Reviewed, { state: 'ready' }>['plans'],
): Promise<readonly string[] | NotReviewed> {
  for (const { request, text } of plans) {
    const parsed = await parsePlan(`the plan of ${request.name}`, text)
    if ('severity' in parsed) return new NotReviewed(parsed.message)
    if (parsed.blocked)
      return new NotReviewed(
        `The plan of ${request.name} was blocked when it was reviewed: ${parsed.blocks[0]?.message ?? ''}`,
      )
  }
  return plans.map(({ text }) => text)
}

/** The check for drift, the snapshot, and the groups that differ: each although another failed. */
async function planSchedule(io: CommandContext, job: OpenJob): Promise<number> {
  const run = inside(io, { reports: reportsIn(io, job), onlyThisChange: false })
  const ending = await drift(run)
  const handover: Handover = { code: ending.code, report: await reportOf(run, ending, 'drift') }
  const rest = await untilEnd(io, async () => ({
    snapshot: await snapshotIf(io, inside(io, {})),
    ...(await groupsNow(io)),
  }))
  const isReported =
    job.forge !== 'none' && (job.forge === 'github' || Boolean(io.env.SETPOINT_COMMENT_TOKEN))
  const code = ending.code === EXIT.changes && isReported ? EXIT.done : ending.code
  if ('code' in rest) return await endJob(io, job, handover, code === EXIT.done ? rest.code : code)
  return await endJob(io, job, { ...handover, ...rest }, code)
}

/** With the switch `--snapshot`: what `run`, a run of this job, reads of the service. */
const snapshotIf = async (io: CommandContext, run: CommandContext): Promise<string | undefined> =>
  io.options.withSnapshot ? await snapshotText(run) : undefined

/** The files of groups that differ from the service, as they should be. */
async function groupsNow(io: CommandContext): Promise<Pick<Handover, 'groups' | 'groupsText'>> {
  const run = inside(io, {})
  const { groups } = required(run, loadGroups(loadOptions(run)))
  if (groups.length === 0) return {}
  const { organization, found, files } = await comparedGroups(run, ['*'])
  if (!found.some(differs)) return {}
  const text = textOf(groupsDoc(io.redactor.in(found), { organization, left: 0 }), { color: false })
  return { groups: files.map(one => ({ path: one.path, text: one.text })), groupsText: text }
}
