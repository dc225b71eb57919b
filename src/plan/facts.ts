import { compareText, type Diagnostic, type SourceRange } from '../model/diagnostic.ts'
import { idsOf, listIn, listsOf } from '../model/ids.ts'
import { INVENTORY_PREFIX, matchesAny } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedState } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { EffectiveFacts } from './effective/effect.ts'
import { inventoryFacts } from './inventory.ts'
import type { Match } from './match.ts'
import type { Matched } from './match-states.ts'
import { variablesSent } from './operation.ts'
import { type BasePlan, originsOf } from './origin.ts'
import type { Ownership } from './ownership.ts'
import type { LeftAlone, Plan, PlanFacts, WhyLeftAlone } from './plan.ts'
import { hiddenAfter } from './secrecy.ts'
import type { SecretStates } from './secrets.ts'

/** Facts for the reader. Nothing decides by them. */
export function factsOf(
  { match, ownership }: Matched,
  { desired, only }: { readonly desired: ResolvedState; readonly only: readonly string[] },
  observed: ObservedState,
  drafts: readonly Draft[],
  secrets: SecretStates,
  base: BasePlan | undefined,
): Omit<PlanFacts, keyof EffectiveFacts> {
  const changed = new Set(drafts.map(draft => draft.operation.subject.name))
  const sent = drafts.flatMap(draft => variablesSent(draft.operation))
  const secretsToWrite = sent.filter(variable => 'secret' in variable.value).length
  const inventory = inventoryFacts(match, ownership, drafts, secrets)
  return {
    equalSets: match.pairs.filter(pair => !changed.has(pair.desired.name)).length,
    foreignSets: foreignIn(match).length,
    observedSets: observed.sets.length,
    unmanagedAssignments: match.pairs.flatMap(unmanaged),
    secrets: secrets.notes,
    secretsNotCompared: secrets.notes.filter(note => note.state.state === 'not-compared').length,
    secretsToWrite,
    externals: match.pairs.reduce(
      (n, pair) => n + pair.desired.variables.filter(variable => 'external' in variable.value).length,
      0,
    ),
    outsideSelection: match.outsideSelection,
    hidden: hiddenAfter(drafts.map(draft => draft.operation)),
    owners: ownersOf(match, ownership),
    leftAlone: setsLeftAlone({ match, ownership }, desired, only),
    inventory,
    ...unwritableIn(match, ownership, drafts, inventory.requests),
    origins: originsOf(
      drafts.map(draft => draft.operation),
      match,
      ownership.entries,
      base,
    ),
    base: base && { ref: base.ref, commit: base.commit, loosened: base.loosened },
  }
}

/** Sets outside `--only` are reported separately. */
const foreignIn = ({ untouched, unselected }: Match): readonly ObservedSet[] =>
  untouched.filter(({ id }) => !unselected.has(id))

function ownersOf(match: Match, ownership: Ownership): { owner: string | null; sets: number }[] {
  const counts = new Map<string | null, number>()
  for (const set of foreignIn(match)) {
    const owner = ownership.of(set) ?? null
    counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  return [...counts]
    .map(([owner, sets]) => ({ owner, sets }))
    .toSorted(
      (a, b) =>
        Number(a.owner === null) - Number(b.owner === null) || compareText(a.owner ?? '', b.owner ?? ''),
    )
}

function unmanaged({ desired, observed }: Match['pairs'][number]): { set: string; count: number }[] {
  if (observed === undefined) return []
  const count = idsOf(
    listsOf(kind => (desired[kind] === undefined ? listIn(observed, kind) : undefined)),
  ).length
  return count === 0 ? [] : [{ set: desired.name, count }]
}

/** Every observed set that the plan leaves alone, with its reason; by name, then id. */
function setsLeftAlone(
  { match, ownership }: Matched,
  desired: ResolvedState,
  only: readonly string[],
): LeftAlone[] {
  const why = (set: ObservedSet): WhyLeftAlone => {
    if (match.unselected.has(set.id)) return 'outside-selection'
    if (ownership.isForeign(set) || match.moved.some(({ observed }) => observed?.id === set.id))
      return 'another-owner'
    if (!ownership.isListed(set)) return set.parent === undefined ? 'unmanaged' : 'project-owned'
    if (!desired.prune) return 'prune-off'
    if (only.length > 0) return 'prune-suspended'
    return desired.owns.length > 0 && !matchesAny(desired.owns, set.name) ? 'outside-owns' : 'unmanaged'
  }
  return match.untouched
    .map(set => {
      const owner = ownership.of(set)
      const one = { set: set.name, id: set.id, why: why(set) }
      return owner === undefined ? one : { ...one, owner }
    })
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.id, b.id))
}

/**
 * Sets that this plan writes to although the service says that the token may not (docs/service.md 10.3). New sets are
 * unknown, and a service that says nothing forbids nothing.
 */
function unwritableIn(
  { pairs, removals }: Match,
  ownership: Ownership,
  drafts: readonly Draft[],
  inventoryRequests: number,
): Pick<PlanFacts, 'unwritable'> {
  const ours = [...pairs.flatMap(({ observed }) => observed ?? []), ...removals.map(one => one.observed)]
  const written = new Set(drafts.map(({ operation }) => operation.subject.id))
  const sets = [
    ...ours.filter(({ id, unwritable }) => unwritable === true && written.has(id)).map(({ name }) => name),
    ...(inventoryRequests > 0 && ownership.own.some(({ unwritable }) => unwritable === true)
      ? [INVENTORY_PREFIX + ownership.owner]
      : []),
  ]
  if (sets.length === 0) return {}
  return {
    unwritable: { sets, readsOnly: ours.length > 0 && ours.every(({ unwritable }) => unwritable === true) },
  }
}

/** A warning for each set, at its line. For a read-only token the report says it once instead. */
export function permissionWarnings(
  { pairs, removals }: Match,
  unwritable: PlanFacts['unwritable'],
): Diagnostic[] {
  if (unwritable === undefined || unwritable.readsOnly) return []
  const places = new Map<string, SourceRange | undefined>([
    ...removals.map(({ observed, source }) => [observed.name, source] as const),
    ...pairs.map(({ desired, observed }) => [(observed ?? desired).name, desired.source] as const),
  ])
  return unwritable.sets.map(name => {
    const source = places.get(name)
    return {
      severity: 'warning',
      code: 'no-permission',
      message: `The token cannot change "${name}".`,
      hint: 'Use a token that can, or exclude the set with --only.',
      source,
    }
  })
}

/** The plan of a command that never applies, where permissions do not matter. */
export function withoutPermissions({ facts: { unwritable: _, ...facts }, ...plan }: Plan): Plan {
  return { ...plan, diagnostics: plan.diagnostics.filter(({ code }) => code !== 'no-permission'), facts }
}
