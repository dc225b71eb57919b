import { createLookUps, lookUpsOf, settled } from '../api/look-ups.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors, type SourceRange, warning } from '../model/diagnostic.ts'
import type { KnownSecrets } from '../model/secret.ts'
import type {
  DesiredState,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  ResolvedState,
} from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import { matchStates } from '../plan/match-states.ts'
import { namesIn } from '../plan/resolve-names.ts'
import { notInSnapshot, observedIn, type Snapshot, snapshotOf } from '../plan/snapshot.ts'
import { observeOrganization } from './organization.ts'
import { type Planned, type PlanRequest, preparePlan, type ReadOnly } from './prepare.ts'

/** Reads what a plan of these files, or of a change to them, needs. It contains no secret: `known` are those of this run. */
export async function takeSnapshot(
  desired: DesiredState,
  service: ReadOnly,
  takenAt: string,
  known: KnownSecrets,
): Promise<Checked<Snapshot>> {
  const { organization } = desired
  const lookUps = createLookUps(service.reader, organization)
  // A change to the files may name any other.
  const [observed] = await Promise.all([
    observeOrganization(service, organization),
    lookUps.ask({ all: ['workspaces', 'projects'] }),
  ])
  const named = await settled(lookUps, told => namesIn(desired, told))
  if (named.value === undefined || hasErrors(named.diagnostics))
    return { value: undefined, diagnostics: named.diagnostics }
  const { match } = matchStates(named.value, observed, [])
  const hasStacks = [...desired.sets, ...observed.sets].some(({ stacks }) => stacks !== undefined)
  if (hasStacks) await lookUps.ask({ all: ['stacks'] })
  const { failed: _, ...directory } = lookUps.told()
  const snapshot = snapshotOf(named.value, withoutDoubtful(named.value, observed, match, known), match, {
    address: service.address,
    takenAt,
    directory,
  })
  return {
    value: known.in(snapshot),
    diagnostics: [...named.diagnostics, ...hiddenIn(snapshot, observed, match, known)],
  }
}

/** Where the service shows a secret of this run in clear: each value that is omitted, and each set with another such text. */
function hiddenIn(
  { sets, others }: Snapshot,
  observed: ObservedState,
  { pairs }: Match,
  known: KnownSecrets,
): Diagnostic[] {
  const sources = new Map<string, SourceRange>(
    pairs.flatMap(({ desired, observed }) => (observed === undefined ? [] : [[observed.id, desired.source]])),
  )
  const ours = new Set<string>(sets.map(({ id }) => id))
  const values = observed.sets.flatMap(({ id, name, variables }) =>
    (ours.has(id) ? variables : []).flatMap(({ key, value }) =>
      'text' in value && known.hides(value.text)
        ? warning(
            'looks-like-a-secret',
            `The snapshot omits ${key} of "${name}". It contains a secret that this run knows.`,
            'Everybody can read it in the service. Replace it and write `{ secret: NAME }` as its value.',
            sources.get(id),
          )
        : [],
    ),
  )
  const parts = [...sets, ...others].flatMap(set =>
    known.in(set) === set
      ? []
      : warning(
          'looks-like-a-secret',
          `The snapshot hides a part of "${set.name}" (${set.id}): its name, its description or a key contains a secret that this run knows.`,
          'Everybody can read it in the service. Replace it. A plan from this snapshot shows a difference that is none.',
          sources.get(set.id),
        ),
  )
  return [...values, ...parts]
}

/**
 * Without readable values that may be secrets: those of variables that the files declare as external or secret, here or in
 * another set, those that the check for secrets finds, and those with a secret of this run. A value that the files have in clear
 * stays.
 */
function withoutDoubtful(
  desired: ResolvedState,
  observed: ObservedState,
  { pairs }: Match,
  known: KnownSecrets,
): ObservedState {
  const written = new Map(pairs.map(pair => [pair.observed?.id, pair.desired.variables]))
  const all = desired.sets.flatMap(({ variables }) => variables)
  const secret = new Set(all.filter(({ value }) => 'secret' in value).map(({ key }) => key))
  const seen = (variable: ObservedVariable, set: ObservedSet): ObservedVariable => {
    const { key, value } = variable
    const wanted = written.get(set.id)?.find(one => one.key === key)?.value ?? { text: '' }
    if (!('text' in value) || ('text' in wanted && wanted.text === value.text)) return variable
    const isDoubtful =
      !('text' in wanted) || secret.has(key) || looksLikeSecret(key, value.text) || known.hides(value.text)
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
      lookUps: lookUpsOf(snapshot.directory),
      reads: () => 0,
    },
    only,
    wishes,
  )
  const unknown: readonly Diagnostic[] =
    planned.prepared === undefined ? [] : notInSnapshot(planned.prepared.resolved, snapshot)
  return unknown.length > 0 ? { diagnostics: unknown } : planned
}
