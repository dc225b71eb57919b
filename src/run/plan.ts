/**
 * From the files to a plan, from top to bottom: the commands `plan` and `drift`; what is asked of a plan; the loop that asks the service
 * until a draft of the plan needs nothing more; the plan, once; rules; and what follows from it. Nothing here can write, by the type of
 * its client.
 */

import { createLookUps, type LookUps, lookUpsOf, settled } from '../api/look-ups.ts'
import { fingerprintsFrom, LEAST_KEY, refusedSecrets } from '../apply/resolve-secrets.ts'
import { looksLikeSecret } from '../config/lint.ts'
import {
  type Checked,
  type Diagnostic,
  hasErrors,
  mistake,
  none,
  type SourceRange,
  sortDiagnostics,
  warning,
} from '../model/diagnostic.ts'
import { withoutAccepted } from '../model/findings.ts'
import { INVENTORY_PREFIX } from '../model/names.ts'
import type { PlannedState } from '../model/planned.gen.ts'
import type { ReadSecret } from '../model/secret.ts'
import type { DesiredState, Directory, Guards, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type BaseCommit, type BasePlan, planBase, unfinishedSets } from '../plan/base.ts'
import { concernedBy } from '../plan/concerned.ts'
import { createPlan, type DraftOptions, draftPlan } from '../plan/create.ts'
import type { Reception } from '../plan/effective/reception.ts'
import { withoutPermissions } from '../plan/facts.ts'
import { type GoneMembers, membersOf, withoutWorkspaces } from '../plan/gone-members.ts'
import { type Matched, matchStates } from '../plan/match-states.ts'
import { needsDrift } from '../plan/needs-drift.ts'
import { ofThisChange, type ThisChange } from '../plan/only-this-change.ts'
import { isForbidden, type Plan } from '../plan/plan-data.ts'
import { formerlyBy, plannedOf } from '../plan/planned.ts'
import { namesIn, newTargets, type Reach, reachOf } from '../plan/reach.ts'
import { resolveNames } from '../plan/resolve-names.ts'
import type { Secrecy } from '../plan/secrecy.ts'
import {
  checkIds,
  checkListed,
  checkOwners,
  checkProjects,
  checkStacks,
  whyUnresolved,
} from '../plan/service-checks.ts'
import { notInSnapshot, observedIn } from '../plan/snapshot.ts'
import { thisChangeOf } from '../plan/this-change.ts'
import { commandLine } from '../report/command-line.ts'
import type { SingleReport } from '../report/single-report.ts'
import type { RunSecrets } from '../secrets/open.ts'
import { type Base, loadBase } from './base-files.ts'
import { type Ending, fail, misuse, required } from './commands/ending.ts'
import { loadFiles } from './commands/load-files.ts'
import { writePlanFile } from './commands/output-files.ts'
import { reported } from './commands/reporting.ts'
import { published, redactedPlan } from './commands/reports.ts'
import { type Session, withService } from './commands/session.ts'
import { EXIT, exitCodeOfDrift, exitCodeOfPlan } from './exit-codes.ts'
import type { Options } from './options.ts'
import { openRules, type RuleJudge } from './rule-judge.ts'
import { type Run, sayDiagnostics, typedIn } from './run.ts'
import { hideSecrets, openRunSecrets } from './run-secrets.ts'
import { observeOrganization, type ReadOnly } from './service.ts'
import { readSnapshot } from './take-snapshot.ts'

/** Loads the files, reads the service or a snapshot, plans, and reports. */
export const plan = (run: Run): Promise<Ending> => reported('plan', run, planned)

async function planned(run: Run): Promise<Ending> {
  const { snapshot, out, detailedExitcode } = run.options
  const made = snapshot === undefined ? await planOnline(run) : await planOffline(run, snapshot)
  const forbidden = isForbidden(made.plan)
  const code = forbidden ? EXIT.error : detailedExitcode ? exitCodeOfPlan(made.plan) : EXIT.done
  const ending = await published(run, planReport(run, made), code)
  if (forbidden) sayDiagnostics(run, [NOT_SAVED])
  else if (out !== undefined) await writePlanFile(run, out, redactedPlan(run, made.plan))
  return ending
}

