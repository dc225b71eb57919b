import {
  type Checked,
  compareText,
  type Diagnostic,
  hasErrors,
  sortDiagnostics,
} from '../model/diagnostic.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type BaseCommit, guardPruning, leftBehind, planBase, stricterGuards } from './base.ts'
import { checkMatch, cycleDiagnostic } from './conflicts.ts'
import { diffVariableSets } from './difference.ts'
import type { Draft } from './draft.ts'
import type { Transition } from './effective/effect.ts'
import { effectiveFacts, type Landscape, landscapeOf } from './effective/facts.ts'
import { factsOf, permissionWarnings } from './facts.ts'
import { guardAdoption, guardPlan } from './guards.ts'
import type { Match } from './match.ts'
import { type Matched, matchStates } from './match-states.ts'
import { type Verb, verbOf } from './operation.ts'
import { orderSteps } from './order.ts'
import type { BasePlan } from './origin.ts'
import { checkOwners, type Ownership } from './ownership.ts'
import type { Plan, Remaining, Step, Summary } from './plan.ts'
import { namesIn } from './reach.ts'
import { digestOf } from './reviewed.ts'
import { hiddenAfter, type LooksSecret, NOTHING_LOOKS_SECRET, withholdBefore } from './secrecy.ts'
import { type FingerprintOf, SecretStates } from './secrets.ts'
import { endsThatDiffer } from './stored-text.ts'
import { guardGaps } from './transition/guard.ts'
import { checkUnmatched } from './unmatched.ts'

export interface PlanOptions {
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
  /** Patterns `SET` or `SET/KEY` of secrets to write again. */
  readonly rewrite?: readonly string[]
  /** Without it, secrets are not compared with their source. */
  readonly fingerprintOf?: FingerprintOf
  /** Which readable texts look like secrets and are hidden. Left out: none. */
  readonly looksSecret?: LooksSecret
  /** Create each added variable in its own request, for services that do not add them in an update. */
  readonly narrow?: boolean
  /** Names under `removed` that the service does not have and that may belong to deleted sets. */
  readonly gone?: ReadonlySet<string>
  /** After an apply, flags and owners are not checked again: what they asked for is done. */
  readonly afterApply?: boolean
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
  matched?: Matched,
): Checked<Plan> {
  const { value, diagnostics } = differencesBetween(desired, observed, options, matched)
  const plan = value && planOf(value, desired, observed, options)
  return { value: plan, diagnostics: plan?.diagnostics ?? diagnostics }
}

/** What is still to do after an apply, without the parts that only a review needs. */
export function findRemaining(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Checked<Remaining> {
  const after = { ...options, narrow: true, afterApply: true }
  const { value, diagnostics } = differencesBetween(desired, observed, after)
  if (value === undefined) return { value, diagnostics }
  const { steps } = value
  return {
    value: {
      steps,
      digest: digestOf(essenceOf(value, desired, options)),
      summary: summaryOf(steps),
      facts: { hidden: hiddenAfter(steps.map(({ operation }) => operation)) },
    },
    diagnostics,
  }
}

/** The steps, and what they were computed from. */
interface Differences {
  readonly only: readonly string[]
  readonly adopt: readonly string[]
  readonly ownership: Ownership
  readonly match: Match
  readonly base: BasePlan | undefined
  readonly secrets: SecretStates
  readonly drafts: readonly Draft[]
  readonly steps: readonly Step[]
  /** Absent after an apply. */
  readonly landscape: Landscape | undefined
  readonly transition: () => Transition
  readonly diagnostics: readonly Diagnostic[]
}

function differencesBetween(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  matched = matchStates(desired, observed, options.only, options.adopt, options.made),
): Checked<Differences> {
  const { match, ownership } = matched
  const only = match.only.toSorted(compareText)
  const looksSecret = options.looksSecret ?? NOTHING_LOOKS_SECRET
  const adopt = options.adopt ?? []
  const base = options.base === undefined ? undefined : planBase(options.base, desired, observed, only)
  const diagnostics = sortDiagnostics([
    ...match.diagnostics,
    ...(base === undefined ? [] : leftBehind(base, match, ownership)),
    ...checkMatch(match, desired.directory),
    ...(options.afterApply === true
      ? []
      : [
          ...checkOwners(match, ownership, adopt),
          ...checkUnmatched(desired, observed, match, ownership, {
            adopt,
            rewrite: options.rewrite ?? [],
            gone: options.gone,
          }),
        ]),
  ])
  if (hasErrors(diagnostics)) return { value: undefined, diagnostics }
  const secrets = new SecretStates(match, {
    inventory: ownership.owner !== undefined,
    entries: ownership.entries,
    fingerprintOf: options.fingerprintOf ?? (() => []),
    rewrite: options.rewrite ?? [],
  })
  const drafts = withholdBefore(diffVariableSets(match, secrets, options.narrow === true), looksSecret)
  const landscape =
    options.afterApply === true
      ? undefined
      : landscapeOf(match, drafts, secrets, desired.directory, looksSecret)
  const ordered = orderSteps(drafts, landscape)
  if ('cycle' in ordered)
    return { value: undefined, diagnostics: [...diagnostics, cycleDiagnostic(ordered.cycle)] }
  const { steps, transition } = ordered
  const isRemembered = ownership.owner !== undefined || options.afterApply === true
  const told = isRemembered ? diagnostics : sortDiagnostics([...diagnostics, ...endsThatDiffer(drafts)])
  return {
    value: {
      only,
      adopt,
      ownership,
      match,
      base,
      secrets,
      drafts,
      steps,
      landscape,
      transition,
      diagnostics: told,
    },
    diagnostics: told,
  }
}

const essenceOf = ({ only, steps }: Differences, desired: ResolvedState, { address }: PlanOptions) =>
  ({ format: 2, organization: desired.organization, address, only, steps }) as const

function planOf(
  differences: Differences,
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Plan {
  const { only, adopt, ownership, match, base, secrets, drafts, steps, transition, diagnostics } = differences
  const looksSecret = options.looksSecret ?? NOTHING_LOOKS_SECRET
  const landscape =
    differences.landscape ?? landscapeOf(match, drafts, secrets, desired.directory, looksSecret)
  const essence = essenceOf(differences, desired, options)
  const guards =
    options.base === undefined ? desired.guards : stricterGuards(options.base.desired.guards, desired.guards)
  const facts = {
    ...factsOf({ match, ownership }, { desired, only }, observed, drafts, secrets, base),
    ...effectiveFacts(landscape, match, desired.directory, observed),
    transition: transition(),
  }
  const blocks = [
    ...guardPlan(steps, match, guards),
    ...guardPruning(base, match),
    ...guardAdoption(steps, match, ownership, adopt),
    ...guardGaps(steps, facts.transition, guards),
  ]
  return {
    ...essence,
    owner: desired.owner,
    tool: options.tool,
    digest: digestOf(essence),
    summary: summaryOf(steps),
    requests: { reads: options.reads, writes: steps.length },
    blocks,
    blocked: blocks.length > 0,
    diagnostics: sortDiagnostics([...diagnostics, ...permissionWarnings(match, facts.unwritable)]),
    facts,
    names: namesIn({ steps, facts }, options.names),
  }
}

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
