import { secretsFromEnvironment } from '../../apply/secrets.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Plan } from '../../plan/plan.ts'
import { judgeClaim } from '../../plan/reviewed.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { type PlanRequest, type Prepared, preparePlan } from '../../run/prepare.ts'
import { openSecrets } from '../../secrets/open.ts'
import type { Run } from '../command.ts'
import {
  approves,
  type Claim,
  type Consent,
  DECLINED,
  type Decision,
  decide,
  unexpectedDrift,
} from '../decide.ts'
import { type ApplySession, eventsFor, execute } from '../execute.ts'
import { EXIT } from '../exit.ts'
import { reportingFailure } from '../failure-report.ts'
import { type Io, sayDiagnostics } from '../io.ts'
import type { Options } from '../options.ts'
import { hideSecrets, mayStart, planReport, planRequestFrom } from '../planning.ts'
import { publish, redactedPlan, render, writeReports } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { signalCode, withService } from '../session.ts'

/** Plan, consent, apply, closing read. A plan file is held against the plan of the moment and never drives anything. */
export const run: Run = reportingFailure('apply', (io, options, file, _, others = []) =>
  applyReviewed(io, options, file === undefined ? [] : [file, ...others], readSavedPlan),
)

/** As `run`; `read` says what a reviewed plan is read from. */
export async function applyReviewed(
  io: Io,
  options: Options,
  files: readonly string[],
  read: typeof readSavedPlan,
): Promise<number> {
  if (files.length > 0 && options.only.length > 0) {
    sayDiagnostics(io, options, [SELECTED_TWICE])
    return EXIT.error
  }
  if (!(await mayStart(io, options, files))) return EXIT.error
  const reviewed: Plan[] = []
  for (const file of files) {
    const plan = await read(io, file)
    if ('severity' in plan) {
      sayDiagnostics(io, options, [plan])
      return plan.code === 'refused' ? EXIT.refused : EXIT.error
    }
    reviewed.push(plan)
  }
  const opened = await openSecrets(options.secrets, { ...io, environment: secretsFromEnvironment(io.env) })
  const signal = io.stoppedBy()
  if (signal !== undefined) return signalCode(signal)
  sayDiagnostics(io, options, opened.diagnostics)
  const secrets = opened.value
  if (secrets === undefined) return EXIT.error
  const events = eventsFor(io, options)
  if (events === undefined) return EXIT.error
  try {
    return await withService(io, options, session =>
      planAndApply(io, options, { ...session, secrets, events }, reviewed),
    )
  } finally {
    events.close()
  }
}

async function planAndApply(
  io: Io,
  options: Options,
  session: ApplySession,
  [first, ...more]: readonly Plan[],
): Promise<number> {
  hideSecrets(io, session.desired, session.secrets)
  const reviewed: ReviewedPlans | undefined = first === undefined ? undefined : [first, ...more]
  const rewrite = [...options.rewrite, ...(reviewed ?? []).flatMap(rewritesIn)]
  const asked = { ...options, rewrite, only: first?.only ?? options.only }
  const planned = await planOfNow(io, asked, session)
  if (planned === undefined) return EXIT.error
  const { prepared, wishes } = planned
  const consent = consentIn(io, options)
  // Whoever planned without the secrets of this run saw the digest of the plan as it is.
  const plan = approves(consent, prepared.plan.digest) ? prepared.plan : redactedPlan(io, prepared.plan)
  const claim = reviewed === undefined ? undefined : claimOf(io, reviewed, prepared)
  const drift = options.expectNoDrift ? unexpectedDrift(prepared.plan) : undefined
  const decision = decide(plan, consent, claim, drift)
  switch (decision.kind) {
    case 'nothing-to-do':
      return await publish(io, options, planReport(options, prepared), EXIT.done)
    case 'refuse':
      return await refuse(io, options, prepared, decision)
    case 'apply':
      // What was approved needs no word on how to approve it.
      if (options.format === 'text')
        io.stdout.write(render(io, options, shownPlan(options, prepared, approves(consent, plan.digest))))
      return await execute(io, options, session, prepared, wishes)
    case 'ask': {
      const shown = render(io, { ...options, format: 'text' }, planReport(options, prepared))
      if (options.format === 'text') io.stdout.write(shown)
      else io.stderr.write(shown)
      const isGiven = (await io.input().ask?.('Apply this plan? Only "yes" is taken: '))?.trim() === 'yes'
      if (!isGiven)
        return await refuse(io, options, prepared, { why: [DECLINED], showsPlan: options.format !== 'text' })
      return await applyAsShown(io, asked, session, prepared, wishes)
    }
  }
}

/** The plan of this moment, or `undefined` after everything that is wrong was said. */
async function planOfNow(
  io: Io,
  options: Options,
  { desired, service, secrets, progress }: ApplySession,
): Promise<{ readonly prepared: Prepared; readonly wishes: PlanRequest } | undefined> {
  const wished = await planRequestFrom(io, options, desired.organization, secrets.textOf)
  sayDiagnostics(io, options, wished.diagnostics)
  const wishes = wished.value
  if (wishes === undefined) return undefined
  progress.reading()
  const { prepared, diagnostics } = await preparePlan(desired, service, options.only, io.stop, wishes)
  progress.end()
  const problems = secrets.problems()
  if (prepared !== undefined && problems.length === 0) return { prepared, wishes }
  sayDiagnostics(io, options, [...diagnostics, ...problems])
  return undefined
}