/** Saves no plan that cannot be applied. */
const NOT_SAVED = mistake(
  'rule-violated',
  'Rules forbid this plan. It has no digest, and is not saved.',
  'The report names each rule. Change the files, or the rules.',
)

async function planOnline(run: Run): Promise<Made> {
  const secrets = await openRunSecrets(run)
  return await withService(run, session => makePlan(run, session, secrets), 'told')
}

/** Plans. The exit code is 2 if there are changes, and never if something failed. */
export const drift = (run: Run): Promise<Ending> => reported('drift', run, drifted)

async function drifted(run: Run): Promise<Ending> {
  const secrets = await openRunSecrets(run)
  return await withService(run, async session => {
    // Drift is not a requested change, so rules do not apply.
    const desired = { ...session.desired, rules: undefined }
    const made = await makePlan(run, { ...session, desired }, secrets, { forgives: true })
    const missing = missingInventory(made)
    const told = withoutPermissions(made.plan)
    const plan = missing === undefined ? told : { ...told, diagnostics: [...told.diagnostics, missing] }
    const report = {
      kind: 'drift',
      plan,
      typed: typedIn(run),
      reach: reachIn(made),
      unfinished: unfinishedSets(made.matched),
    } as const
    return await published(run, report, exitCodeOfDrift(plan))
  })
}

/** Plans against the service: for plan, drift, apply and affected. Without a plan, the command ends. */
export async function makePlan(
  run: Run,
  { desired, service, progress }: Session,
  secrets: RunSecrets,
  more: Pick<Asked, 'forgives' | 'tellsAll'> = {},
): Promise<Made> {
  hideSecrets(run, desired, secrets)
  const { close, ...asked } = required(run, await askedBy(run, desired, secrets.secretOf))
  progress.reading()
  const source = stateSourceOf(service, desired.organization)
  const planned = await madeFrom(desired, source, { ...asked, ...more }).finally(close)
  progress.end()
  const made = madeIn(run, planned, secrets.problems())
  sayDiagnostics(run, refusedSecrets(made.plan.steps, secrets.secretOf, placeIn(made)))
  return made
}

/** What a user asks of a plan, in addition to the files. */
export interface Asked extends Pick<DraftOptions, 'adopt' | 'rewrite' | 'fingerprintOf' | 'tool'> {
  /** Names, patterns or ids of sets; empty or left out: everything. */
  readonly only?: readonly string[]
  /** The files before this change. */
  readonly base?: Base | undefined
  /** Holds the plan against rules, as its last step. */
  readonly judge?: RuleJudge['judge'] | undefined
  /** Rules, `affected` or a report need the targets of all our sets, changed or not, and every Stack that a plan may concern. */
  readonly tellsAll?: boolean
  /** A value that differs only as a service may have stored it is no change: for drift, which sends nothing that could tell. */
  readonly forgives?: boolean
  /** Only what this change asks for. Needs a base. `fullPlan`: the command of the plan without it. */
  readonly onlyThisChange?: { readonly fullPlan: string } | undefined
}

/** What options and environment ask of a plan: base, rules, selection. `close` ends the thread of the rules. */
async function askedBy(
  run: Run,
  { organization, rules }: Pick<DesiredState, 'organization' | 'rules'>,
  source: ReadSecret,
): Promise<Checked<Asked & { readonly close?: () => Promise<void> }>> {
  const { options, env, redactor } = run
  const key = env.SETPOINT_FINGERPRINT_KEY || undefined
  if (key !== undefined && key.trim().length < LEAST_KEY) return none(WEAK_KEY)
  if (options.onlyThisChange && options.base === undefined) return none(NO_BASE)
  const { value: base, diagnostics } = await loadBase(run)
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const judge = openRules({ rules, base, redact: planned => redactor.in(planned) })
  return {
    value: {
      tool: run.version,
      only: options.only,
      adopt: options.adopt,
      rewrite: options.rewrite,
      fingerprintOf: fingerprintsFrom(source, organization, key),
      base,
      onlyThisChange: options.onlyThisChange ? { fullPlan: fullPlanOf(run) } : undefined,
      judge: judge?.judge,
      tellsAll: judge?.asksPlaces === true || showsAll(options),
      close: judge?.close,
    },
    diagnostics,
  }
}

