import { observe, observeSets, proveStable } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { executeWith } from '../apply/execute.ts'
import type { ApplyResult, Closing, StepResult } from '../apply/outcome.ts'
import { resolveSecrets } from '../apply/resolve-secrets.ts'
import { applySteps } from '../apply/schedule.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { withoutAccepted } from '../model/findings.ts'
import { toCompactJson } from '../model/json.ts'
import type { ObservedState } from '../model/variable-set.ts'
import { consentTo } from '../plan/consent.ts'
import { secretsSent } from '../plan/items.ts'
import { verbOf } from '../plan/operation.ts'
import { isForbidden, type Plan, SHORT_DIGEST } from '../plan/plan-data.ts'
import { storedOtherwise, withSent } from '../plan/stored-text.ts'
import { commandLine } from '../report/command-line.ts'
import { harmlessLines } from '../report/neutralise.ts'
import { type Again, planAgain } from '../report/next-steps.ts'
import type { SingleReport } from '../report/single-report.ts'
import type { RunSecrets } from '../secrets/open.ts'
import { type ClosingRead, closingRead, judgeOutcomes, NOTHING_READ } from './closing.ts'
import { type Ending, fail } from './commands/ending.ts'
import { reported } from './commands/reporting.ts'
import { endingOf, published, redactedPlan, redactedSingle, tellReport } from './commands/reports.ts'
import { type Session, withService } from './commands/session.ts'
import { ownTokenName } from './commands/token-directory.ts'
import {
  approvalMistake,
  approvedBlocks,
  approves,
  type Compared,
  type Consent,
  DECLINED,
  type Decision,
  decide,
  type PlanFile,
  uncheckedDrift,
  unexpectedDrift,
} from './decide.ts'
import { codeOfSignal, EXIT, exitCodeOfApply } from './exit-codes.ts'
import type { Options } from './options.ts'
import { type Made, madeFrom, makePlan, placeIn, planReport, reachIn, stateSourceOf } from './plan.ts'
import { completeInventory, recordManaged } from './record-managed.ts'
import { type Run, sayDiagnostics, typedIn } from './run.ts'
import { openRunSecrets } from './run-secrets.ts'
import { readSavedPlan, type SavedPlan, savePlan } from './saved-plan.ts'
import type { Approved, Writing } from './writing.ts'

// The story of an apply, from top to bottom. Consent: the plan of now is held against what was agreed to, or somebody is asked. Apply:
// what has to be known before the first write, then the steps and the inventory. Verify: the closing read (closing.ts), which alone can
// report success.

/** Shows a plan to somebody who answers whether it is applied. */
export type Confirm = (plan: SingleReport) => Promise<boolean>

/**
 * Loads the files, observes the service, plans, needs consent, executes, and verifies the result by reading back. `reviewed`: the plans that
 * were reviewed, in the order of their merges; they are compared with the current one and never executed themselves. Without `confirm`
 * there is nobody to ask.
 */
export const apply = (
  run: Run,
  { reviewed = [], confirm }: { readonly reviewed?: readonly SavedPlan[]; readonly confirm?: Confirm } = {},
): Promise<Ending> => {
  const files = reviewed.flatMap(({ file, text }) => (text === undefined ? [file] : []))
  return reported('apply', run, inside => withConsent(inside, reviewed, confirm), files)
}

async function withConsent(
  run: Run,
  saved: readonly SavedPlan[],
  confirm: Confirm | undefined,
): Promise<Ending> {
  const consent = consentIn(run, confirm !== undefined)
  const from = run.options.approve === undefined ? 'SETPOINT_APPROVE' : '--approve'
  // An empty option is not an unset one: the digest of a pipeline that has none would approve whatever is planned now.
  const approve = run.options.approve ?? consent.approve
  const wrong = approve === undefined ? undefined : approvalMistake(approve, from)
  const mistakes = [
    ...(wrong === undefined ? [] : [wrong]),
    ...(saved.length > 0 && run.options.only.length > 0 ? [SELECTED_TWICE] : []),
  ]
  if (mistakes.length > 0) fail(run, ...mistakes)
  const reviewed = await readAll(run, saved)
  const secrets = await openRunSecrets(run)
  // Whoever made a plan file has read the warnings about the files.
  const warnings = reviewed.length > 0 ? 'left out' : 'told'
  return await withService(
    run,
    async session => {
      const judged = await judge(run, session, secrets, { consent, reviewed })
      return await carriedOut(run, session, secrets, judged, confirm)
    },
    warnings,
  )
}

