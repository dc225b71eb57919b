import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { consentTo } from '../../plan/consent.ts'
import { isForbidden, type Plan, SHORT_DIGEST } from '../../plan/plan-data.ts'
import { withSent } from '../../plan/stored-text.ts'
import { commandLine } from '../../report/command-line.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { type Again, planAgain } from '../../report/next-steps.ts'
import type { SingleReport } from '../../report/view.ts'
import { codeOfSignal, EXIT } from '../exit-codes.ts'
import type { Options } from '../options.ts'
import { type Made, madeFrom, makePlan, planReport, stateSourceOf } from '../plan.ts'
import { type Run, sayDiagnostics, typedIn } from '../run.ts'
import { openRunSecrets } from '../run-secrets.ts'
import { type ApplySession, execute } from './apply-approved.ts'
import {
  approvalMistake,
  approvedBlocks,
  approves,
  type Consent,
  DECLINED,
  type Decision,
  decide,
  type PlanFile,
  type ReviewedFiles,
  uncheckedDrift,
  unexpectedDrift,
} from './decide.ts'
import { type Ending, fail } from './ending.ts'
import { reported } from './reporting.ts'
import { endingOf, published, redactedPlan, redactedSingle, tellReport } from './reports.ts'
import { readSavedPlan, type SavedPlan, savePlan } from './saved-plan.ts'
import { withService } from './session.ts'
import { ownTokenName } from './token-directory.ts'

/** What an apply takes in addition to its options. */
export interface ApplyRequest {
  /** The plans that were reviewed, in the order of their merges. */
  readonly reviewed?: readonly SavedPlan[]
  /** Shows a plan to somebody who answers whether it is applied; absent if there is nobody to ask. */
  readonly confirm?: (plan: SingleReport) => Promise<boolean>
}

/**
 * Loads the files, observes the service, plans, needs consent, executes, and verifies the result by reading back. A reviewed plan
 * is compared with the current one and never executed itself.
 */
export const apply = (context: Run, { reviewed = [], confirm }: ApplyRequest = {}): Promise<Ending> => {
  const files = reviewed.flatMap(({ file, text }) => (text === undefined ? [file] : []))
  return reported('apply', context, inside => withConsent({ ...inside, confirm }, reviewed), files)
}

/** The run of an apply. */
interface ApplyContext extends Run, Pick<ApplyRequest, 'confirm'> {
  /** The token of this run needs no permission to write. */
  readonly readsOnly?: boolean
}

async function withConsent(context: ApplyContext, reviewed: readonly SavedPlan[]): Promise<Ending> {
  const { approve } = consentIn(context)
  const from = context.options.approve ? '--approve' : 'SETPOINT_APPROVE'
  const wrong = approve === undefined ? undefined : approvalMistake(approve, from)
  const mistakes = [
    ...(wrong === undefined ? [] : [wrong]),
    ...(reviewed.length > 0 && context.options.only.length > 0 ? [SELECTED_TWICE] : []),
  ]
  if (mistakes.length > 0) fail(context, ...mistakes)
  const files: PlanFile[] = []
  for (const one of reviewed) files.push({ file: one.file, plan: await readSavedPlan(context, one) })
  const secrets = await openRunSecrets(context)
  // Whoever made a plan file has read them.
  return await withService(
    context,
    session => planAndApply(context, { ...session, secrets }, files),
    files.length > 0 ? 'left out' : 'told',
  )
}

/** A plan of what these files ask for, and what an apply of them would do with it. */
interface Judged {
  readonly current: Made
  readonly consent: Consent
  /** Redacted, unless its digest was approved. */
  readonly plan: Plan
  readonly decision: Decision
}