const WEAK_KEY = mistake(
  'bad-usage',
  `SETPOINT_FINGERPRINT_KEY has fewer than ${LEAST_KEY} characters.`,
  'A key that can be guessed reveals every secret that it fingerprints. Generate one: openssl rand -hex 32',
)

const NO_BASE = mistake(
  'bad-usage',
  '--only-this-change needs --base, the commit before this change.',
  'Add it, such as: --base origin/main',
)

/** The plan that reverts drift as well. */
function fullPlanOf(run: Run): string {
  const typed = typedIn(run)
  if (typed === undefined) return 'plan without onlyThisChange'
  return commandLine(typed).as('plan').without('--only-this-change').quote.text
}

/** Whether a report shows all our sets, changed or not. */
const showsAll = ({ format, reports }: Options): boolean =>
  [format, ...reports.map(one => one.format)].some(one => one === 'json' || one === 'html')

/** Where the observed state is from: a connection, or a snapshot. */
export interface StateSource {
  /** Origin of the service, or `sandbox`. */
  readonly address: string
  readonly observe: () => Promise<ObservedState>
  readonly lookUps: LookUps
  /** Requests sent so far. */
  readonly reads: () => number
}

export const stateSourceOf = (service: ReadOnly, organization: string): StateSource => ({
  address: service.address,
  observe: () => observeOrganization(service, organization),
  lookUps: createLookUps(service.reader, organization),
  reads: () => service.requests().reads,
})

/**
 * Makes a plan of valid files. The service is asked until the names of the files are known, and then until a draft of the plan needs
 * nothing more that the service tells; that draft becomes the plan, which is held against rules. No plan if a diagnostic is an error.
 * Rejects if the service cannot be read.
 */
export async function madeFrom(
  desired: DesiredState,
  { lookUps, address, observe, reads }: StateSource,
  asked: Asked = {},
): Promise<Checked<Made>> {
  const [names, observed] = await Promise.all([
    settled(lookUps, told => namesOf(desired, asked.base, told)),
    observe(),
  ])
  const { named, base, diagnostics } = names
  if (named === undefined) return none(...whyUnresolved(diagnostics, desired, observed, lookUps.told()))
  const missing = [...checkStacks(desired, observed), ...checkOwners(desired, observed)]
  if (missing.length > 0) return none(...acceptedIn(named, [...diagnostics, ...missing]))

  const known = { desired, named, base, address, warnings: diagnostics, observed }
  const drafted = await settled(lookUps, told => draftWith({ ...known, told }, asked))
  return await judged(planWith(drafted, reads()))
}

/** The files and the base with ids in place of names, as far as the service told them. A base without them does not count. */
function namesOf(desired: DesiredState, base: Base | undefined, told: Directory) {
  const { value: named, diagnostics, needs } = resolveNames(desired, told)
  const before = base?.desired && resolveNames(base.desired, told, true)
  return {
    named,
    base: base && before?.value && { ref: base.ref, commit: base.commit, desired: before.value },
    diagnostics,
    needs: [...needs, ...(before?.needs ?? [])],
  }
}

/** What a plan is made of. */
interface Known {
  /** As in the files. */
  readonly desired: DesiredState
  /** The same with ids in place of names, and what that warns of. */
  readonly named: ResolvedState
  readonly warnings: readonly Diagnostic[]
  readonly base: BaseCommit | undefined
  readonly address: string
  readonly observed: ObservedState
  /** What the service told of workspaces, projects and Stacks so far. */
  readonly told: Directory
}

