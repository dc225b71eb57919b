import { readDirectory } from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { observe } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { type Checked, type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts'
import type { DesiredState, Directory, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import type { Plan } from '../plan/plan.ts'

/** Everything that a plan was made of. */
export interface Prepared {
  readonly plan: Plan
  readonly resolved: ResolvedState
  readonly observed: ObservedState
  readonly names: Readonly<Record<string, string>>
  /** Patterns of sets that are taken over, or back. */
  readonly adopt: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The files of a commit before this change. */
export interface BaseState {
  /** As the user named it. */
  readonly ref: string
  readonly commit: string
  readonly desired: DesiredState
}

/** What a user asks of a plan beside the files. */
export interface Wishes extends Pick<PlanOptions, 'adopt' | 'rewrite' | 'fingerprintOf' | 'tool'> {
  readonly base?: BaseState
}

/** A read-only connection, and how often it was used. */
export interface ReadOnly {
  readonly address: string
  readonly reader: Reader
  readonly requests: () => { readonly reads: number; readonly writes: number }
  /** As in `Service`. */
  readonly begun?: () => Promise<ObservedState> | undefined
}

/** Every set of the organization: the reading that is under way, or a new one. */
export const observeOnce = (
  { reader, begun }: Pick<ReadOnly, 'reader' | 'begun'>,
  organization: string,
  signal?: AbortSignal,
): Promise<ObservedState> =>
  begun?.() ?? observe(reader, organization, signal === undefined ? {} : { signal })

/** Where a plan gets the observed state from: a connection, or a snapshot. */
export interface Sight {
  /** Origin of the service, or `sandbox`. */
  readonly address: string
  readonly observe: () => Promise<ObservedState>
  readonly lookUp: () => Promise<Checked<Directory>>
  /** Requests that it has taken so far. */
  readonly reads: () => number
}

export const sightOf = (service: ReadOnly, organization: string, signal?: AbortSignal): Sight => ({
  address: service.address,
  observe: () => observeOnce(service, organization, signal),
  lookUp: () => readDirectory(service.reader, organization, signal),
  reads: () => service.requests().reads,
})

/**
 * From valid files and a connection that cannot write to a plan; `undefined` where a diagnostic is an error. Rejects
 * where the service cannot be read.
 */
export const preparePlan = (
  desired: DesiredState,
  service: ReadOnly,
  only: readonly string[],
  signal?: AbortSignal,
  wishes: Wishes = {},
): Promise<Planned> => prepareFrom(desired, sightOf(service, desired.organization, signal), only, wishes)

/** A plan, or why there is none. */
export interface Planned {
  readonly prepared?: Prepared
  readonly diagnostics: readonly Diagnostic[]
}

/** As `preparePlan`, from wherever the state is seen. */
export async function prepareFrom(
  desired: DesiredState,
  sight: Sight,
  only: readonly string[],
  { base, ...wishes }: Wishes,
): Promise<Planned> {
  let asked: Promise<Checked<Directory>> | undefined
  const lookUp = (): Promise<Checked<Directory>> => {
    asked ??= sight.lookUp()
    return asked
  }
  const [named, namedBase, observed] = await Promise.all([
    resolveNames(desired, lookUp),
    base === undefined ? undefined : resolveNames(base.desired, lookUp),
    sight.observe(),
  ])
  if (named.value === undefined || hasErrors(named.diagnostics)) return { diagnostics: named.diagnostics }
  const options = {
    ...wishes,
    ...baseOf(base, namedBase?.value),
    address: sight.address,
    only,
    reads: sight.reads(),
    names: named.names,
  }
  return planFrom(named.value, observed, options, named.diagnostics)
}

/** A base whose names no longer mean anything cannot say what it would do. */
const baseOf = (
  base: BaseState | undefined,
  resolved: ResolvedState | undefined,
): Pick<PlanOptions, 'base'> =>
  base === undefined || resolved === undefined
    ? {}
    : { base: { ref: base.ref, commit: base.commit, desired: resolved } }

/** As `preparePlan`, from states that are there already. */
export function planFrom(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  earlier: readonly Diagnostic[],
): Planned {
  const planned = createPlan(resolved, observed, options)
  const diagnostics = sortDiagnostics([...earlier, ...planned.diagnostics])
  if (planned.value === undefined) return { diagnostics }
  const plan = { ...planned.value, diagnostics }
  return {
    prepared: { plan, resolved, observed, names: options.names, adopt: options.adopt ?? [], diagnostics },
    diagnostics,
  }
}
