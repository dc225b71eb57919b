import { createNameLookup } from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors } from '../model/diagnostic.ts'
import type {
  DesiredState,
  Directory,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  ResolvedState,
} from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import { matchStates } from '../plan/match-states.ts'
import { notInSnapshot, observedIn, type Snapshot, snapshotOf } from '../plan/snapshot.ts'
import { observeOnce, type Planned, type PlanRequest, preparePlan, type ReadOnly } from './prepare.ts'

/** Reads what a plan of these files, or of a change to them, needs. It contains no secret. */
export async function takeSnapshot(
  desired: DesiredState,
  service: ReadOnly,
  takenAt: string,
): Promise<Checked<Snapshot>> {
  const { organization } = desired
  const lookUp = createNameLookup(service.reader, organization)
  const [observed, looked] = await Promise.all([observeOnce(service, organization), lookUp.places()])
  const named = await resolveNames(desired, lookUp)
  if (named.value === undefined || hasErrors(named.diagnostics))
    return { value: undefined, diagnostics: named.diagnostics }
  const { match } = matchStates(named.value, observed, [])
  // Without look-ups of the service, the directory file may know all that the files name.
  const filed = looked.value ?? desired.directory
  // A change to the files may name another Stack.
  const hasStacks = [...desired.sets, ...observed.sets].some(({ stacks }) => stacks !== undefined)
  const stacks = (hasStacks ? await lookUp.stacks() : undefined) ?? desired.directory.stacks
  const directory: Directory = { ...filed, ...(stacks === undefined ? {} : { stacks }) }
  return {
    value: snapshotOf(named.value, withoutDoubtful(named.value, observed, match), match, {
      address: service.address,
      takenAt,
      directory,
    }),
    diagnostics: named.diagnostics,
  }
}

/**
 * Without readable values that may be secrets: those of variables that the files declare as external or secret, here or in
 * another set, and those that the check for secrets finds. A value that the files have in clear stays.
 */
function withoutDoubtful(desired: ResolvedState, observed: ObservedState, { pairs }: Match): ObservedState {
  const written = new Map(pairs.map(pair => [pair.observed?.id, pair.desired.variables]))
  const all = desired.sets.flatMap(({ variables }) => variables)
  const secret = new Set(all.filter(({ value }) => 'secret' in value).map(({ key }) => key))
  const seen = (variable: ObservedVariable, set: ObservedSet): ObservedVariable => {
    const { key, value } = variable
    const wanted = written.get(set.id)?.find(one => one.key === key)?.value ?? { text: '' }
    if (!('text' in value) || ('text' in wanted && wanted.text === value.text)) return variable
    const isDoubtful = !('text' in wanted) || secret.has(key) || looksLikeSecret(key, value.text)
    return isDoubtful ? { ...variable, value: { withheld: true } } : variable
  }
  return {
    ...observed,
    sets: observed.sets.map(set => ({ ...set, variables: set.variables.map(one => seen(one, set)) })),
  }
}

/** A plan without credentials and without network. */
export async function prepareFromSnapshot(
  desired: DesiredState,
  snapshot: Snapshot,
  only: readonly string[],
  wishes: PlanRequest,
): Promise<Planned> {
  const planned = await preparePlan(
    desired,
    {
      address: snapshot.address,
      observe: async () => observedIn(snapshot),
      lookUp: {
        places: async () => ({ value: snapshot.directory, diagnostics: [] }),
        stacks: async () => snapshot.directory.stacks,
      },
      reads: () => 0,
    },
    only,
    wishes,
  )
  const unknown: readonly Diagnostic[] =
    planned.prepared === undefined ? [] : notInSnapshot(planned.prepared.resolved, snapshot)
  return unknown.length > 0 ? { diagnostics: unknown } : planned
}
