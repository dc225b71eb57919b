import { secretsOf } from '../../apply/secrets.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { judgeClaim } from '../../plan/claim.ts'
import type { Plan } from '../../plan/plan.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { type Prepared, preparePlan, type Wishes } from '../../run/prepare.ts'
import { openSecrets } from '../../secrets/open.ts'
import type { Run } from '../command.ts'
import { approves, consentTo } from '../consent.ts'
import { type ApplySession, eventsFor, execute } from '../execute.ts'
import { EXIT } from '../exit.ts'
import { unexpectedDrift } from '../expect-no-drift.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options.ts'
import { hideSecrets, mayStart, planReport } from '../planned.ts'
import { publish, writeReports } from '../publish.ts'
import { planLeaving, render } from '../render.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { sayDiagnostics } from '../say.ts'
import { wishesFrom } from '../wishes.ts'
import { type Session, signalCode, withService } from '../with-service.ts'

/** Plan, consent, apply, closing read. A plan file is held against the plan of the moment and never drives anything. */
export const run: Run = async (io, options, file) => {
  if (file !== undefined && options.only.length > 0) {
    sayDiagnostics(io, options, [SELECTED_TWICE])
    return EXIT.error
  }
  if (!(await mayStart(io, options, file))) return EXIT.error
  const reviewed = file === undefined ? undefined : await readSavedPlan(io, file)
  if (reviewed !== undefined && 'severity' in reviewed) {
    sayDiagnostics(io, options, [reviewed])
    return reviewed.code === 'refused' ? EXIT.refused : EXIT.error
  }
  const opened = await openSecrets(options.secrets, { ...io, environment: secretsOf(io.env) })
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
  reviewed: Plan | undefined,
): Promise<number> {
  hideSecrets(io, session.desired, session.secrets)
  const only = reviewed?.only ?? options.only
  const rewrite = [...options.rewrite, ...rewritesIn(reviewed)]
  const asked = { ...options, rewrite }
  const wished = await wishesFrom(io, asked, session.desired.organization, session.secrets.textOf)
  sayDiagnostics(io, options, wished.diagnostics)
  const wishes = wished.value
  if (wishes === undefined) return EXIT.error
  session.progress.reading()
  const { prepared, diagnostics } = await preparePlan(session.desired, session.service, only, io.stop, wishes)
  session.progress.end()
  const problems = session.secrets.problems()
  if (prepared === undefined || problems.length > 0) {
    sayDiagnostics(io, options, [...diagnostics, ...problems])
    return EXIT.error
  }
  const refusals = reviewed === undefined ? [] : refuseClaim(io, reviewed, prepared)
  if (refusals.length > 0) {
    sayDiagnostics(io, options, refusals)
    return await writeReports(io, options, planReport(options, prepared), EXIT.refused)
  }
  const { plan } = prepared
  const drifted = options.expectNoDrift ? unexpectedDrift(plan) : undefined
  if (drifted !== undefined) {
    sayDiagnostics(io, options, [drifted])
    return await publish(
      io,
      options,
      planReport(options, prepared),
      drifted.code === 'refused' ? EXIT.refused : EXIT.error,
    )
  }
  // What comes into the inventory is written as well, and takes the same consent.
  if (plan.steps.length === 0 && plan.facts.inventory.requests === 0)
    return await publish(io, options, planReport(options, prepared), EXIT.done)
  const consent = consentIn(io, options)
  const needsConsent = reviewed === undefined && !consent.autoApprove && consent.approve === undefined
  const asks = needsConsent && io.input().ask !== undefined
  // Whoever planned without the secrets of this run saw the digest of the plan as it is.
  const approvable = approves(io, consent.approve ?? '', plan.digest) ? plan : planLeaving(io, plan)
  const isApproved = consent.approve !== undefined && approves(io, consent.approve, approvable.digest)
  // What was approved needs no word on how to approve it.
  const shown = {
    ...planReport(options, prepared),
    plan: isApproved ? { ...plan, blocked: false } : plan,
  }
  if (options.format === 'text') io.stdout.write(render(io, options, shown))
  else if (asks) io.stderr.write(render(io, { ...options, format: 'text' }, shown))
  const refused = await consentTo(io, approvable, { ...consent, reviewed: reviewed !== undefined })
  if (refused !== undefined) {
    if (options.format !== 'text') io.stdout.write(render(io, options, planReport(options, prepared)))
    sayDiagnostics(io, options, [refused])
    const signal = io.stoppedBy()
    const code = signal === undefined ? EXIT.refused : signalCode(signal)
    return await writeReports(io, options, planReport(options, prepared), code)
  }
  const agreed = asks ? await afterAsking(io, options, session, prepared, wishes) : prepared
  if ('plan' in agreed) return await execute(io, options, session, agreed, wishes)
  sayDiagnostics(io, options, agreed)
  return await writeReports(io, options, planReport(options, prepared), EXIT.refused)
}

