import { createLookUps, type LookUps, settled } from '../api/look-ups.ts'
import type { Reader } from '../api/reader.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Diagnostic, hasErrors, type SourceRange, sortDiagnostics } from '../model/diagnostic.ts'
import { withoutAccepted } from '../model/findings.ts'
import type { DesiredState, Directory, Guards, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type BasePlan, planBase } from '../plan/base.ts'
import { concernedBy } from '../plan/concerned.ts'
import { createPlan, type DraftOptions, draftPlan, type PlanOptions } from '../plan/create.ts'
import type { Reception } from '../plan/effective/reception.ts'
import { type GoneMembers, membersOf, withoutWorkspaces } from '../plan/gone-members.ts'
import { type Matched, matchStates } from '../plan/match-states.ts'
import { type Narrowing, narrowed } from '../plan/narrowing.ts'
import { needsDrift } from '../plan/needs-drift.ts'
import type { Plan } from '../plan/plan-data.ts'
import { newTargets } from '../plan/reach.ts'
import { namesIn } from '../plan/resolve-names.ts'
import type { Secrecy } from '../plan/secrecy.ts'
import {
  checkIds,
  checkListed,
  checkOwners,
  checkProjects,
  checkStacks,
  whyUnresolved,
} from '../plan/service-checks.ts'
import { narrowingFor } from '../plan/this-change.ts'
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
 * Makes a plan from valid files and a source that cannot write. The service is asked until the names of the files are known, and then
 * until a draft of the plan needs nothing more that the service tells; that draft becomes the plan, which is held against rules. No plan
 * if a diagnostic is an error. Rejects if the service cannot be read.
 */
export async function preparePlan(
  desired: DesiredState,
  { lookUps, address, observe, reads }: StateSource,
  only: readonly string[],
  { base, judge, ...request }: PlanRequest = {},
): Promise<Planned> {
  const [names, observed] = await Promise.all([
    settled(lookUps, told => namesOf(desired, base, told)),
    observe(),
  ])
  const { files, diagnostics } = names
  if (files === undefined)
    return { diagnostics: whyUnresolved(diagnostics, desired, observed, lookUps.told()) }
  const missing = [...checkStacks(desired, observed), ...checkOwners(desired, observed)]
  if (missing.length > 0) return { diagnostics: acceptedIn(files, [...diagnostics, ...missing]) }

  const asked = { ...request, base: names.base, address, only, looksSecret: looksLikeSecret }
  const known = { desired, files, warnings: diagnostics, observed }
  const drafted = await settled(lookUps, told => draftWith({ ...known, told }, asked))
  const planned = planWith(drafted, asked, reads())
  return planned.prepared === undefined || judge === undefined ? planned : await judge(planned.prepared)
}

/** The files and the base with ids in place of names, as far as the service told them. Without a base whose names are known, there is none. */
function namesOf(desired: DesiredState, base: BaseState | undefined, told: Directory) {
  const { value: files, diagnostics, needs } = namesIn(desired, told)
  const before = base && namesIn(base.desired, told, true)
  return {
    files,
    base: base && before?.value && { ...base, desired: before.value },
    diagnostics,
    needs: [...needs, ...(before?.needs ?? [])],
  }
}

/** What a plan is made of. */
interface Known {
  readonly desired: DesiredState
  /** With ids in place of names. */
  readonly files: ResolvedState
  /** Of the names. */
  readonly warnings: readonly Diagnostic[]
  readonly observed: ObservedState
  /** What the service told of workspaces, projects and Stacks so far. */
  readonly told: Directory
}

/** What a user asks of a plan, and where it is for. */
interface Asked extends Omit<PlanRequest, 'base' | 'judge'>, DraftOptions {}

/** The operations of a plan, from what was told so far, and what the service has yet to tell of it. Pure. */
function draftWith(known: Known, asked: Asked) {
  const { desired, observed, told } = known
  const whole = draftWithout(new Map(), known, asked)
  const { operations, matched } = whole
  const members = membersOf(operations, desired, observed, told)
  return {
    ...(members.gone.size === 0 ? whole : draftWithout(members.gone, known, asked)),
    known,
    members,
    needs: [...concernedBy(operations, matched.match, told, asked.tellsAll ?? false), members.needs],
  }
}

/** A draft without these members of groups, in the files as in the base. */
function draftWithout(gone: GoneMembers, { files, observed, told }: Known, asked: Asked) {
  const { only, adopt, forgives, onlyThisChange } = asked
  const resolved = { ...withoutWorkspaces(files, gone), directory: told }
  const found = matchStates(resolved, observed, only, adopt, undefined, forgives)
  const base = asked.base && { ...asked.base, desired: withoutWorkspaces(asked.base.desired, gone) }
  const before = base && planBase(base, observed, found.match.only)
  const narrowing =
    onlyThisChange === undefined || before === undefined ? undefined : narrowingFor(before, asked, found)
  const matched = narrowed(found, narrowing)
  const options = { ...asked, base, narrowing }
  const draft = draftPlan(resolved, observed, options, matched, before)
  const operations = draft.value?.drafts.map(({ operation }) => operation) ?? []
  return { resolved, found, narrowing, matched, options, draft, operations }
}

/** The plan of a draft that needs nothing more. `reads`: requests so far. Pure. */
function planWith(
  drafted: ReturnType<typeof draftWith>,
  { adopt = [], onlyThisChange }: Asked,
  reads: number,
): Planned {
  const { resolved, matched, narrowing, options, draft, operations, members, known } = drafted
  const { desired, files, warnings, observed, told } = known
  const created = createPlan(
    resolved,
    observed,
    { ...options, unassigned: members.unassigned, reads },
    matched,
    draft,
  )
  const needs =
    narrowing && onlyThisChange
      ? needsDrift(drafted.found, narrowing, operations, onlyThisChange.fullPlan)
      : []
  const failed = [...members.diagnostics, ...needs]
  const diagnostics = acceptedIn(files, [...warnings, ...failed, ...created.diagnostics])
  if (created.value === undefined || hasErrors(failed)) return { diagnostics }
  const { value, secrecy, reception, guards, base } = created

  const errors = [
    ...checkIds(desired, newTargets(value.steps), told, observed),
    ...checkStacks(desired, observed, told.hidden),
    ...checkProjects(desired, observed, told),
    ...checkListed(matched.match),
  ]
  if (errors.length > 0) return { diagnostics: sortDiagnostics([...diagnostics, ...errors]) }
  const plan = { ...value, diagnostics }
  const prepared = {
    plan,
    resolved,
    observed,
    matched,
    secrecy,
    guards,
    adopt,
    narrowing,
    reception,
    base,
    diagnostics,
  }
  return { prepared, diagnostics }
}

/** Without warnings that the files accept. */
const acceptedIn = ({ sets }: ResolvedState, diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  sortDiagnostics(withoutAccepted(diagnostics, sets))

/** Finds the place of a variable in the files, else of its set. */
export function placeIn({ resolved }: Prepared): (set: string, key: string) => SourceRange | undefined {
  return (set, key) => {
    const found = resolved.sets.find(candidate => candidate.name === set)
    return found?.variables.find(variable => variable.key === key)?.source ?? found?.source
  }
}
