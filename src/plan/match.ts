import { compareText, type Diagnostic, mistake, type SourceRange, warning } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import type { VariableId, VariableSetId } from '../model/ids.ts'
import { grouped, itemAt } from '../model/lists.ts'
import { type NamedSet, selects } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import {
  type FoundSets,
  findSets,
  matchRules,
  previousNames,
  previousSets,
  type RecordedAs,
  UnmatchedSets,
} from './match-rules.ts'
import type { StoredDifferently } from './stored-text.ts'
import type { UnkeptSetting } from './unkept.ts'

/** A desired set and its observed set; without one, the set is created. */
export interface Pair {
  readonly desired: ResolvedSet
  readonly observed?: ObservedSet
  /** `desired` is not as in the files: a plan of one change leaves what differs for another reason (docs/plan-and-apply.md#drift). */
  readonly left?: LeftDrift
}

export interface LeftDrift {
  /** The set as in the files. */
  readonly declared: ResolvedSet
  /** What the inventory records as last applied; absent: its entry stays as it is. */
  readonly digest?: string | undefined
  /** Variables of one key that stay beside each other. */
  readonly duplicates: ReadonlySet<VariableId>
}

/** The set as its file declares it. */
export const declaredIn = ({ desired, left }: Pair): ResolvedSet => left?.declared ?? desired

/** A set never changes its owner (docs/service.md 10.3), so no plan can have such a pair. */
export const hasOtherOwner = (pair: Pair): pair is Pair & { readonly observed: ObservedSet } =>
  pair.observed !== undefined && ownersDiffer(pair.observed, pair.desired)

/** An observed set to delete and the line that says so; a pruned set has none. */
interface Removal {
  readonly observed: ObservedSet
  readonly source?: SourceRange
}

