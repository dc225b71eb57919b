import type { Handover } from '../ci/door.ts'
import { receive } from '../ci/door.ts'
import { approverOf } from '../forge/approvers.ts'
import { short } from '../forge/find-reviewed.ts'
import { readForgeProject } from '../forge/pull-request.ts'
import { mistake } from '../model/diagnostic.ts'
import { harmlessLines } from '../report/neutralise.ts'
import { apply } from '../run/apply.ts'
import { type Ending, fail, misuse, required, untilEnd } from '../run/commands/ending.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { SavedPlan } from '../run/saved-plan.ts'
import { parsePlan } from '../run/saved-plan.ts'
import { endJob, failedMarkdown, inside, markdownOf, type OpenJob, openJob, throughDoor } from './ci-job.ts'
import { diedMarkdown } from './ci-report.ts'
import { snapshotText } from './commands/snapshot-command.ts'
import { mergesOf } from './find-merges.ts'
import type { CommandContext } from './io.ts'
import { withForge } from './with-forge.ts'

/** `setpoint ci apply`: the only job that writes to the service. It applies what the job with the plan of main handed over, or nothing. */
export async function applyJob(io: CommandContext): Promise<number> {
  const job = await openJob(io, 'apply')
  const from = job.forge === 'none' ? 'plan' : `${job.prefix}main`
  const { requests = [], ...found } = await onMain(io, job, from)
  const known = { requests }
  const why = whyNotNow(job, found)
  if (why !== undefined) {
    io.stdout.write(`${why}\n`)
    return await endJob(io, job, { ...known, code: EXIT.refused, report: '' })
  }
  // If this process dies, this is what it has handed over.
  await endJob(io, job, { ...known, code: EXIT.partial, report: diedMarkdown(job.name, 'apply') })
  const run = inside({ ...io, env: { ...io.env, SETPOINT_APPROVE: undefined } }, {})
  const ending = await untilEnd<Ending>(run, () => applied(run, job, found, io.env.SETPOINT_APPROVE))
  const report =
    ending.report === undefined
      ? await failedMarkdown(run, 'apply', ending.code)
      : await markdownOf(run, ending.report)
  const snapshot = await snapshotAfter(run, found, ending)
  return await endJob(io, job, { ...known, code: ending.code, report, snapshot })
}

/** What the plan of main says. Ends the command if there is none, or if it is no plan of the default branch. */
async function onMain(io: CommandContext, job: OpenJob, from: string): Promise<Handover> {
  if (job.event !== 'main')
    fail(
      io,
      mistake('bad-usage', 'An apply runs on the default branch only, after a merge or started by hand.'),
    )
  const found = await throughDoor(io, () => receive(job, from))
  if (found !== undefined) return found
  return fail(
    io,
    mistake(
      'bad-usage',
      `The job "${from}" left no result.`,
      'Nothing was written. Start the whole pipeline again.',
    ),
  )
}

/** Why this job has nothing to do. On GitLab, `apply` and `approve` are both there, and one of them applies. */
function whyNotNow({ forge, role }: OpenJob, { next, reason }: Handover): string | undefined {
  if (next === undefined) return reason ?? 'There is no plan to apply: the job that plans failed.'
  if (forge !== 'gitlab') return undefined
  if (role === 'approve' && next === 'apply')
    return 'There is nothing to approve: the job "apply" applies the reviewed plan.'
  return role === 'apply' && next === 'approve' ? 'Not applied: it waits for the job "approve".' : undefined
}

async function applied(
  io: CommandContext,
  job: OpenJob,
  { next, base, plan = '', reviewed = [] }: Handover,
  digest: string | undefined,
): Promise<Ending> {
  if (job.forge !== 'none') await checkTip(io, job.commit, job.prefix)
  if (next === 'apply') {
    const files = reviewed.map((text, index) => ({ file: `the reviewed plan ${index + 1}`, text }))
    if (files.length === 0) fail(io, mistake('refused', 'There is no reviewed plan to apply.'))
    return await apply(await withMode(io, base, files), { reviewed: files })
  }
  const file = { file: 'the plan of the default branch', text: plan }
  const parsed = await parsePlan(file.file, plan)
  if ('severity' in parsed) return fail(io, parsed)
  await checkApproval(io, job, parsed.digest, digest)
  const options = { ...io.options, base, approve: parsed.digest }
  return await apply({ ...io, options }, { reviewed: [file] })
}

