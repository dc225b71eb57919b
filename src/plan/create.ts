import {
  type Checked,
  compareText,
  type Diagnostic,
  hasErrors,
  none,
  sortDiagnostics,
} from '../model/diagnostic.ts'
import type { VariableKey, VariableSetId } from '../model/ids.ts'
import type { Guards, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type BaseCommit, type BasePlan, guardPruning, leftBehind, planBase, stricterGuards } from './base.ts'
import { checkMatch, cycleDiagnostic } from './conflicts.ts'
import { diffVariableSets } from './difference.ts'
import type { Draft } from './draft.ts'
import { effectiveFacts } from './effective/effective-facts.ts'
import { type Reception, receptionOf } from './effective/reception.ts'
import { factsOf, permissionWarnings } from './facts.ts'
import { checkGapsKnown, guardAdoption, guardGaps, guardPlan } from './guards.ts'
import { loosenedSettings } from './loosened.ts'
import type { Match } from './match.ts'
import { type Matched, matchStates } from './match-states.ts'
import { notSentWarnings } from './not-sent.ts'
import { ofThisChange, type ThisChange } from './only-this-change.ts'
import { type Verb, verbOf } from './operation.ts'
import { orderSteps } from './order.ts'
import { checkOwners } from './ownership.ts'
import type { Plan, Remaining, Step, Summary } from './plan-data.ts'
import type { PlanFinding } from './plan-findings.ts'
import { probableRenames, renameHints } from './probable-renames.ts'
import { guardProtection, leavesProtection } from './protection.ts'
import { mentionedNames, namesIn } from './reach.ts'
import { digestOf } from './reviewed-plan.ts'
import { type LooksSecret, NOTHING_LOOKS_SECRET, type Secrecy, secrecyOf, withholdBefore } from './secrecy.ts'
import { type SecretRequest, SecretStates } from './secret-states.ts'
import { endsThatDiffer, shownIn, storedAs } from './stored-text.ts'
import { unkeptWarning } from './unkept.ts'
import { checkUnmatched } from './unmatched.ts'

/** What operations follow from, in addition to files and service. */
export interface DraftOptions extends SecretRequest {
  /** Origin of the service, or `sandbox`. */
  readonly address: string
  /** Names, patterns or ids of sets; empty: everything. */
  readonly only: readonly string[]
  /** Version of Setpoint. */
  readonly tool?: string
  /** Names, patterns or ids of sets to take ownership of although they differ or another owner lists them. */
  readonly adopt?: readonly string[]
  /** Which readable texts look like secrets and are hidden. Left out: none. */
  readonly looksSecret?: LooksSecret
  /** Ids of sets that this run created. */
  readonly made?: ReadonlySet<VariableSetId>
  /** The files before this change. With them, differences have origins. */
  readonly base?: BaseCommit
  /** What a plan of this change alone leaves as it is. `matched` is that of this change already. */
  readonly thisChange?: ThisChange | undefined
}

export interface PlanOptions extends DraftOptions {
  /** Requests used to read the service. */
  readonly reads: number
  /** Workspaces of groups that sets are not assigned to. `desired` lacks them already. */
  readonly unassigned?: readonly PlanFinding[]
}

/** A plan with what it was made of, or why there is none. */
export type CreatedPlan =
  | (Checked<never> & {
      readonly value: undefined
      readonly secrecy?: undefined
      readonly reception?: undefined
    })
  | (Checked<Plan> & {
      readonly value: Plan
      /** What this plan hides, for what is derived from it. */
      readonly secrecy: Secrecy
      /** Who receives which sets, computed again: few commands ask for more than the plan says of it. */
      readonly reception: () => Reception
      /** The guards that count: with a base, the stricter ones of both. */
      readonly guards: Guards
      /** What the base would change; absent without one. */
      readonly base: BasePlan | undefined
    })

/**
 * The operations that turn the observed state into the desired one, without their order, or errors. They depend on no look-up: only
 * messages have the names that the service told.
 */
export function draftPlan(
  desired: ResolvedState,
  observed: ObservedState,
  options: DraftOptions,
  matched: Matched,
  base = options.base && planBase(options.base, observed, matched.match.only),
): Checked<Drafts> {
  const { match, ownership } = matched
  const { adopt = [], rewrite = [] } = options
  const inBase = new Set(base?.match.pairs.map(({ observed }) => observed?.id))
  const renames = probableRenames(match, ownership, inBase)
  const { value, diagnostics } = draftsBetween(desired, matched, options, [
    ...(base === undefined
      ? []
      : leftBehind(base, match, ownership, new Set(renames.map(({ left }) => left.id)))),
    ...renameHints(renames),
    ...checkOwners(match, ownership, adopt),
    ...checkUnmatched(
      desired,
      observed,
      match,
      ownership,
      { adopt, rewrite },
      new Set(renames.map(({ created }) => created)),
    ),
  ])
  return { value: value && { ...value, base }, diagnostics }
}

/**
 * The operations that turn the observed state into the desired one, or errors. Pure: the order of sets and variables
 * does not matter.
 */
