import { type Checked, compareText, hasErrors, sortDiagnostics } from '../model/diagnostic.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { guardAdoption } from './adoption.ts'
import { checkMatch, cycleDiagnostic } from './check.ts'
import { digestOf } from './digest.ts'
import { factsOf } from './facts.ts'
import { guardPlan } from './guards.ts'
import { matchOf } from './match-of.ts'
import { orderSteps } from './order.ts'
import { checkOwners, Ownership } from './ownership.ts'
import type { Plan } from './plan.ts'
import type { FingerprintOf } from './secret-state.ts'
import { SecretStates } from './secrets.ts'
import { summaryOf } from './summary.ts'
import { diffVariableSets } from './variable-set.ts'
import { withholdReplaced } from './withhold.ts'

export interface PlanOptions {
  /** Origin of the service, or `sandbox`. */
  readonly address: string
  /** Patterns of set names; empty: everything. */
  readonly only: readonly string[]
  /** Version of Setpoint. */
  readonly tool?: string
  /** Requests that it took to observe. */
  readonly reads: number
  /** Patterns of set names that may be taken over although they differ, or although another owner lists them. */
  readonly adopt?: readonly string[]
  /** Patterns `SET` or `SET/KEY` of secrets to write again. */
  readonly rewrite?: readonly string[]
  /** Without it, secrets are not compared with what their source holds. */
  readonly fingerprintOf?: FingerprintOf
  /** Each added variable in a request of its own: for a service that does not add them in an update. */
  readonly narrow?: boolean
  /** Names of workspaces and projects by id, where known. */
  readonly names: Readonly<Record<string, string>>
}

/**
 * What has to be done so that the observed state becomes the desired one. Pure: equal arguments give equal plans, and
 * the order of sets and variables in them does not matter. No plan where a diagnostic is an error.
 */
export function createPlan(
  desired: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
): Checked<Plan> {
  const only = options.only.toSorted(compareText)
  const adopt = options.adopt ?? []
  const ownership = new Ownership(desired, observed)
  const match = matchOf(desired, observed, only)
  const diagnostics = sortDiagnostics([
    ...match.diagnostics,
    ...checkMatch(match),
    ...checkOwners(match, ownership, adopt),
  ])
  if (hasErrors(diagnostics)) return { value: undefined, diagnostics }
  const secrets = new SecretStates(match, {
    inventory: ownership.owner !== undefined,
    entries: ownership.entries,
    fingerprintOf: options.fingerprintOf ?? (() => []),
    rewrite: options.rewrite ?? [],
  })
  const drafts = withholdReplaced(diffVariableSets(match, secrets, options.narrow === true))
  const ordered = orderSteps(drafts)
  if ('cycle' in ordered)
    return { value: undefined, diagnostics: [...diagnostics, cycleDiagnostic(ordered.cycle)] }
  const { steps } = ordered
  const base = {
    format: 1,
    organization: desired.organization,
    address: options.address,
    only,
    steps,
  } as const
  const blocks = [
    ...guardPlan(steps, match, desired.guards),
    ...guardAdoption(steps, match, ownership, adopt),
  ]
  const plan: Plan = {
    ...base,
    ...(desired.owner === undefined ? {} : { owner: desired.owner }),
    ...(options.tool === undefined ? {} : { tool: options.tool }),
    digest: digestOf(base),
    summary: summaryOf(steps),
    requests: { reads: options.reads, writes: steps.length },
    blocks,
    blocked: blocks.length > 0,
    diagnostics,
    facts: factsOf(match, observed, drafts, secrets, ownership),
    names: namesIn(steps, options.names),
  }
  return { value: plan, diagnostics }
}

/** Only the names of what the plan mentions, so that a plan says no more than it has to. */
function namesIn(steps: Plan['steps'], names: Readonly<Record<string, string>>): Record<string, string> {
  const mentioned = steps.flatMap(({ operation }) => {
    if (operation.type === 'assign' || operation.type === 'unassign') return [...operation.targets.ids]
    if (operation.type === 'create-set') return [...operation.after.workspaces, ...operation.after.projects]
    if (operation.type === 'delete-set') return [...operation.before.workspaces, ...operation.before.projects]
    return []
  })
  return Object.fromEntries(
    [...new Set<string>(mentioned)].toSorted().flatMap(id => {
      const name = names[id]
      return name === undefined ? [] : [[id, name]]
    }),
  )
}
