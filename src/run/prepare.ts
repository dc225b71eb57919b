import { createLookUps, type LookUps } from '../api/look-ups.ts'
import type { Reader } from '../api/reader.ts'
import { resolveNames } from '../api/resolve-names.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Diagnostic, hasErrors, type SourceRange, sortDiagnostics } from '../model/diagnostic.ts'
import { withoutAccepted } from '../model/findings.ts'
import type { ProjectId } from '../model/ids.ts'
import type { DesiredState, Guards, ObservedState, ResolvedState } from '../model/variable-set.ts'
import type { BasePlan } from '../plan/base.ts'
import { stricterGuards } from '../plan/base.ts'
import { concernedBy } from '../plan/concerned.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import type { Reception } from '../plan/effective/reception.ts'
import { hasOtherOwner } from '../plan/match.ts'
import { type Matched, matchStates } from '../plan/match-states.ts'
import { type Narrowing, narrowed } from '../plan/narrowing.ts'
import { needsDrift } from '../plan/needs-drift.ts'
import type { Plan, Step } from '../plan/plan-data.ts'
import { newTargets } from '../plan/reach.ts'
import type { Secrecy } from '../plan/secrecy.ts'
import { narrowingFor } from '../plan/this-change.ts'
import { confirmMembers, type GoneMembers, withoutWorkspaces } from './confirm-groups.ts'
import {
  checkIds,
  checkListed,
  checkOwners,
  checkProjects,
  checkStacks,
  whyUnresolved,
} from './confirm-names.ts'
import { observeOrganization } from './organization.ts'

/** Everything that a plan was made of. */
export interface Prepared {
  readonly plan: Plan
  readonly resolved: ResolvedState
  readonly observed: ObservedState
  readonly matched: Matched
  /** Which values the plan hides. */
  readonly secrecy: Secrecy
  /** The guards that count: with a base, the stricter ones of both. */
  readonly guards: Guards
  /** Patterns of sets to adopt. */
  readonly adopt: readonly string[]
  /** What a plan of one change leaves as it is. */
  readonly narrowing?: Narrowing | undefined
  /** Who receives which sets. */
  readonly reception: () => Reception
  /** What the base would change; absent without one. */
  readonly base?: BasePlan
  readonly diagnostics: readonly Diagnostic[]
}

/** The files of a commit before this change. */
export interface BaseState {
  /** As the user named it. */
  readonly ref: string
  readonly commit: string
  readonly desired: DesiredState
}

/** What a user asks of a plan in addition to the files. */
export interface PlanRequest extends Pick<PlanOptions, 'adopt' | 'rewrite' | 'fingerprintOf' | 'tool'> {
  readonly base?: BaseState
  /** Holds the plan against rules, as its last step. */
  readonly judge?: (prepared: Prepared) => Promise<Planned>
  /** Rules, `affected` or a report need the targets of all our sets, changed or not, and every Stack that a plan may concern. */
  readonly tellsAll?: boolean
  /** A value that differs only as a service may have stored it is no change: for drift, which sends nothing that could tell. */
  readonly forgives?: boolean
  /** Only what this change asks for. Needs a base. `fullPlan`: the command of the plan without it. */
  readonly onlyThisChange?: { readonly fullPlan: string }
}

/** A connection that cannot write, by type: all that planning gets. */
export interface ReadOnly {
  /** Origin of the service, or `sandbox`. Part of a plan's digest. */
  readonly address: string
  /** What it reads ends at the first signal. */
  readonly reader: Reader
  /** Requests sent, retries included. */
  readonly requests: () => { readonly reads: number; readonly writes: number }
}