export function createPlan(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  matched = matchStates(desired, observed, options.only, options.adopt, options.made),
  drafted = draftPlan(desired, observed, options, matched),
): CreatedPlan {
  const { match, ownership } = matched
  const { adopt = [], looksSecret = NOTHING_LOOKS_SECRET } = options
  const { directory } = desired
  const { value, diagnostics } = drafted
  if (value === undefined) return { value, diagnostics }
  const { drafts, secrets, secrecy, base } = value
  const guards = base === undefined ? desired.guards : stricterGuards(base.guards, desired.guards)
  const unprotected = leavesProtection(match, guards, base)
  const loosened = options.base ? loosenedSettings(options.base.desired, desired, unprotected) : []
  const received = () => receptionOf(match, drafts, secrets, directory, secrecy)
  const reception = received()
  const ordered = orderSteps(drafts, reception)
  if ('cycle' in ordered)
    return { value: undefined, diagnostics: [...diagnostics, cycleDiagnostic(ordered.cycle)] }

  const { steps } = ordered
  const essence = essenceOf(steps, match, desired, options)
  const facts = {
    ...factsOf(
      matched,
      { desired, only: essence.only, unassigned: options.unassigned },
      observed,
      drafts,
      secrets,
      base && { ...base, loosened },
    ),
    hidden: secrecy.hidden,
    ...effectiveFacts(
      reception,
      match,
      steps.map(({ operation }) => operation),
      observed,
    ),
    transition: ordered.transition,
  }
  const blocks = [
    ...guardPlan(steps, match, guards, reception, directory),
    ...guardProtection(unprotected),
    ...guardPruning(loosened, match),
    ...guardAdoption(steps, match, ownership, adopt),
    ...guardGaps(steps, facts.transition, guards),
  ]
  const told = sortDiagnostics([
    ...diagnostics,
    ...(match.stored ?? []).map(one => storedAs(one, looksSecret)),
    ...(match.unkept ?? []).map(unkeptWarning),
    ...endsThatDiffer(drafts, looksSecret, shownIn(observed.sets).value),
    ...notSentWarnings(match, secrets, base, ownership.owner),
    ...permissionWarnings(match, facts.unwritable),
    ...checkGapsKnown(steps, facts.received, guards),
  ])
  const plan = {
    ...essence,
    owner: desired.owner,
    tool: options.tool,
    digest: digestOf({ ...essence, blocks, facts }),
    summary: summaryOf(steps),
    requests: { reads: options.reads, writes: steps.length },
    blocks,
    blocked: blocks.length > 0,
    diagnostics: told,
    facts,
    ...mentionedNames({ ...essence, facts }, namesIn(directory)),
  }
  return { value: plan, diagnostics: told, secrecy, reception: received, guards, base }
}

/**
 * What is still to do after an apply, without the parts that only a review needs. Skips the checks of flags and owners: they
 * judge a request, and this one was carried out.
 */
export function findRemaining(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  guards = desired.guards,
): Checked<Remaining> {
  const matched = ofThisChange(
    matchStates(desired, observed, options.only, options.adopt, options.made),
    options.thisChange,
  )
  const { value, diagnostics } = draftsBetween(desired, matched, options)
  if (value === undefined) return none(...diagnostics)
  const ordered = orderSteps(value.drafts)
  if ('cycle' in ordered) return none(...diagnostics, cycleDiagnostic(ordered.cycle))
  const { steps } = ordered
  const { hidden } = value.secrecy
  const { directory } = desired
  const reception = receptionOf(matched.match, value.drafts, value.secrets, directory, value.secrecy)
  const blocks = [
    ...guardPlan(steps, matched.match, guards, reception, directory),
    ...guardAdoption(steps, matched.match, matched.ownership, options.adopt ?? []),
  ]
  return { value: { steps, summary: summaryOf(steps), blocks, facts: { hidden } }, diagnostics }
}

interface Drafts {
  readonly drafts: readonly Draft[]
  readonly secrets: SecretStates
  readonly secrecy: Secrecy
  /** What the base would change; absent without one. */
  readonly base?: BasePlan | undefined
}

/** The operations without their order. */
function draftsBetween(
  desired: ResolvedState,
  { match, ownership }: Matched,
  options: DraftOptions,
  checks: readonly Diagnostic[] = [],
): Checked<Drafts> {
  const diagnostics = sortDiagnostics([
    ...match.diagnostics,
    ...checkMatch(match, desired.directory),
    ...checks,
  ])
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const secrets = new SecretStates(match, ownership, options)
  const found = diffVariableSets(match, secrets)
  const operations = found.map(({ operation }) => operation)
  const secrecy = secrecyOf(operations, secretKeys(match), options.looksSecret ?? NOTHING_LOOKS_SECRET)
  const drafts = found.map(draft => ({ ...draft, operation: withholdBefore(draft.operation, secrecy) }))
  return { value: { drafts, secrets, secrecy }, diagnostics }
}

/** The keys under which the files declare secrets. */
const secretKeys = ({ pairs }: Match): ReadonlySet<VariableKey> =>
  new Set(
    pairs.flatMap(({ desired }) =>
      desired.variables.flatMap(({ key, value }) => ('secret' in value ? [key] : [])),
    ),
  )

const essenceOf = (
  steps: readonly Step[],
  { only }: Match,
  { organization }: ResolvedState,
  { address, thisChange }: DraftOptions,
) =>
  ({
    format: 2,
    organization,
    address,
    only: only.toSorted(compareText),
    onlyThisChange: thisChange && {
      drift: thisChange.drift,
      overwritten: thisChange.overwritten.length > 0 ? thisChange.overwritten : undefined,
    },
    steps,
  }) as const

/** The number of operations by verb. */
export function summaryOf(steps: readonly Step[]): Summary {
  const counts: Record<Verb | 'changes', number> = {
    create: 0,
    update: 0,
    delete: 0,
    assign: 0,
    unassign: 0,
    changes: steps.length,
  }
  for (const step of steps) counts[verbOf(step.operation)]++
  return counts
}
