import { readDirectory } from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { observe } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts'
import type { DesiredState, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { createPlan, type PlanOptions } from '../plan/create.ts'
import type { Plan } from '../plan/plan.ts'

/** Everything that a plan was made of. */
export interface Prepared {
  readonly plan: Plan
  readonly resolved: ResolvedState
  readonly observed: ObservedState
  readonly names: Readonly<Record<string, string>>
  readonly diagnostics: readonly Diagnostic[]
}

/** What a user asks of a plan beside the files. */
export type Wishes = Pick<PlanOptions, 'adopt' | 'rewrite' | 'fingerprintOf' | 'tool'>

/** A read-only connection, and how often it was used. */
export interface ReadOnly {
  readonly address: string
  readonly reader: Reader
  readonly requests: () => { readonly reads: number; readonly writes: number }
}

/**
 * From valid files and a connection that cannot write to a plan; `undefined` where a diagnostic is an error. Rejects
 * where the service cannot be read.
 */
export async function preparePlan(
  desired: DesiredState,
  service: ReadOnly,
  only: readonly string[],
  signal?: AbortSignal,
  wishes: Wishes = {},
): Promise<{ prepared?: Prepared; diagnostics: readonly Diagnostic[] }> {
  const { organization } = desired
  const [named, observed] = await Promise.all([
    resolveNames(desired, () => readDirectory(service.reader, organization, signal)),
    observe(service.reader, organization, signal === undefined ? {} : { signal }),
  ])
  if (named.value === undefined || hasErrors(named.diagnostics)) return { diagnostics: named.diagnostics }
  const options = {
    ...wishes,
    address: service.address,
    only,
    reads: service.requests().reads,
    names: named.names,
  }
  return planFrom(named.value, observed, options, named.diagnostics)
}

/** As `preparePlan`, from states that are there already. */
export function planFrom(
  resolved: ResolvedState,
  observed: ObservedState,
  options: PlanOptions,
  earlier: readonly Diagnostic[],
): { prepared?: Prepared; diagnostics: readonly Diagnostic[] } {
  const planned = createPlan(resolved, observed, options)
  const diagnostics = sortDiagnostics([...earlier, ...planned.diagnostics])
  if (planned.value === undefined) return { diagnostics }
  const plan = { ...planned.value, diagnostics }
  return { prepared: { plan, resolved, observed, names: options.names, diagnostics }, diagnostics }
}
