import {
  createNameLookup,
  createWholeLookup,
  type LiveNames,
  type NameLookup,
  NO_NAMES,
  readLiveNames,
} from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { observe } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Diagnostic, hasErrors, type SourceRange, sortDiagnostics } from '../model/diagnostic.ts'
import type { TargetLists } from '../model/ids.ts'
import type { DesiredState, Directory, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import { type Matched, matchStates } from '../plan/match-states.ts'
import type { Plan } from '../plan/plan.ts'
import { namesIn, newTargets } from '../plan/reach.ts'
import { checkListed, checkNames, checkOwners, checkStacks } from './confirm-names.ts'

/** Everything that a plan was made of. */
export interface Prepared {
  readonly plan: Plan
  readonly resolved: ResolvedState
  readonly observed: ObservedState
  readonly matched: Matched
  /** The service's names of what sets are assigned to, by id, if it was asked. */
  readonly names: Readonly<Record<string, string>>
  /** Patterns of sets to adopt. */
  readonly adopt: readonly string[]
  /** The files as read, with the places of names and ids. */
  readonly files?: DesiredState
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
  /** Take all names and projects from the service, whatever the directory file has. */
  readonly listsAll?: boolean
  /** Whether the files of an earlier commit had a set of this name; `undefined` if the history does not tell. */
  readonly wasDeclared?: (name: string) => Promise<boolean | undefined>
  /** Holds the plan against rules, as its last step. */
  readonly judge?: (prepared: Prepared) => Promise<Planned>
}

/** A connection that cannot write, by type: all that planning gets. */
export interface ReadOnly {
  /** Origin of the service, or `sandbox`. Part of a plan's digest. */
  readonly address: string
  /** What it reads ends at the first signal. */
  readonly reader: Reader
  /** Requests sent, retries included. */
  readonly requests: () => { readonly reads: number; readonly writes: number }
  /** The first reading of all sets, if one is under way; whoever asks first gets it. */
  readonly begun?: () => Promise<ObservedState> | undefined
}

/** Every set of the organization: the reading that is under way, or a new one. */
export const observeOnce = (
  { reader, begun }: Pick<ReadOnly, 'reader' | 'begun'>,
  organization: string,
): Promise<ObservedState> => begun?.() ?? observe(reader, organization)

/** The source of the observed state: a connection, or a snapshot. */
export interface StateSource {
  /** Origin of the service, or `sandbox`. */
  readonly address: string
  readonly observe: () => Promise<ObservedState>
  readonly lookUp: NameLookup
  /** The service's names of these ids; left out if it cannot be asked, and then the plan shows ids. */
  readonly confirm?: (ids: TargetLists, known: Directory) => Promise<LiveNames>
  /** Requests sent so far. */
  readonly reads: () => number
}

export const stateSourceOf = (service: ReadOnly, organization: string, listsAll = false): StateSource => ({
  address: service.address,
  observe: () => observeOnce(service, organization),
  lookUp: (listsAll ? createWholeLookup : createNameLookup)(service.reader, organization),
  confirm: (ids, known) => readLiveNames(service.reader, organization, ids, known),
  reads: () => service.requests().reads,
})

/**
 * Makes a plan from valid files and a connection that cannot write. No plan if a diagnostic is an error. Rejects if the
 * service cannot be read.
 */
export const preparePlan = (
  desired: DesiredState,
  service: ReadOnly,
  only: readonly string[],
  wishes: PlanRequest = {},
): Promise<Planned> =>
  prepareFrom(desired, stateSourceOf(service, desired.organization, wishes.listsAll), only, wishes)

/** A plan, or why there is none. */
export interface Planned {
  readonly prepared?: Prepared
  readonly diagnostics: readonly Diagnostic[]
}

/** As `preparePlan`, from any source: resolve names and observe, check, match and plan, confirm names. */
export async function prepareFrom(
  desired: DesiredState,
  source: StateSource,
  only: readonly string[],
  { judge, ...request }: PlanRequest,
): Promise<Planned> {
  const planned = await planNames(desired, source, only, request)
  return judge === undefined || planned.prepared === undefined ? planned : await judge(planned.prepared)
}

async function planNames(
  desired: DesiredState,
  source: StateSource,
  only: readonly string[],
  { base, wasDeclared, listsAll, ...wishes }: Omit<PlanRequest, 'judge'>,
): Promise<Planned> {
  const [named, namedBase, observed] = await Promise.all([
    resolveNames(desired, source.lookUp, listsAll),
    base === undefined ? undefined : resolveNames(base.desired, source.lookUp, listsAll),
    source.observe(),
  ])
  if (named.value === undefined || hasErrors(named.diagnostics)) return { diagnostics: named.diagnostics }
  const missing = [...checkStacks(desired, observed), ...checkOwners(desired, observed)]
  if (missing.length > 0) return { diagnostics: sortDiagnostics([...named.diagnostics, ...missing]) }
  const options = {
    ...wishes,
    ...baseOf(base, namedBase?.value),
    address: source.address,
    only,
    looksSecret: looksLikeSecret,
    reads: source.reads(),
    names: {},
  }
  const first = planFrom(named.value, observed, options, named.diagnostics)
  const gone = await goneBefore(first, named.value, observed, wasDeclared)
  const planned =
    gone === undefined ? first : planFrom(named.value, observed, { ...options, gone }, named.diagnostics)
  return planned.prepared === undefined ? planned : await confirmed(desired, planned.prepared, source)
}

/**
 * The names under `removed` that look like typing errors, and that are or may be those of former sets according to the history.
 * Such a line has done its work, and is no error until somebody removes it.
 */
async function goneBefore(
  { diagnostics }: Planned,
  { removed }: ResolvedState,
  observed: ObservedState,
  wasDeclared: PlanRequest['wasDeclared'],
): Promise<ReadonlySet<string> | undefined> {
  if (wasDeclared === undefined || !diagnostics.some(({ code }) => code === 'unknown-removed'))
    return undefined
  const there = new Set(observed.sets.map(({ name }) => name))
  const gone = removed.flatMap(({ name }) => (name === undefined || there.has(name) ? [] : [name]))
  const answers = await Promise.all(gone.map(async name => [name, await wasDeclared(name)] as const))
  return new Set(answers.flatMap(([name, was]) => (was === false ? [] : [name])))
}

/** A name that only the files give to a workspace is not shown as its name. */
async function confirmed(desired: DesiredState, prepared: Prepared, source: StateSource): Promise<Planned> {
  const ids = newTargets(prepared.plan.steps)
  const { directory } = prepared.resolved
  const names = source.confirm === undefined ? NO_NAMES : await source.confirm(ids, directory)
  const errors = [
    ...checkNames(desired, names),
    ...checkStacks(desired, prepared.observed, names.hidden),
    ...checkListed(prepared.matched.match),
  ]
  if (errors.length > 0) return { diagnostics: sortDiagnostics([...prepared.diagnostics, ...errors]) }
  const { plan } = prepared
  const known = Object.fromEntries(names.nameOf)
  const requests = { ...plan.requests, reads: source.reads() }
  return {
    prepared: {
      ...prepared,
      plan: { ...plan, requests, names: namesIn(plan, known) },
      names: known,
      files: desired,
    },
    diagnostics: prepared.diagnostics,
  }
}

/** Without resolved names there is no plan of the base. */
const baseOf = (
  base: BaseState | undefined,
  resolved: ResolvedState | undefined,
): Pick<PlanOptions, 'base'> =>
  base === undefined || resolved === undefined
    ? {}
    : { base: { ref: base.ref, commit: base.commit, desired: resolved } }

/** As `preparePlan`, from states that exist already: match, then plan. */
export function planFrom(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  earlier: readonly Diagnostic[],
): Planned {
  const matched = matchStates(resolved, observed, options.only, options.adopt)
  const planned = createPlan(resolved, observed, options, matched)
  const diagnostics = sortDiagnostics([...earlier, ...planned.diagnostics])
  if (planned.value === undefined) return { diagnostics }
  const plan = { ...planned.value, diagnostics }
  return {
    prepared: {
      plan,
      resolved,
      observed,
      matched,
      names: options.names,
      adopt: options.adopt ?? [],
      diagnostics,
    },
    diagnostics,
  }
}

/** Finds the place of a variable in the files, else of its set. */
export function placeIn({ resolved }: Prepared): (set: string, key: string) => SourceRange | undefined {
  return (set, key) => {
    const found = resolved.sets.find(candidate => candidate.name === set)
    return found?.variables.find(variable => variable.key === key)?.source ?? found?.source
  }
}