const shownPlan = (options: Options, prepared: Prepared, isApproved: boolean) => ({
  ...planReport(options, prepared),
  plan: isApproved ? { ...prepared.plan, blocked: false } : prepared.plan,
})

/** Says why nothing is written. A signal while somebody was asked counts before the refusal. */
async function refuse(
  io: Io,
  options: Options,
  prepared: Prepared,
  { why, showsPlan }: Pick<Extract<Decision, { kind: 'refuse' }>, 'why' | 'showsPlan'>,
): Promise<number> {
  const report = planReport(options, prepared)
  if (showsPlan) io.stdout.write(render(io, options, report))
  sayDiagnostics(io, options, why)
  const signal = io.stoppedBy()
  const code = why.some(({ code }) => code !== 'refused') ? EXIT.error : EXIT.refused
  return await writeReports(io, options, report, signal === undefined ? code : signalCode(signal))
}

/** While somebody read the plan the service may have moved: what was shown is what runs, or nothing. */
async function applyAsShown(
  io: Io,
  options: Options,
  session: ApplySession,
  shown: Prepared,
  wishes: PlanRequest,
): Promise<number> {
  const { desired, service } = session
  const { prepared, diagnostics } = await preparePlan(desired, service, options.only, io.stop, wishes)
  const why = prepared === undefined ? diagnostics : claimOf(io, [shown.plan], prepared).refusals
  if (prepared !== undefined && why.length === 0) return await execute(io, options, session, prepared, wishes)
  sayDiagnostics(io, options, why)
  return await writeReports(io, options, planReport(options, shown), EXIT.refused)
}

/** What a reviewed plan was asked to write again. */
const rewritesIn = ({ steps }: Plan): string[] =>
  steps.flatMap(({ operation }) =>
    operation.type === 'update-variable' && operation.rewrite === 'asked'
      ? [`${operation.subject.name}/${operation.after.key}`]
      : [],
  )

const consentIn = (io: Io, options: Options): Consent => {
  const approve = options.approve ?? io.env.SETPOINT_APPROVE
  const canAsk = io.input().ask !== undefined
  return { autoApprove: options.autoApprove, canAsk, ...(approve ? { approve } : {}) }
}

/** Saved plans that were reviewed, in the order of their merges. */
type ReviewedPlans = readonly [Plan, ...Plan[]]

/** Why a reviewed plan may not run; what is done already is said and is no reason. */
function claimOf(io: Io, reviewed: ReviewedPlans, { plan, observed }: Prepared): Claim {
  for (const one of reviewed) {
    if (one.organization !== plan.organization || one.address !== plan.address)
      return refused(
        `The plan is for ${one.organization} at ${one.address}; this is ${plan.organization} at ${plan.address}.`,
      )
    if (one.owner !== plan.owner)
      return refused(`The plan is one of ${ownerOf(one)}; these files are of ${ownerOf(plan)}.`)
    if (one.only.join('\n') !== plan.only.join('\n'))
      return refused(
        'The reviewed plans have different selections: --only has to be the same in all of them.',
      )
  }
  const verdict = judgeClaim(reviewed, plan, observed)
  // A plan file that was written where the secrets are known does not hold them, and neither side has to.
  const shown = io.redactor.in({ reviewed, plan, observed })
  const { conflicts, done } =
    verdict.conflicts.length === 0 ? verdict : judgeClaim(shown.reviewed, shown.plan, shown.observed)
  if (conflicts.length === 0) {
    for (const tool of new Set(reviewed.map(one => one.tool)))
      if (tool !== plan.tool)
        io.stderr.write(
          harmlessLines(
            `The plan was made by Setpoint ${JSON.stringify(tool)}; this is ${JSON.stringify(plan.tool)}.\n`,
          ),
        )
    for (const { id } of done)
      io.stderr.write(harmlessLines(`already done: ${JSON.stringify(io.redactor.text(id))}\n`))
    return { refusals: [] }
  }
  const lines = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ id, reviewed: before, now }) => `${id}\n  reviewed: ${before}\n  now:      ${now}`)
  const more = conflicts.length - lines.length
  if (more > 0) lines.push(`and ${more.toLocaleString('en-US')} more`)
  return refused(['What was reviewed is not what would be done now.', ...lines].join('\n'))
}

/** They are listed; of more there is the number. */
const MOST_CONFLICTS = 100

const ownerOf = ({ owner }: Plan): string => (owner === undefined ? 'no owner' : `the owner "${owner}"`)

const SELECTED_TWICE: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: 'A plan file says itself what it is narrowed to.',
  hint: 'Leave out --only.',
}

const refused = (message: string): Claim => ({
  refusals: [
    {
      severity: 'error',
      code: 'refused',
      message,
      hint: 'Nothing was written. Make a new plan and have it reviewed.',
    },
  ],
})
