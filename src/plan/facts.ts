import { compareText } from '../model/diagnostic.ts'
import { idsOf, isVariableKey, listIn, listsOf } from '../model/ids.ts'
import type { ObservedSet, ObservedState, ResolvedState } from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import type { EffectiveFacts } from './effective/facts.ts'
import { inventoryFacts } from './inventory.ts'
import { leftAlone } from './left-alone.ts'
import type { Match } from './match.ts'
import type { Matched } from './match-of.ts'
import { variablesSent } from './operation.ts'
import { type BasePlan, originsOf } from './origin.ts'
import type { Ownership } from './ownership.ts'
import { unwritableIn } from './permission.ts'
import type { Gap, PlanFacts } from './plan.ts'
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
    gaps: gapsOf(drafts),
    hidden: hiddenAfter(drafts.map(draft => draft.operation)),
    owners: ownersOf(match, ownership),
    leftAlone: leftAlone({ match, ownership }, desired, only),
    inventory,
    ...unwritableIn(match, ownership, drafts, inventory.requests),
    origins: originsOf(
      drafts.map(draft => draft.operation),
      match,
      ownership.entries,
      base,
    ),
    ...(base === undefined ? {} : { base: { ref: base.ref, commit: base.commit, loosened: base.loosened } }),
  }
}

/** What `--only` leaves out is left alone as well, and told by itself. */
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

/** A variable that leaves one global set before another may hold it is in neither for a moment. */
function gapsOf(drafts: readonly Draft[]): Gap[] {
  const releasedBy = new Map<string, string>()
  for (const draft of drafts)
    for (const slot of draft.releases)
      if (slot.startsWith('global/')) releasedBy.set(slot, draft.operation.subject.name)
  const gaps = new Map<string, Gap>()
  for (const draft of drafts)
    for (const slot of draft.acquires) {
      const from = releasedBy.get(slot)
      if (from === undefined || from === draft.operation.subject.name) continue
      const key = slot.slice('global/'.length)
      if (isVariableKey(key)) gaps.set(slot, { key, from, to: draft.operation.subject.name })
    }
  return [...gaps.values()].toSorted((a, b) => compareText(a.key, b.key))
}
