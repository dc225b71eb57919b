import { compareText } from '../model/diagnostic.ts'
import { serviceNameOf } from '../model/fields.ts'
import { listIn, listsOf, TARGET_KINDS, type TargetLists, type VariableSetId } from '../model/ids.ts'
import { matchesAny, selects } from '../model/names.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { storedAsOther, storedBy } from './as-sent.ts'
import { type Match, matchSets, type Pair } from './match.ts'
import { checkSetOwners } from './other-owner.ts'
import { Ownership } from './ownership.ts'
import { shownIn, withSent } from './stored-text.ts'
import { unkeptIn, withKept } from './unkept.ts'

/** How the files and the service correspond. Computed once a run. */
export interface Matched {
  readonly match: Match
  readonly ownership: Ownership
}

/**
 * Matches files and service, and finds what is pruned; for planning and for the inventory. `adopt` selects sets to
 * take back from another owner, `made` are the sets that this run created. `forgives`: a value that differs only as a service may
 * have stored it counts as equal, whether or not it was ever applied.
 */
export function matchStates(
  desired: ResolvedState,
  observed: ObservedState,
  only: readonly string[],
  adopt: readonly string[] = [],
  made?: ReadonlySet<VariableSetId>,
  forgives = false,
): Matched {
  const ownership = new Ownership(desired, observed)
  const isOurs = (id: VariableSetId): boolean => ownership.entries.has(id) || made?.has(id) === true
  const found = matchSets(
    { ...desired, sets: sortedSets(desired.sets) },
    { ...observed, sets: sortedSets(observed.sets) },
    only,
    isOurs,
    (name, set) => ownership.recordedAs(name, set),
  )
  const shown = shownIn(observed.sets)
  const forms = found.pairs.flatMap(({ desired: set, observed: live }) =>
    live === undefined ? [] : storedBy(live, set, ownership.recordedOf(live), shown, forgives),
  )
  const stored = forms.flatMap(one => one.found)
  const declared = new Set(desired.sets.map(serviceNameOf))
  const beside = storedAsOther(found.pairs, found.untouched, declared, shown.name)
  const unkept = found.pairs.flatMap(({ desired: set, observed: live }) =>
    live === undefined ? [] : unkeptIn(live, set, ownership.recordedOf(live)),
  )
  const pairs = found.pairs.map((pair): Pair => {
    if (stored.length + unkept.length === 0 || pair.observed === undefined) return pair
    const [observed = pair.observed] = withSent([pair.observed], stored)
    return { ...pair, observed: withKept(observed, unkept) }
  })
  const match = withoutMoved({ ...found, pairs, stored, unkept }, ownership, adopt)
  const diagnostics = [
    ...found.diagnostics,
    ...forms.flatMap(one => one.diagnostics),
    ...beside,
    ...checkSetOwners(match, desired, observed, ownership),
  ]
  return { match: withPruned({ ...match, diagnostics }, desired, ownership, only), ownership }
}

function withoutMoved(match: Match, ownership: Ownership, adopt: readonly string[]): Match {
  const isMoved = ({ desired, observed }: Pair): boolean =>
    observed !== undefined &&
    ownership.isMoved(observed) &&
    !selects(adopt, { name: desired.name, id: observed.id })
  const moved = match.pairs.filter(isMoved)
  if (moved.length === 0) return match
  return {
    ...match,
    moved,
    pairs: match.pairs.filter(pair => !isMoved(pair)),
    untouched: [...match.untouched, ...moved.flatMap(({ observed }) => observed ?? [])],
  }
}

/**
 * Adds the sets that `prune` deletes: listed in our inventory with their current owner, matched by `owns`, and
 * declared by no file. A selection suspends pruning. Without an inventory nothing is listed and nothing is pruned.
 */
function withPruned(
  match: Match,
  desired: ResolvedState,
  ownership: Ownership,
  only: readonly string[],
): Match {
  if (!desired.prune || ownership.owner === undefined || only.length > 0) return match
  const mine = (name: string) => desired.owns.length === 0 || matchesAny(desired.owns, name)
  const pruned = match.untouched.filter(set => ownership.isListed(set) && mine(set.name))
  const gone = new Set(pruned)
  return {
    ...match,
    removals: [...match.removals, ...pruned.map(observed => ({ observed }))].toSorted((a, b) =>
      compareText(a.observed.name, b.observed.name),
    ),
    untouched: match.untouched.filter(set => !gone.has(set)),
  }
}

interface Sortable extends TargetLists {
  readonly name: string
  readonly id?: string
  readonly variables: readonly { readonly key: string; readonly id?: string }[]
}

/** Sorts all lists, so that a plan does not depend on the order of files or pages. */
const sortedSets = <S extends Sortable>(sets: readonly S[]): readonly S[] =>
  sorted(sets.map(sortedSet), (a, b) => compareText(a.name, b.name) || byId(a, b))

/** Returns the set itself if its lists are already sorted, which they mostly are. */
function sortedSet<S extends Sortable>(set: S): S {
  const variables = sorted(set.variables, (a, b) => compareText(a.key, b.key) || byId(a, b))
  const lists = listsOf(kind => distinct(listIn(set, kind)))
  return variables === set.variables && TARGET_KINDS.every(kind => lists[kind] === set[kind])
    ? set
    : { ...set, variables, ...lists }
}

const byId = (a: { readonly id?: string }, b: { readonly id?: string }): number =>
  compareText(a.id ?? '', b.id ?? '')

function distinct<Id extends string>(ids: readonly Id[] | undefined): readonly Id[] | undefined {
  const list = ids && sorted(ids, compareText)
  return list?.some((id, i) => i > 0 && id === list[i - 1]) ? [...new Set(list)] : list
}

/** Returns the list itself if it is already sorted, which it mostly is. */
function sorted<T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  let previous: T | undefined
  for (const member of list) {
    if (previous !== undefined && compare(previous, member) > 0) return list.toSorted(compare)
    previous = member
  }
  return list
}