/** Reviewed plans are applied only if nothing else was changed; one of a change alone leaves that as it is. */
async function withMode(
  io: CommandContext,
  base: string | undefined,
  [first]: readonly SavedPlan[],
): Promise<CommandContext> {
  const parsed = await parsePlan(first?.file ?? '', first?.text ?? '')
  const alone = !('severity' in parsed) && parsed.onlyThisChange !== undefined
  return { ...io, options: { ...io.options, base, expectNoDrift: !alone } }
}

/** Asked after the lock is held: an old job that waited ends here. */
async function checkTip(io: CommandContext, commit: string, prefix: string): Promise<void> {
  const place = required(io, readForgeProject(io.env, 'read'))
  const tip = await withForge(io, place, transport => mergesOf(io, place, transport, prefix).tip())
  if (typeof tip === 'number') return fail(io)
  if (tip.commit !== commit)
    fail(
      io,
      mistake(
        'refused',
        `${short(commit)} is not the newest commit of ${tip.branch}, which is ${short(tip.commit)}.`,
        'Nothing was written. The pipeline of that commit applies both.',
      ),
    )
  io.stdout.write(harmlessLines(`${short(commit)} is the newest commit of ${tip.branch}.\n`))
}

/** `setpoint ci tip`: for a job of your own that applies. An old one that is started again ends here. */
export async function tipOnly(io: CommandContext): Promise<number> {
  const commit = (io.env.GITLAB_CI === 'true' ? io.env.CI_COMMIT_SHA : io.env.GITHUB_SHA) ?? ''
  if (!/^[0-9a-f]{40,64}$/.test(commit))
    misuse(
      io,
      'Neither GITHUB_SHA nor CI_COMMIT_SHA names a commit.',
      'Run this in a job of the forge, which sets it.',
    )
  await checkTip(io, commit, '')
  return EXIT.done
}

/** Who approved is asked of the forge. Elsewhere, the digest of the plan says that somebody has seen it. */
async function checkApproval(
  io: CommandContext,
  job: OpenJob,
  digest: string,
  approved: string | undefined,
): Promise<void> {
  if (job.forge === 'none') {
    if (approved !== digest)
      fail(
        io,
        mistake(
          'refused',
          'Nobody approved this plan.',
          `Nothing was written. Set SETPOINT_APPROVE to ${digest} after a review of the plan.`,
        ),
      )
    return
  }
  const place = required(io, readForgeProject(io.env, 'read'))
  const by = await withForge(io, place, transport =>
    approverOf(transport, place, {
      run: job.id,
      environment: `setpoint-approve`,
      job: io.env.CI_JOB_ID ?? '',
      isAlone: io.env.SETPOINT_ALONE === 'true',
    }),
  )
  if (typeof by === 'number') return fail(io)
  if (by === undefined) {
    const [message, hint] = NOBODY[job.forge]
    fail(io, mistake('refused', message, hint))
  }
  io.stdout.write(`Approved by ${JSON.stringify(by)}.\n`)
}

const NOBODY = {
  github: [
    'Nobody approved this run. Has the environment setpoint-approve required reviewers?',
    'Nothing was written. Add reviewers to the environment, and start the whole workflow again.',
  ],
  gitlab: [
    'Nobody else approved this pipeline: somebody who did not start the pipeline has to start its job "approve".',
    'Nothing was written. Without a second person, set the protected variable SETPOINT_ALONE to true.',
  ],
} as const

/** Plans of pull requests without a token start from what is there now. */
async function snapshotAfter(
  io: CommandContext,
  { snapshot }: Handover,
  { code }: Ending,
): Promise<string | undefined> {
  if (snapshot === undefined || code !== EXIT.done) return undefined
  const taken = await untilEnd(io, async () => ({ text: await snapshotText(io) }))
  return 'text' in taken ? taken.text : undefined
}
