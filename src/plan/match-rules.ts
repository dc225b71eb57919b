import { ownersDiffer, type SetOwner, serviceNameOf } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import { append } from '../model/lists.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'

/** Observed sets that no declaration has found yet. Only whoever made it takes from it. */
export class UnmatchedSets {
  readonly #byId: Map<string, ObservedSet>
  readonly #byName = new Map<string, ObservedSet[]>()

  constructor(sets: readonly ObservedSet[]) {
    this.#byId = new Map(sets.map(set => [set.id, set]))
    for (const set of sets) append(this.#byName, set.name, set)
  }

  withId(id: string): readonly ObservedSet[] {
    const set = this.#byId.get(id)
    return set === undefined ? [] : [set]
  }

  named(name: string): readonly ObservedSet[] {
    return (this.#byName.get(name) ?? []).filter(({ id }) => this.#byId.has(id))
  }

  take({ id }: ObservedSet): void {
    this.#byId.delete(id)
  }

  all(): readonly ObservedSet[] {
    return [...this.#byId.values()]
  }
}

/**
 * The ids that an inventory of ours recorded under a name, and that have another one in the service. With a declared set, those as well
 * that were recorded as it is, without a name.
 */
export type RecordedAs = (name: string, set?: ResolvedSet) => readonly VariableSetId[]

/** A rule by which a declared set finds its observed set. If it finds several, it cannot tell them apart. */
type MatchRule = (set: ResolvedSet, unmatched: FoundSets['unmatched']) => readonly ObservedSet[]

const byId: MatchRule = ({ id }, unmatched) => (id === undefined ? [] : unmatched.withId(id))

/** Somebody renamed it in the service, or gave its name to another set. */
const byRecord =
  (recordedAs: RecordedAs): MatchRule =>
  (set, unmatched) =>
    ownedBy(
      set,
      recordedAs(serviceNameOf(set), set).flatMap(id => unmatched.withId(id)),
    )

/** The file renames it as well. */
const byPreviousRecord =
  (declared: ReadonlySet<string>, recordedAs: RecordedAs): MatchRule =>
  (set, unmatched) =>
    previousNames(set, declared)
      .map(name => recordedAs(name).flatMap(id => unmatched.withId(id)))
      .map(sets => ownedBy(set, sets))
      .find(sets => sets.length > 0) ?? []

const byNameAndOwner: MatchRule = (set, unmatched) => ownedBy(set, unmatched.named(serviceNameOf(set)))

/** The owner is another one then, which is an error (docs/files.md#move-a-set-to-another-project). */
const byName: MatchRule = (set, unmatched) => unmatched.named(serviceNameOf(set))

const byPreviousName =
  (declared: ReadonlySet<string>): MatchRule =>
  (set, unmatched) =>
    previousSets(set, declared, unmatched)[0] ?? []

const unlessPinned =
  (rule: MatchRule): MatchRule =>
  (set, unmatched) =>
    set.id === undefined ? rule(set, unmatched) : []

/**
 * All rules, the strongest first. Every set tries one before the next one counts: a set that another declaration means more
 * exactly belongs to that one. `declared`: the names of all declarations.
 */
export const matchRules = (declared: ReadonlySet<string>, recordedAs: RecordedAs): readonly MatchRule[] => [
  byId,
  ...[
    byRecord(recordedAs),
    byNameAndOwner,
    byName,
    byPreviousRecord(declared, recordedAs),
    byPreviousName(declared),
  ].map(unlessPinned),
]

/** What the rules found. */
export interface FoundSets {
  readonly found: ReadonlyMap<ResolvedSet, ObservedSet>
  /** Sets for which a rule found several. */
  readonly unclear: ReadonlyMap<ResolvedSet, readonly ObservedSet[]>
  /** What no rule found. */
  readonly unmatched: Omit<UnmatchedSets, 'take'>
}

/** Applies the rules to all sets, one rule after the other. */
export function findSets(
  sets: readonly ResolvedSet[],
  rules: readonly MatchRule[],
  observed: readonly ObservedSet[],
): FoundSets {
  const unmatched = new UnmatchedSets(observed)
  const found = new Map<ResolvedSet, ObservedSet>()
  const unclear = new Map<ResolvedSet, readonly ObservedSet[]>()
  for (const rule of rules)
    for (const set of sets.filter(one => !found.has(one) && !unclear.has(one))) {
      const [one, ...others] = rule(set, unmatched)
      if (one === undefined) continue
      if (others.length > 0) unclear.set(set, [one, ...others])
      else {
        found.set(set, one)
        unmatched.take(one)
      }
    }
  return { found, unclear, unmatched }
}

/** The unmatched sets of each previous name that has any; of those, the ones with the right owner, if there are some. */
export const previousSets = (
  set: ResolvedSet,
  declared: ReadonlySet<string>,
  unmatched: FoundSets['unmatched'],
): (readonly ObservedSet[])[] =>
  previousNames(set, declared)
    .map(name => unmatched.named(name))
    .filter(sets => sets.length > 0)
    .map(sets => {
      const own = ownedBy(set, sets)
      return own.length > 0 ? own : sets
    })

/** Each name once. A declared name belongs to its own set. */
export const previousNames = (
  { previousNames }: Pick<ResolvedSet, 'previousNames'>,
  declared: ReadonlySet<string>,
): readonly string[] => [...new Set(previousNames)].filter(name => !declared.has(name))

const ownedBy = (owner: SetOwner, sets: readonly ObservedSet[]): readonly ObservedSet[] =>
  sets.filter(set => !ownersDiffer(set, owner))
