import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { type Plan, SHORT_DIGEST } from '../../plan/plan.ts'
import { judgeClaim } from '../../plan/reviewed.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import type { SingleReport } from '../../report/view.ts'
import { preparePlan, stateSourceOf } from '../../run/prepare.ts'
import { codeOfSignal, EXIT, fail, type Run } from '../command.ts'
import {
  approvalMistake,
  approves,
  type Claim,
  type Consent,
  DECLINED,
  decide,
  unexpectedDrift,
} from '../decide.ts'
import { type ApplySession, eventsFor, execute } from '../execute.ts'
import { type Call, type Io, sayDiagnostics } from '../io.ts'
import { prepareOutputs } from '../output-files.ts'
import { type CurrentPlan, openRunSecrets, planNow, planReport } from '../planning.ts'
import { publish, redactedPlan, render, reportingFailure, writeReports } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { withService } from '../session.ts'

/**
 * Loads the files, observes the service, plans, asks for consent, executes, and verifies the result by reading back. A reviewed
 * plan is compared with the current one and never executed itself.
 */
export const run: Run = reportingFailure('apply', async (io, file, _, others = []) => {
  const files = file === undefined ? [] : [file, ...others]
  const { approve } = consentIn(io)
  const from = io.options.approve ? '--approve' : 'SETPOINT_APPROVE'
  const wrong = approve === undefined ? undefined : approvalMistake(approve, from)
  const mistakes = [
    ...(wrong === undefined ? [] : [wrong]),
    ...(files.length > 0 && io.options.only.length > 0 ? [SELECTED_TWICE] : []),
  ]
  if (mistakes.length > 0) fail(io, ...mistakes)
  await prepareOutputs(io, files)
  const reviewed: Plan[] = []
  for (const one of files) reviewed.push(await readSavedPlan(io, one))
  const secrets = await openRunSecrets(io)
  const events = eventsFor(io)
  try {
    return await withService(io, session => planAndApply(io, { ...session, secrets, events }, reviewed))
  } finally {
    events.close()
  }
})

async function planAndApply(
  io: Call,
  session: ApplySession,
  [first, ...more]: readonly Plan[],
): Promise<number> {
  const reviewed: ReviewedPlans | undefined = first === undefined ? undefined : [first, ...more]
  const { options } = io
  const rewrite = [...options.rewrite, ...(reviewed ?? []).flatMap(rewritesIn)]
  const asked = { ...options, rewrite, only: first?.only ?? options.only }
  const current = await planNow({ ...io, options: asked }, session, session.secrets)
  const { prepared } = current
  const consent = consentIn(io)
  // A run without these secrets printed the digest of the unredacted plan.
  const plan = approves(consent, prepared.plan.digest) ? prepared.plan : redactedPlan(io, prepared.plan)
  const claim = reviewed === undefined ? undefined : claimOf(io, reviewed, session, current)
  const drift = options.expectNoDrift ? unexpectedDrift(prepared.plan) : undefined
  const decision = decide(plan, consent, claim, drift)
  const report = planReport(io, prepared)
  switch (decision.kind) {
    case 'nothing-to-do':
      sayUnneeded(io, consent, plan)
      return await publish(io, report, EXIT.done)
    case 'refuse':
      return await refuse(io, report, decision.why)
    case 'apply': {
      // An approved plan needs no hint on how to approve it.
      const approved = { ...report, plan: { ...report.plan, blocked: false } }
      if (options.format === 'text')
        io.stdout.write(render(io, approves(consent, plan.digest) ? approved : report))
      return await execute(io, session, current)
    }
    case 'ask':
      return await askAndApply(io, session, current)
  }
}

/** A job that ran already and is started again ends well, and says why it wrote nothing. */
function sayUnneeded(io: Io, consent: Consent, plan: Plan): void {
  const { approve } = consent
  // Of several digits, each is of another organization.
  if (approve === undefined || approve.includes(',') || approves(consent, plan.digest)) return
  io.stderr.write(
    `The approved plan ${approve.slice(0, SHORT_DIGEST)} is not needed: nothing differs. It may be applied already.\n`,
  )
}

/**
 * Reports why nothing is written, below the plan, which the reader needs to continue. A signal during the question takes
 * precedence over the refusal.
 */
async function refuse(io: Call, report: SingleReport, why: Diagnostic, isShown = false): Promise<number> {
  if (!isShown) io.stdout.write(render(io, report))
  sayDiagnostics(io, [why])
  const code = why.code === 'refused' ? EXIT.refused : EXIT.error
  return await writeReports(io, report, codeOfSignal(io) ?? code)
}