/** How the declarations of the files correspond to observed sets. */
export interface Match {
  readonly pairs: readonly Pair[]
  readonly removals: readonly Removal[]
  /** Declared sets that another owner has taken over from us. They are also among `untouched`. */
  readonly moved: readonly Pair[]
  /** Observed sets that this plan leaves alone. */
  readonly untouched: readonly ObservedSet[]
  /** The selection; empty: everything. */
  readonly only: readonly string[]
  /** The match without the selection. */
  readonly whole: Pick<Match, 'pairs' | 'removals'>
  readonly outsideSelection: number
  /** Sets of `untouched` that the files mention and `only` leaves out. */
  readonly unselected: ReadonlySet<string>
  /** Values of the pairs that count as the files have them, although the service stores them otherwise. */
  readonly stored?: readonly StoredDifferently[]
  /** Settings of the pairs that count as the files have them, although the service does not keep them. */
  readonly unkept?: readonly UnkeptSetting[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Pairs the sets of the files with those of the service. Removed sets go first; then each declared set finds its observed
 * one by the rules of `matchRules`. `only` narrows both.
 */
export function matchSets(
  desired: ResolvedState,
  observed: ObservedState,
  only: readonly string[],
  isOurs: IsOurs = () => false,
  recordedAs: RecordedAs = () => [],
): Match {
  const whole = only.length === 0 ? undefined : matchSets(desired, observed, [], isOurs, recordedAs)
  const ids = new Map(whole?.pairs.map(pair => [pair.desired, idIn(pair)]))
  const isSelected = (set: NamedSet) => whole === undefined || selects(only, set)
  const sets = desired.sets.filter(set => isSelected({ name: set.name, id: ids.get(set) }))
  const declared = new Set(desired.sets.map(serviceNameOf))
  const { removals, ambiguities } = removalsIn(desired, observed, isSelected)
  const going = new Set(removals.map(({ observed }) => observed))
  const there = observed.sets.filter(set => !going.has(set))
  const { found, unclear, unmatched } = findSets(sets, matchRules(declared, recordedAs), there)
  const pairs = sets.map((desired): Pair => {
    const observed = found.get(desired)
    return observed === undefined ? { desired } : { desired, observed }
  })
  const created = sets.filter(set => set.id === undefined && !found.has(set) && !unclear.has(set))
  return {
    pairs,
    removals,
    moved: [],
    untouched: unmatched.all(),
    only,
    whole: whole ?? { pairs, removals },
    outsideSelection: desired.sets.length - sets.length,
    unselected: whole === undefined ? new Set() : spokenOf(whole),
    diagnostics: [
      ...ambiguities,
      ...[...unclear].map(([set, meant]) => ambiguous(meant, set, isOurs)),
      ...pairs.flatMap(unknownId),
      ...pairs.flatMap(pair => bothExist(pair, declared, unmatched)),
      ...removedAndDeclared(created, removals, declared),
      ...duplicateSets(desired.sets),
    ],
  }
}

/** The sets to delete, by name. A set that a declaration pins by its id is not among them. */
function removalsIn(
  { sets, removed }: ResolvedState,
  observed: ObservedState,
  isSelected: (set: NamedSet) => boolean,
): { readonly removals: readonly Removal[]; readonly ambiguities: readonly Diagnostic[] } {
  const pinned = new Set(sets.map(({ id }) => id))
  const candidates = new UnmatchedSets(observed.sets.filter(set => !pinned.has(set.id) && isSelected(set)))
  const removals: Removal[] = []
  const ambiguities: Diagnostic[] = []
  for (const one of removed) {
    const { id, name = id ?? '', mayBeName, source } = one
    const withId = id === undefined ? [] : candidates.withId(id)
    const isName = id === undefined || (mayBeName === true && withId.length === 0)
    const [first, ...others] = isName ? candidates.named(name) : withId
    if (first === undefined) continue
    if (others.length > 0) ambiguities.push(ambiguous([first, ...others], one, () => false))
    else {
      candidates.take(first)
      removals.push({ observed: first, source })
    }
  }
  return { removals: removals.toSorted((a, b) => compareText(a.observed.name, b.observed.name)), ambiguities }
}

/** Sets that the files would create, although they remove the same set by its id. */
function removedAndDeclared(
  sets: readonly ResolvedSet[],
  removals: readonly Removal[],
  declared: ReadonlySet<string>,
): Diagnostic[] {
  const created = new Map<string, ResolvedSet>()
  for (const set of sets)
    for (const name of [serviceNameOf(set), ...previousNames(set, declared)])
      created.set(nameWithOwner(set, name), set)
  return removals.flatMap(({ observed, source }) => {
    const same = created.get(nameWithOwner(observed, observed.name))
    if (same === undefined) return []
    return mistake(
      'removed-and-declared',
      `"${observed.id}" is listed under "removed", but it is the set "${same.name}", declared at ${same.source.path}:${same.source.line}.`,
      'Keep one of the two.',
      source,
    )
  })
}

/** A name and its owner. */
const nameWithOwner = ({ parent = '' }: { readonly parent?: string | undefined }, name: string): string =>
  `${parent} ${name}`

/** What reports call a deleted set: with its id if another set of the plan has the same name. */
export function removalNames({
  pairs,
  removals,
}: Pick<Match, 'pairs' | 'removals'>): (set: ObservedSet) => string {
  const uses = grouped(
    [...pairs.map(({ desired }) => desired.name), ...removals.map(({ observed }) => observed.name)],
    name => name,
  )
  return ({ id, name }) => (uses.get(name)?.length === 1 ? name : `${name} (${id})`)
}

/** The id of a declared set, if known. */
export const idIn = ({ desired, observed }: Pair): string | undefined => observed?.id ?? desired.id

const spokenOf = ({ pairs, removals }: Match): ReadonlySet<string> =>
  new Set([...pairs, ...removals].flatMap(({ observed }) => observed?.id ?? []))

/** Whether an id is known to be ours: our inventory lists it, or this run created it. */
type IsOurs = (id: VariableSetId) => boolean

const listedIds = (sets: readonly ObservedSet[]): string => sets.map(({ id }) => id).join(', ')

/** A request that was delivered twice creates two sets. The one whose id was answered or recorded is ours. */
function ambiguous(
  found: readonly ObservedSet[],
  at: Pick<ResolvedSet, 'source'>,
  isOurs: IsOurs,
): Diagnostic {
  const [mine, ...more] = found.filter(({ id }) => isOurs(id))
  const others = found.filter(set => set !== mine)
  const there = `The service has ${found.length} sets named "${itemAt(found, 0).name}": ${listedIds(found)}.`
  const isKnown = mine !== undefined && more.length === 0
  return mistake(
    'ambiguous-set',
    isKnown ? `${there} This repository manages ${mine.id}.` : there,
    isKnown
      ? `Add \`id: ${mine.id}\` to the set. To delete the others, add \`removed: [${listedIds(others)}]\` to the file as well.`
      : 'Choose one by its id: write "id: varset-…" in the set, or the id under "removed". The report of the apply that created a set names its id.',
    at.source,
  )
}

function unknownId({ desired: { name, id, source }, observed }: Pair): Diagnostic[] {
  if (id === undefined || observed !== undefined) return []
  return [
    mistake(
      'unknown-set-id',
      `"${name}" is pinned to ${id}, but the service shows no such set in this organization.`,
      'It was deleted, or the token may not see it. Correct the id, or remove it to match by name.',
      source,
    ),
  ]
}

/** Sets of previous names that stay, because a set with the new name exists or gets it. */
function bothExist(
  { desired, observed }: Pair,
  declared: ReadonlySet<string>,
  unmatched: FoundSets['unmatched'],
): Diagnostic[] {
  if (desired.id !== undefined || observed === undefined) return []
  const isRenamed = observed.name !== serviceNameOf(desired)
  const others = previousSets(desired, declared, unmatched).filter(([previous]) => previous !== observed)
  return others.map(([previous]) =>
    warning(
      'rename-both-exist',
      isRenamed
        ? `"${desired.name}" is renamed from "${observed.name}", and another set has its previous name "${previous?.name}" (${previous?.id}). That one stays.`
        : `"${desired.name}" and its previous name "${previous?.name}" (${previous?.id}) both exist. Nothing is renamed.`,
      `Remove "${previous?.name}" from previousNames. To delete that set, add \`removed: [${previous?.id}]\` as well.`,
      desired.source,
    ),
  )
}

/** Two declarations with one name and one owner. Only here projects are compared by id. */
function duplicateSets(sets: readonly ResolvedSet[]): Diagnostic[] {
  const seen = new Map<string, ResolvedSet>()
  return sets.flatMap(set => {
    if (set.serviceName === undefined) return []
    const place = nameWithOwner(set, set.serviceName)
    const other = seen.get(place)
    if (other !== undefined)
      return mistake(
        'duplicate-set',
        `The set "${set.serviceName}" of this project is already declared at ${other.source.path}:${other.source.line}.`,
        'Merge the two, or rename one.',
        set.source,
      )
    seen.set(place, set)
    return []
  })
}