/** The operations of a plan, by what was told so far, and what the service has yet to tell of it. Pure. */
function draftWith(known: Known, asked: Asked) {
  const { desired, observed, told } = known
  const whole = draftWithout(new Map(), known, asked)
  const { operations, matched } = whole
  const members = membersOf(operations, desired, observed, told)
  return {
    ...(members.gone.size === 0 ? whole : draftWithout(members.gone, known, asked)),
    known,
    asked,
    members,
    needs: [...concernedBy(operations, matched.match, told, asked.tellsAll ?? false), members.needs],
  }
}

/** A draft without these members of groups, in the files as in the base. */
function draftWithout(gone: GoneMembers, known: Known, asked: Asked) {
  const { observed, address, told } = known
  const { only = [], adopt, onlyThisChange, forgives } = asked
  const resolved = { ...withoutWorkspaces(known.named, gone), directory: told }
  const base = known.base && { ...known.base, desired: withoutWorkspaces(known.base.desired, gone) }
  const found = matchStates(resolved, observed, only, adopt, undefined, forgives)
  const before = base && planBase(base, observed, found.match.only)
  const options = { ...asked, base, address, only, looksSecret: looksLikeSecret }
  const thisChange = onlyThisChange && before && thisChangeOf(before, options, found)
  const matched = ofThisChange(found, thisChange)
  const draft = draftPlan(resolved, observed, { ...options, thisChange }, matched, before)
  const operations = draft.value?.drafts.map(({ operation }) => operation) ?? []
  return { resolved, found, thisChange, matched, options: { ...options, thisChange }, draft, operations }
}

/** The plan of a draft that needs nothing more. `reads`: requests so far. Pure. */
function planWith(drafted: ReturnType<typeof draftWith>, reads: number): Checked<Made> {
  const { known, asked, resolved, matched, thisChange, members } = drafted
  const { desired, named, warnings, observed, told } = known
  const options = { ...drafted.options, unassigned: members.unassigned, reads }
  const created = createPlan(resolved, observed, options, matched, drafted.draft)
  const { fullPlan = '' } = asked.onlyThisChange ?? {}
  const needs = thisChange ? needsDrift(drafted.found, thisChange, drafted.operations, fullPlan) : []
  const failed = [...members.diagnostics, ...needs]
  const diagnostics = acceptedIn(named, [...warnings, ...failed, ...created.diagnostics])
  if (created.value === undefined || hasErrors(failed)) return none(...diagnostics)
  const { value, secrecy, reception, guards, base } = created
  const errors = [
    ...checkIds(desired, newTargets(value.steps), told, observed),
    ...checkStacks(desired, observed, told.hidden),
    ...checkProjects(desired, observed, told),
    ...checkListed(matched.match),
  ]
  if (errors.length > 0) return none(...sortDiagnostics([...diagnostics, ...errors]))
  const plan = { ...value, diagnostics }
  const made = { plan, asked, resolved, observed, matched, secrecy, guards, thisChange, reception, base }
  return { value: made, diagnostics }
}