/** What this run has of consent, before somebody is asked. */
interface Agreed {
  readonly consent: Consent
  readonly reviewed: readonly PlanFile[]
}

/** A plan of now, and what an apply would do with it. */
interface Judged extends Agreed {
  readonly made: Made
  /** Redacted, unless its digest was approved. */
  readonly plan: Plan
  readonly decision: Decision
}

/** Plans what these files ask for, and compares the plan with what was agreed to. */
async function judge(
  run: Run,
  session: Session,
  secrets: RunSecrets,
  { consent, reviewed }: Agreed,
): Promise<Judged> {
  const plans = reviewed.map(one => one.plan)
  const options = optionsWith(run.options, plans)
  const made = await makePlan({ ...run, options }, session, secrets)
  // A run without these secrets printed the digest of the unredacted plan.
  const plan = approves(consent, made.plan.digest) ? made.plan : redactedPlan(run, made.plan)
  const drift = options.expectNoDrift ? unexpectedDrift(made) : undefined
  if (options.expectNoDrift && drift === undefined) sayDiagnostics(run, uncheckedDrift(made))
  const asking = { ...consent, token: ownTokenName(run, plan.organization), typed: typedIn(run) }
  const decision = decide(plan, asking, compare(run, reviewed, made), drift)
  return { consent, reviewed, made, plan, decision }
}

async function carriedOut(
  run: Run,
  session: Session,
  secrets: RunSecrets,
  { consent, reviewed, made, plan, decision }: Judged,
  confirm: Confirm | undefined,
): Promise<Ending> {
  const report = planReport(run, made)
  switch (decision.kind) {
    case 'nothing-to-do':
      if (reviewed.length === 0) sayUnneeded(run, consent, plan)
      return await published(run, report, EXIT.done)
    case 'refuse':
      return refused(run, report, decision.why)
    case 'apply': {
      tellBefore(run, report, reviewed.length > 0, approves(consent, plan.digest))
      const again = await againOf(run, { consent, reviewed }, plan)
      return await executed(run, session, secrets, made, again)
    }
    case 'ask': {
      const isConfirmed = (await confirm?.(redactedSingle(run, report))) ?? false
      // Whoever was asked has seen the plan as text.
      if (!isConfirmed) return refused(run, report, DECLINED, run.options.format === 'text')
      const confirmed = await planAfterYes(run, session, made)
      if ('refusals' in confirmed) {
        sayDiagnostics(run, confirmed.refusals)
        return endingOf(run, report, EXIT.refused)
      }
      const again = await againOf(run, { consent: CONFIRMED, reviewed: [] }, confirmed.plan)
      return await executed(run, session, secrets, confirmed, again)
    }
  }
}

/** The service may change while somebody reads the plan: exactly what was shown is executed, or nothing. */
async function planAfterYes(
  run: Run,
  { desired, service }: Session,
  shown: Made,
): Promise<Made | { readonly refusals: readonly Diagnostic[] }> {
  const source = stateSourceOf(service, desired.organization)
  const { value: made, diagnostics } = await madeFrom(desired, source, shown.asked)
  if (made === undefined) return { refusals: diagnostics }
  const agreed = compare(run, [{ file: 'the plan above', plan: shown.plan }], made)
  const decision = decide(made.plan, CONFIRMED, agreed, undefined)
  return decision.kind === 'refuse' ? { refusals: [decision.why] } : made
}

/** "yes" is for the plan that was shown, which no guard blocked. */
const CONFIRMED: Consent = { autoApprove: true, canAsk: false }

const consentIn = ({ options, env }: Run, canAsk: boolean): Consent => ({
  autoApprove: options.autoApprove,
  canAsk,
  approve: (options.approve ?? env.SETPOINT_APPROVE) || undefined,
})

async function readAll(run: Run, saved: readonly SavedPlan[]): Promise<readonly PlanFile[]> {
  const files: PlanFile[] = []
  for (const one of saved) files.push({ file: one.file, plan: await readSavedPlan(run, one) })
  return files
}