async function judge(
  context: ApplyContext,
  session: ApplySession,
  files: readonly PlanFile[],
): Promise<Judged> {
  const { options } = context
  const plans = files.map(one => one.plan)
  const rewrite = [...options.rewrite, ...plans.flatMap(rewritesIn)]
  const asked = {
    ...options,
    rewrite,
    only: plans[0]?.only ?? options.only,
    ...changeIn(options, plans),
  }
  const current = await makePlan({ ...context, options: asked }, session, session.secrets)
  const consent = consentIn(context)
  // A run without these secrets printed the digest of the unredacted plan.
  const plan = approves(consent, current.plan.digest) ? current.plan : redactedPlan(context, current.plan)
  const reviewed = compareFiles(context, files, current)
  const drift = options.expectNoDrift ? unexpectedDrift(current) : undefined
  if (options.expectNoDrift && drift === undefined) sayDiagnostics(context, uncheckedDrift(current))
  const token = ownTokenName(context, plan.organization)
  const facts = context.readsOnly ? { ...plan.facts, unwritable: undefined } : plan.facts
  const asking = { ...consent, token, typed: typedIn(context) }
  const decision = decide({ ...plan, facts }, asking, reviewed, drift)
  return { current, consent, plan, decision }
}

/** How a plan ended that was compared with reviewed ones. */
export interface ComparedPlan {
  readonly ending: Ending
  /** The plan, as it may be saved; absent if the run failed, or if rules forbid it. */
  readonly plan?: Plan
  /** Why an apply of the reviewed plans would write nothing; absent if it would do what they say, or has nothing to do. */
  readonly refusal?: string
}

/**
 * Plans, and says what an apply of these reviewed plans would do: for a job whose token cannot write. Nothing is executed, and what the
 * token may write is not asked.
 */
export async function comparePlans(context: Run, reviewed: readonly SavedPlan[]): Promise<ComparedPlan> {
  let found: Pick<ComparedPlan, 'plan' | 'refusal'> = {}
  const ending = await reported('plan', context, async inside => {
    const files: PlanFile[] = []
    for (const one of reviewed) files.push({ file: one.file, plan: await readSavedPlan(inside, one) })
    const secrets = await openRunSecrets(inside)
    return await withService(inside, async session => {
      const { current, plan, decision } = await judge(readingOnly(inside), { ...session, secrets }, files)
      const forbidden = isForbidden(plan)
      const refusal = decision.kind === 'refuse' ? decision.why.message : undefined
      found = forbidden ? {} : { plan, refusal }
      if (forbidden) sayDiagnostics(inside, decision.kind === 'refuse' ? [decision.why] : [])
      return await published(inside, planReport(inside, current), forbidden ? EXIT.error : EXIT.done)
    })
  })
  return { ending, ...found }
}

async function planAndApply(
  context: ApplyContext,
  session: ApplySession,
  files: readonly PlanFile[],
): Promise<Ending> {
  const { options } = context
  const { current, consent, plan, decision } = await judge(context, session, files)
  const report = planReport(context, current)
  switch (decision.kind) {
    case 'nothing-to-do':
      if (files.length === 0) sayUnneeded(context, consent, plan)
      return await published(context, report, EXIT.done)
    case 'refuse':
      return refuse(context, report, decision.why)
    case 'apply': {
      // An approved plan needs no hint on how to approve it.
      const approved = { ...report, plan: { ...report.plan, blocked: false } }
      const isApproved = approves(consent, plan.digest)
      // Whoever reviewed a plan, as a file or by its digest, has read it.
      const isReviewed = files.length > 0 || isApproved
      if (options.format === 'text' && (!isReviewed || options.verbose === true))
        tellReport(context, isApproved ? approved : report)
      return await execute(context, session, current, await againOf(context, consent, files, plan))
    }
    case 'ask':
      return await askAndApply(context, session, current)
  }
}

/** A plan file says whether it is of one change alone, and of which. */
function changeIn({ onlyThisChange, base }: Options, plans: readonly Plan[]) {
  const first = plans.find(plan => plan.onlyThisChange !== undefined)
  return first === undefined
    ? { onlyThisChange, base }
    : { onlyThisChange: true, base: base ?? first.facts.base?.commit }
}