/** Without warnings that the files accept. */
const acceptedIn = ({ sets }: ResolvedState, diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  sortDiagnostics(withoutAccepted(diagnostics, sets))

/** The plan held against rules. With mistakes in their expressions, there is none. */
async function judged({ value: made, diagnostics }: Checked<Made>): Promise<Checked<Made>> {
  const judge = made?.asked.judge
  if (made === undefined || judge === undefined) return { value: made, diagnostics }
  const { value: plan, diagnostics: found } = await judge(made.plan, made.matched.match, plannedIn(made))
  return { value: plan && { ...made, plan }, diagnostics: found }
}

/** A plan, and everything that it was made of. */
export interface Made {
  readonly plan: Plan
  /** What was asked of it, so that it can be made again. */
  readonly asked: Asked
  /** The files, with what the service told. */
  readonly resolved: ResolvedState
  readonly observed: ObservedState
  readonly matched: Matched
  /** Which values the plan hides. */
  readonly secrecy: Secrecy
  /** The guards that count: with a base, the stricter ones of both. */
  readonly guards: Guards
  /** What a plan of one change leaves as it is. */
  readonly thisChange?: ThisChange | undefined
  /** Who receives which sets. */
  readonly reception: () => Reception
  /** What the base would change; absent without one. */
  readonly base?: BasePlan | undefined
}

/** The plan that was made. Without one, or with `problems`, the command ends. */
export const madeIn = (
  run: Run,
  { value, diagnostics }: Checked<Made>,
  problems: readonly Diagnostic[] = [],
): Made => required(run, { value, diagnostics: [...(value === undefined ? diagnostics : []), ...problems] })

/** The plan as a report of this run. */
export function planReport(run: Run, made: Made) {
  const planned = () => plannedIn(made)
  return {
    kind: 'plan',
    plan: made.plan,
    planned,
    typed: typedIn(run),
    reach: reachIn(made),
  } as const satisfies SingleReport
}

/** What a plan leads to: rules see it, and JSON reports have it. */
export const plannedIn = ({ plan, matched, resolved, secrecy, base }: Made): PlannedState =>
  plannedOf(
    plan,
    matched.match,
    namesIn(resolved.directory),
    secrecy,
    resolved.groups,
    formerlyBy(matched.ownership, base),
  )

/** What all our sets reach: more than the plan contains. */
export const reachIn =
  ({ matched, resolved }: Made): (() => Reach) =>
  () =>
    reachOf(matched.match, resolved.directory)

/** Finds the place of a variable in the files, else of its set. */
export function placeIn({ resolved }: Made): (set: string, key: string) => SourceRange | undefined {
  return (set, key) => {
    const found = resolved.sets.find(candidate => candidate.name === set)
    return found?.variables.find(variable => variable.key === key)?.source ?? found?.source
  }
}

/**
 * A warning if the service has no inventory of the owner: nothing was applied for it yet, or somebody deleted the set. Without it,
 * nobody can tell what was changed outside.
 */
export function missingInventory(
  { plan: { owner }, matched }: Pick<Made, 'plan' | 'matched'>,
  end = 'The next apply writes a new one. Until then, it is unknown which sets this repository manages, and what was changed outside Setpoint.',
): Diagnostic | undefined {
  if (owner === undefined || matched.ownership.own.length > 0) return undefined
  return warning(
    'missing-inventory',
    `The service has no inventory of the owner "${owner}" (the set "${INVENTORY_PREFIX}${owner}").`,
    `If something was applied for this owner before, somebody deleted or renamed the inventory. ${end}`,
  )
}

/** A plan from a snapshot. Needs no connection and no token. */
async function planOffline(run: Run, file: string): Promise<Made> {
  if (run.options.sandbox || run.options.address !== undefined)
    misuse(run, '--snapshot replaces the service.', 'Remove --sandbox and --address.')
  const desired = await loadFiles(run, 'told')
  const { value: snapshot, diagnostics } = await readSnapshot(run, file, desired.organization)
  const { value: asked, diagnostics: mistakes } = await askedBy(run, desired, () => undefined)
  if (snapshot === undefined || asked === undefined)
    fail(run, ...(snapshot === undefined ? diagnostics : []), ...mistakes)
  sayDiagnostics(run, mistakes)
  const { close, ...wishes } = asked
  const source = {
    address: snapshot.address,
    observe: async () => observedIn(snapshot),
    lookUps: lookUpsOf(snapshot.directory),
    reads: () => 0,
  }
  const made = madeIn(run, await madeFrom(desired, source, wishes).finally(close))
  const unknown = notInSnapshot(made.resolved, snapshot)
  if (unknown.length > 0) return required(run, none(...unknown))
  const { plan } = made
  return { ...made, plan: { ...plan, diagnostics: [...plan.diagnostics, ...diagnostics] } }
}
