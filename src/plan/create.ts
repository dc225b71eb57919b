import {
  type Checked,
  compareText,
  type Diagnostic,
  hasErrors,
  none,
  sortDiagnostics,
} from '../model/diagnostic.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type BaseCommit, guardPruning, leftBehind, planBase, stricterGuards } from './base.ts'
import { checkMatch, cycleDiagnostic } from './conflicts.ts'
import { diffVariableSets } from './difference.ts'
import type { Draft } from './draft.ts'
import { effectiveFacts, landscapeOf } from './effective/facts.ts'
import { factsOf, permissionWarnings } from './facts.ts'
import { guardAdoption, guardGaps, guardPlan } from './guards.ts'
import { checkOwners } from './inventory.ts'
import type { Match } from './match.ts'
import { type Matched, matchStates } from './match-states.ts'
import { type Verb, verbOf } from './operation.ts'
import { orderSteps } from './order.ts'
import type { Plan, Remaining, Step, Summary } from './plan.ts'
import { namesIn } from './reach.ts'
import { digestOf } from './reviewed.ts'
import { hiddenAfter, type LooksSecret, NOTHING_LOOKS_SECRET, withholdBefore } from './secrecy.ts'
import { type SecretRequest, SecretStates } from './secrets.ts'
import { endsThatDiffer } from './stored-text.ts'
import { checkUnmatched } from './unmatched.ts'

export interface PlanOptions extends SecretRequest {
  /** Origin of the service, or `sandbox`. */
  readonly address: string
  /** Names, patterns or ids of sets; empty: everything. */
  readonly only: readonly string[]
  /** Version of Setpoint. */
  readonly tool?: string
  /** Requests used to read the service. */
  readonly reads: number
  /** Names, patterns or ids of sets to take ownership of although they differ or another owner lists them. */
  readonly adopt?: readonly string[]
  /** Which readable texts look like secrets and are hidden. Left out: none. */
  readonly looksSecret?: LooksSecret
  /** Names under `removed` that the service does not have and that may belong to deleted sets. */
  readonly gone?: ReadonlySet<string>
  /** Ids of sets that this run created. */
  readonly made?: ReadonlySet<VariableSetId>
  /** Names of workspaces, projects and Stacks by id, as the service gave them. */
  readonly names: Readonly<Record<string, string>>
  /** The files before this change. With them, differences have origins. */
  readonly base?: BaseCommit
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
): Checked<Plan> {
  const { match, ownership } = matched
  const { adopt = [], rewrite = [], gone, looksSecret = NOTHING_LOOKS_SECRET } = options
  const { directory } = desired
  const base = options.base && planBase(options.base, desired, observed, match.only)
  const { value, diagnostics } = draftsBetween(desired, matched, options, false, [
    ...(base === undefined ? [] : leftBehind(base, match, ownership)),
    ...checkOwners(match, ownership, adopt),
    ...checkUnmatched(desired, observed, match, ownership, { adopt, rewrite, gone }),
  ])
  if (value === undefined) return none(...diagnostics)
  const { drafts, secrets } = value
  const landscape = landscapeOf(match, drafts, secrets, directory, looksSecret)
  const ordered = orderSteps(drafts, landscape)
  if ('cycle' in ordered) return none(...diagnostics, cycleDiagnostic(ordered.cycle))

  const { steps } = ordered
  const essence = essenceOf(steps, match, desired, options)
  const guards = base === undefined ? desired.guards : stricterGuards(base.guards, desired.guards)
  const facts = {
    ...factsOf(matched, { desired, only: essence.only }, observed, drafts, secrets, base),
    ...effectiveFacts(landscape, match, directory, observed),
    transition: ordered.transition(),
  }
  const blocks = [
    ...guardPlan(steps, match, guards),
    ...guardPruning(base, match),
    ...guardAdoption(steps, match, ownership, adopt),
    ...guardGaps(steps, facts.transition, guards),
  ]
  const told = sortDiagnostics([
    ...diagnostics,
    ...(ownership.owner === undefined ? endsThatDiffer(drafts) : []),
    ...permissionWarnings(match, facts.unwritable),
  ])
  const plan = {
    ...essence,
    owner: desired.owner,
    tool: options.tool,
    digest: digestOf(essence),
    summary: summaryOf(steps),
    requests: { reads: options.reads, writes: steps.length },
    blocks,
    blocked: blocks.length > 0,
    diagnostics: told,
    facts,
    names: namesIn({ steps, facts }, options.names),
  }
  return { value: plan, diagnostics: told }
}

/**
 * What is still to do after an apply, without the parts that only a review needs. Flags and owners are not checked again, because
 * what they asked for is done, and each added variable has its own request, for services that do not add them in an update.
 */
export function findRemaining(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Checked<Remaining> {
  const matched = matchStates(desired, observed, options.only, options.adopt, options.made)
  const { value, diagnostics } = draftsBetween(desired, matched, options, true)
  if (value === undefined) return none(...diagnostics)
  const ordered = orderSteps(value.drafts)
  if ('cycle' in ordered) return none(...diagnostics, cycleDiagnostic(ordered.cycle))
  const { steps } = ordered
  const digest = digestOf(essenceOf(steps, matched.match, desired, options))
  const hidden = hiddenAfter(steps.map(({ operation }) => operation))
  return { value: { steps, digest, summary: summaryOf(steps), facts: { hidden } }, diagnostics }
}

/** The operations without their order. */
function draftsBetween(
  desired: ResolvedState,
  { match, ownership }: Matched,
  options: PlanOptions,
  narrow: boolean,
  checks: readonly Diagnostic[] = [],
): Checked<{ readonly drafts: readonly Draft[]; readonly secrets: SecretStates }> {
  const found = [...match.diagnostics, ...checkMatch(match, desired.directory), ...checks]
  const diagnostics = sortDiagnostics(found)
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const secrets = new SecretStates(match, ownership, options)
  const drafts = diffVariableSets(match, secrets, narrow)
  const value = { drafts: withholdBefore(drafts, options.looksSecret ?? NOTHING_LOOKS_SECRET), secrets }
  return { value, diagnostics }
}

const essenceOf = (
  steps: readonly Step[],
  { only }: Match,
  { organization }: ResolvedState,
  { address }: PlanOptions,
) => ({ format: 2, organization, address, only: only.toSorted(compareText), steps }) as const

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
  for (const step of steps) counts[verbOf[step.operation.type]]++
  return counts
}