/** A job that ran already and is started again ends well, and says why it wrote nothing. */
function sayUnneeded(context: Run, consent: Consent, plan: Plan): void {
  const { approve } = consent
  // Of several digits, each is of another organization.
  if (approve === undefined || approve.includes(',') || approves(consent, plan.digest)) return
  context.listener.note(
    `The approved plan ${approve.slice(0, SHORT_DIGEST)} is not needed: nothing differs. It may be applied already.\n`,
  )
}

/**
 * Reports why nothing is written, below the plan, which the reader needs to continue. A signal during the question takes
 * precedence over the refusal.
 */
function refuse(context: Run, report: SingleReport, why: Diagnostic, isShown = false): Ending {
  if (!isShown) tellReport(context, report)
  sayDiagnostics(context, [why])
  const code = why.code === 'refused' ? EXIT.refused : EXIT.error
  return endingOf(context, report, codeOfSignal(context) ?? code)
}

/** The service may change while somebody reads the plan: exactly what was shown is executed, or nothing. */
async function askAndApply(context: ApplyContext, session: ApplySession, shown: Made): Promise<Ending> {
  const report = planReport(context, shown)
  const isConfirmed = (await context.confirm?.(redactedSingle(context, report))) ?? false
  // Whoever was asked has seen the plan as text.
  if (!isConfirmed) return refuse(context, report, DECLINED, context.options.format === 'text')
  const { desired, service } = session
  const source = stateSourceOf(service, desired.organization)
  const { value: made, diagnostics } = await madeFrom(desired, source, shown.asked)
  const decision =
    made &&
    decide(
      made.plan,
      CONFIRMED,
      compareFiles(context, [{ file: 'the plan above', plan: shown.plan }], made),
      undefined,
    )
  if (made !== undefined && decision?.kind !== 'refuse') {
    const again = await againOf(context, CONFIRMED, [], made.plan)
    return await execute(context, session, made, again)
  }
  sayDiagnostics(context, decision?.kind === 'refuse' ? [decision.why] : diagnostics)
  return endingOf(context, report, EXIT.refused)
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

/** Without consent of this run, and without asking what the token may write. */
const readingOnly = (context: Run): ApplyContext => ({
  ...context,
  env: { ...context.env, SETPOINT_APPROVE: undefined },
  readsOnly: true,
})

const consentIn = (context: ApplyContext): Consent => {
  const approve = context.options.approve ?? context.env.SETPOINT_APPROVE
  const canAsk = context.confirm !== undefined
  return { autoApprove: context.options.autoApprove, canAsk, approve: approve || undefined }
}

/**
 * How what this apply leaves is done. The digest of a plan approves no other plan, and so no rest of it: that is said before the first
 * write, because a process that is killed prints no report. With `--out`, the approved plan is saved now, and its file finishes it.
 */
async function againOf(
  context: Run,
  consent: Consent,
  files: readonly PlanFile[],
  plan: Plan,
): Promise<Again> {
  const { approve, autoApprove } = consent
  const { out, base, expectNoDrift } = context.options
  const typed = typedIn(context)
  const line = typed && commandLine(typed)
  const saved = redactedPlan(context, plan)
  if (out !== undefined) await savePlan(context, out, saved)
  const isByDigest = approves(consent, plan.digest) && files.every(one => one.plan.digest !== plan.digest)
  if (isByDigest && out === undefined) {
    const review = typed && planAgain(plan, typed, []).quote.text
    context.listener.note(
      harmlessLines(
        `If this apply stops halfway, the rest needs a new review${review ? `: ${review}` : '.'}\n`,
      ),
    )
    return { consent: 'digest', isSame: false, approved: { blocks: saved.blocks, measured: true } }
  }
  if (isByDigest && out !== undefined) {
    const finish = line?.without('--out', '--approve', '--only').withFile(out).with('--approve', saved.digest)
    context.listener.note(
      harmlessLines(
        `If this apply stops halfway, ${finish ? `run: ${finish.quote.text}` : `${out} finishes it.`}\n`,
      ),
    )
    return {
      consent: 'files',
      typed: finish?.typed,
      isSame: false,
      approved: { blocks: saved.blocks, measured: true },
    }
  }
  // Without a base, nobody can tell what this apply wrote from what was changed outside.
  const isSame = !expectNoDrift || base !== undefined
  const given =
    approve === undefined || autoApprove ? line : line?.without('--approve').with('--approve', approve)
  return {
    consent: files.length > 0 ? 'files' : 'any',
    typed: (isSame ? given : given?.without('--expect-no-drift'))?.typed,
    isSame,
    approved: { ...approvedBlocks(consent, files), ...(files.length === 1 && { measured: true }) },
  }
}

/**
 * Compares the plan files, in the order of their merges, with the current plan. Steps that are already done are printed, and are no
 * conflict.
 */
function compareFiles(
  context: Run,
  files: readonly PlanFile[],
  { plan, observed: raw, matched }: Made,
): ReviewedFiles | undefined {
  const [first, ...others] = files.map(one => one.plan)
  if (first === undefined) return undefined
  const reviewed = [first, ...others] as const
  const refused = (message: string): ReviewedFiles => ({
    files,
    blocks: [],
    conflict: mistake('refused', message, 'Nothing was written. Make a new plan and have it reviewed.'),
  })
  const other = reviewed.map(one => otherPlace(one, plan)).find(one => one !== undefined)
  if (other !== undefined) return refused(other)
  const observed = { ...raw, sets: withSent(raw.sets, matched.match.stored ?? []) }
  const verdict = consentTo(reviewed, plan, observed)
  // A run that knew the secrets redacted its plan file, so both sides are compared redacted.
  const shown = context.redactor.in({ reviewed, plan, observed })
  const { conflicts, blocks, done } =
    verdict.conflicts.length === 0 ? verdict : consentTo(shown.reviewed, shown.plan, shown.observed)
  if (conflicts.length === 0) {
    for (const tool of new Set(reviewed.map(one => one.tool)))
      if (tool !== plan.tool)
        context.listener.note(
          harmlessLines(
            `The plan was made by Setpoint ${JSON.stringify(tool)}; this is ${JSON.stringify(plan.tool)}.\n`,
          ),
        )
    for (const { id } of done)
      context.listener.note(harmlessLines(`already done: ${JSON.stringify(context.redactor.text(id))}\n`))
    return { files: context.redactor.in(files), blocks }
  }
  const lines = conflicts
    .slice(0, MOST_CONFLICTS)
    .map(({ id, reviewed: before, now }) => `${id}\n  reviewed: ${before}\n  now:      ${now}`)
  const more = conflicts.length - lines.length
  if (more > 0) lines.push(`and ${more.toLocaleString('en-US')} more`)
  return refused(['The reviewed plan is out of date.', ...lines].join('\n'))
}

/** Why a reviewed plan is for something else than the current one. */
function otherPlace(reviewed: Plan, plan: Plan): string | undefined {
  if (reviewed.organization !== plan.organization || reviewed.address !== plan.address)
    return `The reviewed plan is for ${reviewed.organization} at ${reviewed.address}, but this run is for ${plan.organization} at ${plan.address}.`
  if (reviewed.owner !== plan.owner)
    return `The reviewed plan has ${ownerOf(reviewed)}, but these files have ${ownerOf(plan)}.`
  if (reviewed.only.join('\n') !== plan.only.join('\n'))
    return 'The reviewed plans have different selections. Use the same --only for all of them.'
  if ((reviewed.onlyThisChange === undefined) !== (plan.onlyThisChange === undefined))
    return 'Not all of these plans are made with --only-this-change. Use it for all of them, or for none.'
  return undefined
}

/** More conflicts are only counted. */
const MOST_CONFLICTS = 100

const ownerOf = ({ owner }: Plan): string => (owner === undefined ? 'no owner' : `the owner "${owner}"`)

const SELECTED_TWICE = mistake(
  'bad-usage',
  '--only cannot be combined with a plan file, which contains its selection.',
  'Remove --only.',
)