/** The options of a run, with what its plan files bring: selection, secrets to write again, and whether they are of one change alone, and of which. */
function optionsWith(options: Options, plans: readonly Plan[]): Options {
  const ofChange = plans.find(plan => plan.onlyThisChange !== undefined)
  return {
    ...options,
    rewrite: [...options.rewrite, ...plans.flatMap(rewritesIn)],
    only: plans[0]?.only ?? options.only,
    ...(ofChange && { onlyThisChange: true, base: options.base ?? ofChange.facts.base?.commit }),
  }
}

/** What a reviewed plan was asked to write again. */
const rewritesIn = ({ steps }: Plan): string[] =>
  steps.flatMap(({ operation }) =>
    operation.type === 'update-variable' && operation.rewrite === 'asked'
      ? [`${operation.subject.name}/${operation.after.key}`]
      : [],
  )

/**
 * Compares the reviewed plans, in the order of their merges, with the current one. Steps that are already done are printed, and are no
 * conflict.
 */
function compare(
  run: Run,
  files: readonly PlanFile[],
  { plan, observed: raw, matched }: Made,
): Compared | undefined {
  const [first, ...others] = files.map(one => one.plan)
  if (first === undefined) return undefined
  const reviewed = [first, ...others] as const
  const refused = (message: string): Compared => ({
    files,
    blocks: [],
    conflict: mistake('refused', message, 'Nothing was written. Make a new plan and have it reviewed.'),
  })
  const other = reviewed.map(one => otherPlace(one, plan)).find(one => one !== undefined)
  if (other !== undefined) return refused(other)
  const observed = { ...raw, sets: withSent(raw.sets, matched.match.stored ?? []) }
  const verdict = consentTo(reviewed, plan, observed)
  // A run that knew the secrets redacted its plan file, so both sides are compared redacted.
  const shown = run.redactor.in({ reviewed, plan, observed })
  const { conflicts, blocks, done } =
    verdict.conflicts.length === 0 ? verdict : consentTo(shown.reviewed, shown.plan, shown.observed)
  if (conflicts.length === 0) {
    for (const tool of new Set(reviewed.map(one => one.tool)))
      if (tool !== plan.tool)
        run.listener.note(
          harmlessLines(
            `The plan was made by Setpoint ${JSON.stringify(tool)}; this is ${JSON.stringify(plan.tool)}.\n`,
          ),
        )
    for (const { id } of done)
      run.listener.note(harmlessLines(`already done: ${JSON.stringify(run.redactor.text(id))}\n`))
    return { files: run.redactor.in(files), blocks }
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

/** A job that ran already and is started again ends well, and says why it wrote nothing. */
function sayUnneeded(run: Run, consent: Consent, plan: Plan): void {
  const { approve } = consent
  // Of several digits, each is of another organization.
  if (approve === undefined || approve.includes(',') || approves(consent, plan.digest)) return
  run.listener.note(
    `The approved plan ${approve.slice(0, SHORT_DIGEST)} is not needed: nothing differs. It may be applied already.\n`,
  )
}

/** Whoever reviewed a plan, as a file or by its digest, has read it. An approved one needs no hint on how to approve it. */
function tellBefore(
  run: Run,
  report: ReturnType<typeof planReport>,
  isReviewed: boolean,
  isApproved: boolean,
): void {
  const { format, verbose } = run.options
  if (format !== 'text' || ((isReviewed || isApproved) && verbose !== true)) return
  tellReport(run, isApproved ? { ...report, plan: { ...report.plan, blocked: false } } : report)
}

/**
 * Reports why nothing is written, below the plan, which the reader needs to continue. A signal during the question takes
 * precedence over the refusal.
 */
function refused(run: Run, report: SingleReport, why: Diagnostic, isShown = false): Ending {
  if (!isShown) tellReport(run, report)
  sayDiagnostics(run, [why])
  const code = why.code === 'refused' ? EXIT.refused : EXIT.error
  return endingOf(run, report, codeOfSignal(run) ?? code)
}

/**
 * How what this apply leaves is done. The digest of a plan approves no other plan, and so no rest of it: that is said before the first
 * write, because a process that is killed prints no report. With `--out`, the approved plan is saved now, and its file finishes it.
 */
async function againOf(run: Run, { consent, reviewed: files }: Agreed, plan: Plan): Promise<Again> {
  const { approve, autoApprove } = consent
  const { out, base, expectNoDrift } = run.options
  const typed = typedIn(run)
  const line = typed && commandLine(typed)
  const saved = redactedPlan(run, plan)
  if (out !== undefined) await savePlan(run, out, saved)
  const isByDigest = approves(consent, plan.digest) && files.every(one => one.plan.digest !== plan.digest)
  if (isByDigest && out === undefined) {
    const review = typed && planAgain(plan, typed, []).quote.text
    run.listener.note(
      harmlessLines(
        `If this apply stops halfway, the rest needs a new review${review ? `: ${review}` : '.'}\n`,
      ),
    )
    return { consent: 'digest', isSame: false, approved: { blocks: saved.blocks, measured: true } }
  }
  if (isByDigest && out !== undefined) {
    const finish = line?.without('--out', '--approve', '--only').withFile(out).with('--approve', saved.digest)
    run.listener.note(
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

/** Carries out the approved plan, shows progress, and reports the verified result. */
async function executed(
  run: Run,
  { service, progress }: Session,
  secrets: RunSecrets,
  made: Made,
  again: Again,
): Promise<Ending> {
  const { organization, steps } = made.plan
  progress.applying(steps.length)
  const { result, diagnostics } = await carryOut({
    made,
    service,
    secrets: secrets.secretOf,
    concurrency: run.options.concurrency,
    failFast: run.options.failFast,
    stop: run.stop,
    abandon: run.abandon,
    sleep: run.sleep,
    onResult: progress.result,
  })
  progress.end()
  sayDiagnostics(run, [...diagnostics, ...secrets.problems()])
  const code = result === undefined ? EXIT.error : (codeOfSignal(run) ?? result.exitCode)
  if (result === undefined) return endingOf(run, planReport(run, made), code)
  const report: SingleReport = {
    kind: 'apply',
    result: { ...result, exitCode: code },
    typed: typedIn(run),
    again,
    token: ownTokenName(run, organization),
    reach: reachIn(made),
  }
  return await published(run, report, code)
}

/**
 * Carries out an approved plan. Every secret is resolved and the listing proven before the first write. Success is reported only
 * from reading the service back. Without a result, the diagnostics say why nothing was written.
 */
export async function carryOut(
  approved: Approved,
): Promise<{ result?: ApplyResult; diagnostics: readonly Diagnostic[] }> {
  const { made, service, stop } = approved
  const { plan } = made
  const secrets = resolveSecrets(plan.steps, approved.secrets, placeIn(made))
  if (hasErrors(secrets.diagnostics)) return { diagnostics: secrets.diagnostics }
  if (!(await listingIsProven(service.reader.until(stop), made))) return { diagnostics: [MOVED] }

  // From here on, the run may write.
  const writing = writingOf(approved)
  const { results: sent, stopped } = await applySteps(
    plan.steps,
    executeIn(writing, secrets.values),
    approved,
  )
  const ended: Writing = { ...writing, sent, results: sent, stopped }
  const listed = await recordManaged(ended)

  const read = service.requests().writes === 0 ? NOTHING_READ : await closingRead(ended, listed.entries)
  const results = judgeOutcomes(sent, read)
  const inventory = await completeInventory({ ...ended, results }, listed, read.state)

  const { closing } = read
  const requests = service.requests()
  const done = {
    plan,
    results,
    secrets: secretsWritten(results, read),
    requests,
    closing,
    inventory,
    stopped,
  }
  return {
    result: { ...done, exitCode: exitCodeOfApply(done, stop.aborted) },
    diagnostics: withoutAccepted(
      [...secrets.diagnostics, ...storedWarnings(closing, plan.owner !== undefined)],
      made.resolved.sets,
    ),
  }
}

const writingOf = (approved: Approved): Writing => ({
  ...approved,
  writer: approved.service.writer(approved.abandon),
  answers: new Map(),
  sent: [],
  results: [],
})

/** Sends one step, and reads back what may have happened before anything is sent again. */
const executeIn = (
  { made, service, abandon, writer, answers, stop, sleep }: Writing,
  secrets: ReturnType<typeof resolveSecrets>['values'],
) =>
  executeWith({
    reader: service.reader.until(abandon),
    writer,
    organization: made.plan.organization,
    known: new Set(made.observed.sets.map(({ id }) => id)),
    secrets,
    answers,
    retriesExhausted: service.retriesExhausted,
    stop,
    sleep,
  })

const MOVED = mistake(
  'incomplete-listing',
  'The list of sets is changing or incomplete, and this plan creates, deletes or unassigns. Nothing was written.',
  'Somebody is changing the organization right now. Try again later.',
)

/**
 * Pages are cut by number, so a set that moves between two reads may never be seen (docs/fault-model.md F-30). So several pages are
 * read once more: before anything is deleted or unassigned, two passes must be equal, and equal to what was planned from; before
 * sets are only created, no other set may have one of their names. One page is consistent by itself and needs no request.
 */
async function listingIsProven(reader: Reader, { plan, observed }: Made): Promise<boolean> {
  if (!(await hidesNothing(reader, plan, observed))) return false
  const operations = plan.steps.map(({ operation }) => operation)
  const created = new Set(operations.flatMap(one => (one.type === 'create-set' ? [one.after.name] : [])))
  const takesAway = operations.some(one => ['delete', 'unassign'].includes(verbOf(one)))
  if (observed.pages === 1 || !(takesAway || created.size > 0)) return true
  const now = takesAway ? await proveStable(reader, observed) : await observe(reader, plan.organization)
  if (takesAway) return toCompactJson(now.sets) === toCompactJson(observed.sets)
  const known = new Set(observed.sets.map(({ id }) => id))
  return !now.sets.some(({ id, name }) => created.has(name) && !known.has(id))
}

/**
 * A set in our inventory that the list lacks was deleted, or is hidden and would be created twice. So it is read by itself
 * (docs/fault-model.md F-15). Needs no request if there is none.
 */
async function hidesNothing(
  reader: Reader,
  { steps, owner }: Plan,
  { sets, inventories = [] }: ObservedState,
): Promise<boolean> {
  if (!steps.some(({ operation }) => operation.type === 'create-set')) return true
  const shown = new Set(sets.map(({ id }) => id))
  const listed = inventories.filter(inventory => inventory.owner === owner)
  const missing = listed
    .flatMap(({ entries }) => entries.map(({ setId }) => setId))
    .filter(id => !shown.has(id))
  return (await observeSets(reader, missing)).sets.length === 0
}

/** Secrets that were sent, and how many of them the service confirms by a new version. */
function secretsWritten(
  results: readonly StepResult[],
  { moved }: ClosingRead,
): { readonly sent: number; readonly versioned: number } {
  const count = (some: readonly StepResult[]): number =>
    some.reduce((sum, { step }) => sum + secretsSent(step.operation).length, 0)
  const succeeded = results.filter(({ outcome }) => outcome.status === 'succeeded')
  return {
    sent: count(succeeded),
    versioned: count(succeeded.filter(({ step }) => moved.get(step.id) === true)),
  }
}

const storedWarnings = (closing: Closing, isOwned: boolean): Diagnostic[] =>
  'stored' in closing
    ? (closing.stored ?? []).map(one => storedOtherwise(one, { looksSecret: looksLikeSecret, isOwned }))
    : []

/** How a plan ended that was compared with reviewed ones. */
export interface ComparedPlan {
  readonly ending: Ending
  /** The plan, as it may be saved; absent if the run failed, or if rules forbid it. */
  readonly plan?: Plan
  /** Why an apply of the reviewed plans would write nothing; absent if it would do what they say, or has nothing to do. */
  readonly refusal?: string
}

/**
 * Plans, and says what an apply of these reviewed plans would do: for a job whose token cannot write. Nothing is executed, there is no
 * other consent, and what the token may write is not asked.
 */
export async function comparePlans(run: Run, saved: readonly SavedPlan[]): Promise<ComparedPlan> {
  let found: Pick<ComparedPlan, 'plan' | 'refusal'> = {}
  const ending = await reported('plan', run, async inside => {
    const reviewed = await readAll(inside, saved)
    const secrets = await openRunSecrets(inside)
    return await withService(inside, async session => {
      const consent = { ...consentIn({ ...inside, env: {} }, false), readsOnly: true }
      const { made, plan, decision } = await judge(inside, session, secrets, { consent, reviewed })
      const forbidden = isForbidden(plan)
      const refusal = decision.kind === 'refuse' ? decision.why.message : undefined
      found = forbidden ? {} : { plan, refusal }
      if (forbidden) sayDiagnostics(inside, decision.kind === 'refuse' ? [decision.why] : [])
      return await published(inside, planReport(inside, made), forbidden ? EXIT.error : EXIT.done)
    })
  })
  return { ending, ...found }
}