/** The source of the observed state: a connection, or a snapshot. */
interface StateSource {
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

/** A plan, or why there is none. */
export interface Planned {
  readonly prepared?: Prepared
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Makes a plan from valid files and a source that cannot write: resolves names and observes, matches and plans, asks about the workspaces
 * that the plan concerns, and holds the plan against rules. No plan if a diagnostic is an error. Rejects if the service cannot be read.
 */
export async function preparePlan(
  desired: DesiredState,
  source: StateSource,
  only: readonly string[],
  { base, judge, tellsAll = false, forgives = false, onlyThisChange, ...asked }: PlanRequest = {},
): Promise<Planned> {
  const { lookUps } = source
  const naming = resolveNames(desired, lookUps)
  const [named, namedBase, observed] = await Promise.all([
    naming,
    naming.then(() => base && resolveNames(base.desired, lookUps, true)),
    source.observe(),
  ])
  const resolved = named.value
  if (resolved === undefined || hasErrors(named.diagnostics))
    return { diagnostics: whyUnresolved(named.diagnostics, desired, observed, lookUps.told()) }
  const told = (found: readonly Diagnostic[]) =>
    sortDiagnostics(withoutAccepted([...named.diagnostics, ...found], resolved.sets))
  const missing = [...checkStacks(desired, observed), ...checkOwners(desired, observed)]
  if (missing.length > 0) return { diagnostics: told(missing) }

  const { adopt = [] } = asked
  const matchOf = (state: ResolvedState) => matchStates(state, observed, only, adopt, undefined, forgives)
  const found = matchOf(resolved)
  const options = {
    ...asked,
    // Without resolved names there is no plan of the base.
    base: base && namedBase?.value && { ...base, desired: namedBase.value },
    address: source.address,
    only,
    looksSecret: looksLikeSecret,
    reads: source.reads(),
  }
  const narrowingOf = (given: PlanOptions, match: Matched) =>
    onlyThisChange && narrowingFor(observed, given, match)
  const early = narrowingOf(options, found)
  const first = createPlan(resolved, observed, { ...options, narrowing: early }, narrowed(found, early))
  const steps = first.value?.steps ?? []
  await askAbout(steps, narrowed(found, early), tellsAll, lookUps)
  const members = await confirmMembers(steps, desired, observed, lookUps)
  const known = { ...withoutWorkspaces(resolved, members.gone), directory: lookUps.told() }
  // Only now the names of their owners are known.
  const isOther = members.gone.size > 0 || found.match.pairs.some(hasOtherOwner)
  const whole = isOther ? matchOf(known) : found
  const settled = { ...withoutGone(options, members.gone), unassigned: members.unassigned }
  const narrowing = isOther ? narrowingOf(settled, whole) : early
  const matched = narrowed(whole, narrowing)
  const planned = createPlan(known, observed, { ...settled, narrowing }, matched)
  const needs =
    narrowing && onlyThisChange
      ? needsDrift(whole, narrowing, planned.value?.steps ?? [], onlyThisChange.fullPlan)
      : []
  const diagnostics = told([...members.diagnostics, ...needs, ...planned.diagnostics])
  const { secrecy, reception } = planned
  const isFailed = hasErrors([...needs, ...members.diagnostics])
  if (planned.value === undefined || secrecy === undefined || reception === undefined || isFailed)
    return { diagnostics }

  const errors = [
    ...checkIds(desired, newTargets(planned.value.steps), lookUps, observed),
    ...checkStacks(desired, observed, known.directory.hidden),
    ...checkProjects(desired, observed, known.directory),
    ...checkListed(matched.match),
  ]
  if (errors.length > 0) return { diagnostics: sortDiagnostics([...diagnostics, ...errors]) }
  const plan = {
    ...planned.value,
    diagnostics,
    requests: { ...planned.value.requests, reads: source.reads() },
  }
  const guards =
    options.base === undefined
      ? resolved.guards
      : stricterGuards(options.base.desired.guards, resolved.guards)
  const made = {
    plan,
    resolved: known,
    observed,
    matched,
    secrecy,
    guards,
    adopt,
    narrowing,
    reception,
    base: planned.base,
  }
  const prepared = { ...made, diagnostics }
  return judge === undefined ? { prepared, diagnostics } : await judge(prepared)
}

const withoutGone = (options: PlanOptions, gone: GoneMembers): PlanOptions =>
  options.base === undefined
    ? options
    : { ...options, base: { ...options.base, desired: withoutWorkspaces(options.base.desired, gone) } }

/** The owners of sets that belong to others, what the steps concern, and then the projects of these workspaces. */
async function askAbout(
  steps: readonly Step[],
  { match }: Matched,
  tellsAll: boolean,
  lookUps: LookUps,
): Promise<void> {
  const owners = match.pairs.filter(hasOtherOwner).flatMap(({ observed }) => observed.parent ?? [])
  const { ids, ...concerned } = concernedBy(steps, match, tellsAll)
  await lookUps.ask({ ...concerned, ids: { ...ids, projects: [...owners, ...(ids.projects ?? [])] } })
  const asked = new Set<string>(ids.workspaces)
  const members = new Set<ProjectId | undefined>(concerned.membersOf)
  const isConcerned = concerned.all.includes('workspaces')
  const { workspaces, stacks = [] } = lookUps.told()
  const projects = [
    ...workspaces.filter(({ id, project }) => isConcerned || asked.has(id) || members.has(project)),
    ...stacks,
  ].flatMap(({ project }) => project ?? [])
  await lookUps.ask({ ids: { projects: [...new Set(projects)] } })
}

/** Finds the place of a variable in the files, else of its set. */
export function placeIn({ resolved }: Prepared): (set: string, key: string) => SourceRange | undefined {
  return (set, key) => {
    const found = resolved.sets.find(candidate => candidate.name === set)
    return found?.variables.find(variable => variable.key === key)?.source ?? found?.source
  }
}
