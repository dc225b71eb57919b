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
  readonly listsAll?: boolean
  /** The service's names of these ids; left out if it cannot be asked, and then the plan shows ids. */
  readonly confirm?: (ids: TargetLists, known: Directory) => Promise<LiveNames>
  /** Requests sent so far. */
  readonly reads: () => number
}

/** `listsAll`: take all names and projects from the service, whatever the directory file has. */
export const stateSourceOf = (service: ReadOnly, organization: string, listsAll = false): StateSource => ({
  address: service.address,
  observe: () => observeOnce(service, organization),
  lookUp: (listsAll ? createWholeLookup : createNameLookup)(service.reader, organization),
  listsAll,
  confirm: (ids, known) => readLiveNames(service.reader, organization, ids, known),
  reads: () => service.requests().reads,
})

/** A plan, or why there is none. */
export interface Planned {
  readonly prepared?: Prepared
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Makes a plan from valid files and a source that cannot write: resolves names and observes, matches and plans, confirms names, and
 * holds the plan against rules. No plan if a diagnostic is an error. Rejects if the service cannot be read.
 */
export async function preparePlan(
  desired: DesiredState,
  source: StateSource,
  only: readonly string[],
  { base, wasDeclared, judge, ...asked }: PlanRequest = {},
): Promise<Planned> {
  const [named, namedBase, observed] = await Promise.all([
    resolveNames(desired, source.lookUp, source.listsAll),
    base === undefined ? undefined : resolveNames(base.desired, source.lookUp, source.listsAll),
    source.observe(),
  ])
  const resolved = named.value
  if (resolved === undefined || hasErrors(named.diagnostics)) return { diagnostics: named.diagnostics }
  const told = (found: readonly Diagnostic[]) => sortDiagnostics([...named.diagnostics, ...found])
  const missing = [...checkStacks(desired, observed), ...checkOwners(desired, observed)]
  if (missing.length > 0) return { diagnostics: told(missing) }

  const { adopt = [] } = asked
  const matched = matchStates(resolved, observed, only, adopt)
  const options = {
    ...asked,
    // Without resolved names there is no plan of the base.
    base: base && namedBase?.value && { ...base, desired: namedBase.value },
    address: source.address,
    only,
    looksSecret: looksLikeSecret,
    reads: source.reads(),
    names: {},
  }
  const first = createPlan(resolved, observed, options, matched)
  const gone = await goneBefore(first.diagnostics, resolved, observed, wasDeclared)
  const planned = gone === undefined ? first : createPlan(resolved, observed, { ...options, gone }, matched)
  const diagnostics = told(planned.diagnostics)
  if (planned.value === undefined) return { diagnostics }

  // A name that only the files give to a workspace is not shown as its name.
  const names = (await source.confirm?.(newTargets(planned.value.steps), resolved.directory)) ?? NO_NAMES
  const errors = [
    ...checkNames(desired, names),
    ...checkStacks(desired, observed, names.hidden),
    ...checkListed(matched.match),
  ]
  if (errors.length > 0) return { diagnostics: sortDiagnostics([...diagnostics, ...errors]) }
  const known = Object.fromEntries(names.nameOf)
  const plan = {
    ...planned.value,
    diagnostics,
    requests: { ...planned.value.requests, reads: source.reads() },
    names: namesIn(planned.value, known),
  }
  const prepared = { plan, resolved, observed, matched, names: known, adopt, files: desired, diagnostics }
  return judge === undefined ? { prepared, diagnostics } : await judge(prepared)
}

/**
 * The names under `removed` that look like typing errors, and that are or may be those of former sets according to the history.
 * Such a line has done its work, and is no error until somebody removes it.
 */
async function goneBefore(
  diagnostics: readonly Diagnostic[],
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

/** Finds the place of a variable in the files, else of its set. */
export function placeIn({ resolved }: Prepared): (set: string, key: string) => SourceRange | undefined {
  return (set, key) => {
    const found = resolved.sets.find(candidate => candidate.name === set)
    return found?.variables.find(variable => variable.key === key)?.source ?? found?.source
  }
}
