import { compareText, type Diagnostic, type SourceRange, warning } from '../model/diagnostic.ts'
import { idsOf, listIn, listsOf } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { INVENTORY_PREFIX, matchesAny } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedState } from '../model/variable-set.ts'
import { type BasePlan, originsOf } from './base.ts'
import type { Draft } from './draft.ts'
import type { EffectiveFacts } from './effective/effect.ts'
import { changesOf, rewriteOf, secretsSent } from './items.ts'
import { declaredIn, type Match } from './match.ts'
import type { Matched } from './match-states.ts'
import type { Operation } from './operation.ts'
import { inventoryFacts, type Ownership } from './ownership.ts'
import type { LeftAlone, LoosenedSetting, Plan, PlanFacts, SetOrigin, WhyLeftAlone } from './plan-data.ts'
import { findingsOf, isDrift, type PlanFinding } from './plan-findings.ts'
import type { SecretStates } from './secret-states.ts'

/** Facts for the reader. Nothing decides by them. */
export function factsOf(
  { match, ownership }: Matched,
  {
    desired,
    only,
    unassigned,
  }: {
    readonly desired: ResolvedState
    readonly only: readonly string[]
    readonly unassigned?: readonly PlanFinding[] | undefined
  },
  observed: ObservedState,
  drafts: readonly Draft[],
  secrets: SecretStates,
  base: (BasePlan & { readonly loosened: readonly LoosenedSetting[] }) | undefined,
): Omit<PlanFacts, keyof EffectiveFacts | 'hidden'> {
  const operations = drafts.map(({ operation }) => operation)
  const changed = new Set(operations.map(({ subject }) => subject.name))
  const inventory = inventoryFacts(match, ownership, drafts)
  const findings = findingsOf(match, ownership, secrets, desired.directory, unassigned)
  const found = new Set(findings.filter(isDrift).map(({ set }) => set))
  const isEqual = ({ desired: { name }, left }: Match['pairs'][number]): boolean =>
    !changed.has(name) && !found.has(name) && left === undefined
  return {
    findings,
    equalSets: match.pairs.filter(isEqual).length,
    undeclaredSets: undeclaredIn(match).length,
    observedSets: observed.sets.length,
    unmanagedAssignments: match.pairs.flatMap(unmanaged),
    secrets: secrets.notes,
    secretsNotCompared: secrets.notes.filter(note => note.state.state === 'not-compared').length,
    secretsToWrite: operations.flatMap(secretsSent).length,
    externals: match.pairs.flatMap(pair =>
      declaredIn(pair).variables.filter(({ value }) => 'external' in value),
    ).length,
    outsideSelection: match.outsideSelection,
    owners: ownersOf(match, ownership),
    leftAlone: setsLeftAlone({ match, ownership }, desired, only),
    inventory,
    ...unwritableIn(match, ownership, drafts, inventory.requests),
    origins: originsOf(operations, match, ownership, base),
    base: base && { ref: base.ref, commit: base.commit, loosened: base.loosened },
  }
}

/** Sets outside `--only` are reported separately. */
const undeclaredIn = ({ untouched, unselected }: Match): readonly ObservedSet[] =>
  untouched.filter(({ id }) => !unselected.has(id))

function ownersOf(match: Match, ownership: Ownership): { owner: string | null; sets: number }[] {
  return [...grouped(undeclaredIn(match), set => ownership.of(set) ?? null)]
    .map(([owner, sets]) => ({ owner, sets: sets.length }))
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
    if (ownership.isOfAnotherOwner(set) || match.moved.some(({ observed }) => observed?.id === set.id))
      return 'another-owner'
    const isOwned = desired.owns.length === 0 || matchesAny(desired.owns, set.name)
    if (!ownership.isListed(set)) {
      if (!isOwned) return 'not-owned'
      return set.parent === undefined ? 'unmanaged' : 'project-owned'
    }
    if (!desired.prune) return 'prune-off'
    if (only.length > 0) return 'prune-suspended'
    return isOwned ? 'unmanaged' : 'outside-owns'
  }
  return match.untouched
    .map(set => ({ set: set.name, id: set.id, why: why(set), owner: ownership.of(set) }))
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
  const ours = [...pairs, ...removals].flatMap(({ observed }) => observed ?? [])
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
    // Every apply that changes a set records it, whatever `--only` selects.
    const hint = name.startsWith(INVENTORY_PREFIX)
      ? 'Use a token that can. Each apply writes the inventory, so --only does not leave it out; without `owner` in setpoint.yaml there is none.'
      : 'Use a token that can, or exclude the set with --only.'
    return warning('no-permission', `The token cannot change "${name}".`, hint, places.get(name))
  })
}

/** The plan of a command that never applies, where permissions do not matter. */
export function withoutPermissions({ facts: { unwritable: _, ...facts }, ...plan }: Plan): Plan {
  return { ...plan, diagnostics: plan.diagnostics.filter(({ code }) => code !== 'no-permission'), facts }
}

/** Why one set differs from the files, as far as known. */
export interface SetDrift {
  readonly set: string
  /** Something was changed in the service since the last apply. */
  readonly isOutside: boolean
  /** Something was merged and never applied. */
  readonly isNotApplied: boolean
  /** Something differs for an unknown reason. */
  readonly isDoubtful: boolean
}

interface DriftingPlan {
  readonly steps: readonly { readonly operation: Operation }[]
  readonly facts: { readonly origins: readonly SetOrigin[]; readonly findings: readonly PlanFinding[] }
}

/** Every changed set, in the order of the steps, and those with nothing but findings. */
export function driftOf({ steps, facts }: DriftingPlan): SetDrift[] {
  const origins = new Map(facts.origins.map(({ set, items }) => [set, items]))
  const sets = new Map<string, { rewritten: boolean; doubtful: boolean }>()
  for (const { operation } of steps) {
    const known = origins.get(operation.subject.name) ?? {}
    const seen = sets.get(operation.subject.name) ?? { rewritten: false, doubtful: false }
    sets.set(operation.subject.name, seen)
    const rewrite = rewriteOf(operation)
    seen.rewritten ||= rewrite === 'changed-outside'
    // A new set cannot have drifted, and a rewrite has its own reason.
    if (operation.type !== 'create-set' && rewrite === undefined)
      seen.doubtful ||= changesOf(operation).some(([name]) => known[name] === undefined)
  }
  for (const { set } of facts.findings.filter(isDrift))
    if (!sets.has(set)) sets.set(set, { rewritten: false, doubtful: false })
  return [...sets].map(([set, { rewritten, doubtful }]) => {
    const told = Object.values(origins.get(set) ?? {})
    return {
      set,
      isOutside: rewritten || told.includes('outside'),
      isNotApplied: told.includes('not-applied'),
      isDoubtful: doubtful,
    }
  })
}