/** What a reviewed plan was asked to write again. */
const rewritesIn = (reviewed: Plan | undefined): string[] =>
  (reviewed?.steps ?? []).flatMap(({ operation }) =>
    operation.type === 'update-variable' && operation.rewrite === 'asked'
      ? [`${operation.subject.name}/${operation.after.key}`]
      : [],
  )

const consentIn = (io: Io, options: Options) => {
  const approve = options.approve ?? io.env.SETPOINT_APPROVE
  return { autoApprove: options.autoApprove, ...(approve ? { approve } : {}) }
}

/** While somebody read the plan the service may have moved: what was shown is what runs, or nothing. */
async function afterAsking(
  io: Io,
  options: Options,
  { desired, service }: Session,
  shown: Prepared,
  wishes: Wishes,
): Promise<Prepared | readonly Diagnostic[]> {
  const { prepared, diagnostics } = await preparePlan(desired, service, options.only, io.stop, wishes)
  if (prepared === undefined) return diagnostics
  const refusals = refuseClaim(io, shown.plan, prepared)
  return refusals.length > 0 ? refusals : prepared
}

/** Why a reviewed plan may not run; what is done already is said and is no reason. */
function refuseClaim(io: Io, reviewed: Plan, { plan, observed }: Prepared): Diagnostic[] {
  if (reviewed.organization !== plan.organization || reviewed.address !== plan.address)
    return [
      refusal(
        `The plan is for ${reviewed.organization} at ${reviewed.address}; this is ${plan.organization} at ${plan.address}.`,
      ),
    ]
  if (reviewed.owner !== plan.owner)
    return [refusal(`The plan is one of ${ownerOf(reviewed)}; these files are of ${ownerOf(plan)}.`)]
  const verdict = judgeClaim(reviewed, plan, observed)
  // A plan file that was written where the secrets are known does not hold them, and neither side has to.
  const shown = io.redactor.in({ reviewed, plan, observed })
  const { conflicts, done } =
    verdict.conflicts.length === 0 ? verdict : judgeClaim(shown.reviewed, shown.plan, shown.observed)
  if (conflicts.length === 0) {
    if (reviewed.tool !== plan.tool)
      io.stderr.write(
        harmlessLines(
          `The plan was made by Setpoint ${JSON.stringify(reviewed.tool)}; this is ${JSON.stringify(plan.tool)}.\n`,
        ),
      )
    for (const { id } of done)
      io.stderr.write(harmlessLines(`already done: ${JSON.stringify(io.redactor.text(id))}\n`))
    return []
  }
  const lines = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ id, reviewed: before, now }) => `${id}\n  reviewed: ${before}\n  now:      ${now}`)
  const more = conflicts.length - lines.length
  if (more > 0) lines.push(`and ${more.toLocaleString('en-US')} more`)
  return [refusal(['What was reviewed is not what would be done now.', ...lines].join('\n'))]
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

const refusal = (message: string): Diagnostic => ({
  severity: 'error',
  code: 'refused',
  message,
  hint: 'Nothing was written. Make a new plan and have it reviewed.',
})