/** The service may change while somebody reads the plan: exactly what was shown is executed, or nothing. */
async function askAndApply(
  io: Call,
  session: ApplySession,
  { prepared: shown, request }: CurrentPlan,
): Promise<number> {
  const report = planReport(io, shown)
  const isText = io.options.format === 'text'
  const stream = isText ? io.stdout : io.stderr
  stream.write(render({ ...io, options: { ...io.options, format: 'text' } }, report))
  const answer = await io.input().ask?.('Apply this plan? Only "yes" is accepted: ')
  if (answer?.trim() !== 'yes') return await refuse(io, report, DECLINED, isText)
  const { desired, service } = session
  const source = stateSourceOf(service, desired.organization)
  const { prepared, diagnostics } = await preparePlan(desired, source, io.options.only, request)
  const decision =
    prepared &&
    decide(prepared.plan, CONFIRMED, claimOf(io, [shown.plan], session, { prepared, request }), undefined)
  if (prepared !== undefined && decision?.kind !== 'refuse')
    return await execute(io, session, { prepared, request })
  sayDiagnostics(io, decision?.kind === 'refuse' ? [decision.why] : diagnostics)
  return await writeReports(io, report, EXIT.refused)
}

/** "yes" is for the plan that was shown, which no guard blocked. */
const CONFIRMED: Consent = { autoApprove: true, canAsk: false }

/** What a reviewed plan was asked to write again. */
const rewritesIn = ({ steps }: Plan): string[] =>
  steps.flatMap(({ operation }) =>
    operation.type === 'update-variable' && operation.rewrite === 'asked'
      ? [`${operation.subject.name}/${operation.after.key}`]
      : [],
  )

const consentIn = (io: Call): Consent => {
  const approve = io.options.approve ?? io.env.SETPOINT_APPROVE
  const canAsk = io.input().ask !== undefined
  return { autoApprove: io.options.autoApprove, canAsk, approve: approve || undefined }
}

/** Saved plans that were reviewed, in the order of their merges. */
type ReviewedPlans = readonly [Plan, ...Plan[]]

/** Why a reviewed plan may not run. Steps that are already done are printed, and are no reason. */
function claimOf(
  io: Io,
  reviewed: ReviewedPlans,
  { desired }: Pick<ApplySession, 'desired'>,
  { prepared: { plan, observed }, request: { base } }: CurrentPlan,
): Claim {
  const rules = new Set([...(desired.rules ?? []), ...(base?.desired.rules ?? [])].map(({ id }) => id))
  for (const one of reviewed) {
    if (one.organization !== plan.organization || one.address !== plan.address)
      return refused(
        `The reviewed plan is for ${one.organization} at ${one.address}, but this run is for ${plan.organization} at ${plan.address}.`,
      )
    if (one.owner !== plan.owner)
      return refused(`The reviewed plan has ${ownerOf(one)}, but these files have ${ownerOf(plan)}.`)
    if (one.only.join('\n') !== plan.only.join('\n'))
      return refused('The reviewed plans have different selections. Use the same --only for all of them.')
    const blocking = one.hits?.find(({ level, rule }) => level === 'block' && !rules.has(rule))
    if (blocking !== undefined)
      return refused(
        `The reviewed plan is blocked by the rule ${JSON.stringify(blocking.rule)}, which this run does not have. Use the same --rules and --base as for the plan.`,
      )
  }
  const verdict = judgeClaim(reviewed, plan, observed)
  // A run that knew the secrets redacted its plan file, so both sides are compared redacted.
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
    return 'holds'
  }
  const lines = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ id, reviewed: before, now }) => `${id}\n  reviewed: ${before}\n  now:      ${now}`)
  const more = conflicts.length - lines.length
  if (more > 0) lines.push(`and ${more.toLocaleString('en-US')} more`)
  return refused(['The reviewed plan is out of date.', ...lines].join('\n'))
}

/** More conflicts are only counted. */
const MOST_CONFLICTS = 100

const ownerOf = ({ owner }: Plan): string => (owner === undefined ? 'no owner' : `the owner "${owner}"`)

const SELECTED_TWICE = mistake(
  'bad-usage',
  '--only cannot be combined with a plan file, which contains its selection.',
  'Remove --only.',
)

const refused = (message: string): Claim =>
  mistake('refused', message, 'Nothing was written. Make a new plan and have it reviewed.')
