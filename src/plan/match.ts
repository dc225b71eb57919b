import { compareText, type Diagnostic, mistake, type SourceRange, warning } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import { matchesPattern, type NamedSet, selects } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import { Candidates, freeName, isAside } from './candidates.ts'

/** A desired set and its observed set; without one, the set is created. */
export interface Pair {
  readonly desired: ResolvedSet
  readonly observed?: ObservedSet
  /** Temporary name of the old set during a replacement. Left out if it already has one. */
  readonly aside?: string
}

/** A set never changes its owner (docs/service.md 10.3). If the files name another one, a new set replaces it. */
export const isReplaced = (pair: Pair): pair is Pair & { readonly observed: ObservedSet } =>
  pair.observed !== undefined && ownersDiffer(pair.observed, pair.desired)

/** An observed set to delete and the line that says so; a pruned set has none. */
interface Removal {
  readonly observed: ObservedSet
  readonly source?: SourceRange
  /** The successor, if this is a leftover of an unfinished replacement. */
  readonly replacedBy?: string
}

/** How the declarations of the files correspond to observed sets. */
export interface Match {
  readonly pairs: readonly Pair[]
  readonly removals: readonly Removal[]
  /** Declared sets that another owner has taken over from us. They are also among `untouched`. */
  readonly moved: readonly Pair[]
  /** Observed sets that this plan leaves alone. */
  readonly untouched: readonly ObservedSet[]
  /** The selection, in which ids of declared sets became their names; empty: everything. */
  readonly only: readonly string[]
  /** The match without the selection. */
  readonly whole: Pick<Match, 'pairs' | 'removals'>
  readonly outsideSelection: number
  /** Sets of `untouched` that the files mention and `only` leaves out. */
  readonly unselected: ReadonlySet<string>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Matches by name; `id` pins a set, `previousNames` renames one. Of several sets of one name the one with the right
 * owner is meant. `only` narrows desired and removed sets.
 */
export function matchSets(
  desired: ResolvedState,
  observed: ObservedState,
  only: readonly string[],
  isOurs: IsOurs = () => false,
): Match {
  const diagnostics: Diagnostic[] = []
  const whole = only.length === 0 ? undefined : matchSets(desired, observed, [])
  const patterns = whole === undefined ? [] : only.map(pattern => nameOfId(pattern, whole))
  const ids = new Map(whole?.pairs.map(pair => [pair.desired, idIn(pair)]))
  const selected = (set: NamedSet) => whole === undefined || selects(patterns, set)
  const candidates = new Candidates(observed)
  const declared = new Set(desired.sets.map(serviceNameOf))
  // Each name once, so that no set is deleted twice. A declared name belongs to its own set.
  const previousOf = (set: ResolvedSet) => [...new Set(set.previousNames)].filter(name => !declared.has(name))
  const sets = desired.sets.filter(set => selected({ name: set.name, id: ids.get(set) }))
  const found = new Map<ResolvedSet, ObservedSet>()
  const claim = (set: ResolvedSet, one: ObservedSet | undefined): void => {
    if (one !== undefined && candidates.claim(one.id) !== undefined) found.set(set, one)
  }

  for (const set of sets) {
    if (set.id === undefined) continue
    const one = candidates.withId(set.id)[0]
    if (one === undefined) diagnostics.push(unknownId(set))
    else if (ownersDiffer(one, set)) diagnostics.push(pinnedToAnother(set, one))
    claim(set, one)
  }
  const named = sets.filter(set => set.id === undefined)
  const unclear = new Set<ResolvedSet>()
  const oneOf = (set: ResolvedSet, name: string, meant: readonly ObservedSet[]): ObservedSet | undefined => {
    if (meant.length < 2) return meant[0]
    diagnostics.push(ambiguous(name, meant, set, isOurs))
    unclear.add(set)
    return undefined
  }
  // Sets with the right owner first: the others of that name may belong to other declarations.
  for (const set of named)
    claim(set, oneOf(set, serviceNameOf(set), candidates.named(serviceNameOf(set), set)))
  const isOpen = (set: ResolvedSet): boolean => !found.has(set) && !unclear.has(set)
  for (const set of named.filter(isOpen))
    claim(set, oneOf(set, serviceNameOf(set), candidates.named(serviceNameOf(set))))
  // An unfinished replacement counts before previous names.
  for (const set of named.filter(isOpen)) claim(set, candidates.aside(set, [serviceNameOf(set)])[0])
  for (const set of named) {
    if (unclear.has(set)) continue
    claim(set, previousSet(set, previousOf(set), candidates, found.has(set), isOurs, diagnostics))
  }
  for (const set of named.filter(isOpen)) claim(set, candidates.aside(set, previousOf(set))[0])

  const isTaken = (name: string): boolean => candidates.has(name) || declared.has(name)
  const pairs = sets.map((set): Pair => {
    const one = found.get(set)
    if (one === undefined) return { desired: set }
    const pair = { desired: set, observed: one }
    // A temporary name lets the next run recognize the old set if this one is interrupted.
    return isReplaced(pair) && !isAside(one.name) ? { ...pair, aside: freeName(one.name, isTaken) } : pair
  })
  const removals = desired.removed.flatMap((removed): Removal[] => {
    const { id, name = '' } = removed
    const found = (id === undefined ? candidates.named(name) : candidates.withId(id)).filter(selected)
    if (found.length > 1) diagnostics.push(ambiguous(name, found, removed, () => false))
    const [one] = found
    if (one === undefined || found.length > 1) return []
    candidates.claim(one.id)
    return [{ observed: one, source: removed.source }]
  })
  const leftOver = named.flatMap(set =>
    unclear.has(set)
      ? []
      : candidates.aside(set, [serviceNameOf(set), ...previousOf(set)]).map((one): Removal => {
          candidates.claim(one.id)
          return { observed: one, source: set.source, replacedBy: set.name }
        }),
  )
  diagnostics.push(...duplicateSets(desired.sets))
  const goes = [...removals, ...leftOver].toSorted((a, b) => compareText(a.observed.name, b.observed.name))
  return {
    pairs,
    removals: goes,
    moved: [],
    untouched: candidates.left(),
    only: patterns,
    whole: whole ?? { pairs, removals: goes },
    outsideSelection: desired.sets.length - sets.length,
    unselected: whole === undefined ? new Set() : spokenOf(whole),
    diagnostics,
  }
}

/** The id of a declared set, if known. */
export const idIn = ({ desired, observed }: Pair): string | undefined => observed?.id ?? desired.id

/** A replacement keeps the name of a set and changes its id. So an id becomes the name, if the name selects nothing else. */
function nameOfId(pattern: string, { pairs, removals }: Match): string {
  const meant = pairs.find(pair => idIn(pair) === pattern)?.desired.name
  if (meant === undefined) return pattern
  const names = [
    ...pairs.map(({ desired }) => desired.name),
    ...removals.map(({ observed }) => observed.name),
  ]
  return names.filter(name => matchesPattern(meant, name)).length === 1 ? meant : pattern
}

const spokenOf = ({ pairs, removals }: Match): ReadonlySet<string> =>
  new Set([...pairs, ...removals].flatMap(({ observed }) => observed?.id ?? []))

function previousSet(
  set: ResolvedSet,
  names: readonly string[],
  candidates: Candidates,
  nameExists: boolean,
  isOurs: IsOurs,
  diagnostics: Diagnostic[],
): ObservedSet | undefined {
  for (const previous of names) {
    const own = candidates.named(previous, set)
    const found = own.length > 0 ? own : candidates.named(previous)
    const [one] = found
    if (one === undefined) continue
    if (nameExists) {
      diagnostics.push(bothExist(set, previous, one))
      continue
    }
    if (found.length > 1) {
      diagnostics.push(ambiguous(previous, found, set, isOurs))
      continue
    }
    return one
  }
  return undefined
}

/** Whether an id is known to be ours: our inventory lists it, or this run created it. */
type IsOurs = (id: VariableSetId) => boolean

const listedIds = (sets: readonly ObservedSet[]): string => sets.map(({ id }) => id).join(', ')

/** A request that was delivered twice creates two sets. The one whose id was answered or recorded is ours. */
function ambiguous(
  name: string,
  found: readonly ObservedSet[],
  at: Pick<ResolvedSet, 'source'>,
  isOurs: IsOurs,
): Diagnostic {
  const [mine, ...more] = found.filter(({ id }) => isOurs(id))
  const others = found.filter(set => set !== mine)
  const there = `The service has ${found.length} sets named "${name}": ${listedIds(found)}.`
  const isKnown = mine !== undefined && more.length === 0
  return mistake(
    'ambiguous-set',
    isKnown ? `${there} ${mine.id} is ours.` : there,
    isKnown
      ? `Add "id: ${mine.id}" to the set. To delete the others, add "removed: [${listedIds(others)}]" to the file as well.`
      : 'Choose one by its id: write "id: varset-…" in the set, or the id under "removed". The report of the apply that created a set names its id.',
    at.source,
  )
}

const unknownId = ({ name, id, source }: ResolvedSet): Diagnostic =>
  mistake(
    'unknown-set-id',
    `"${name}" is pinned to ${id}, but the service shows no such set in this organization.`,
    'It was deleted, or the token may not see it. Correct the id, or remove it to match by name.',
    source,
  )

const pinnedToAnother = ({ name, source }: ResolvedSet, { id, parent }: ObservedSet): Diagnostic =>
  mistake(
    'foreign-set',
    `"${name}" is pinned to ${id}, which ${parent === undefined ? 'the organization' : `the project ${parent}`} owns. A set never changes its owner.`,
    'Write the owner in the service under `project`, or remove `id` so that a new set takes its place.',
    source,
  )

const bothExist = ({ name, source }: ResolvedSet, previous: string, { id }: ObservedSet): Diagnostic =>
  warning(
    'rename-both-exist',
    `"${name}" and its previous name "${previous}" (${id}) both exist. Nothing is renamed.`,
    `Remove "${previous}" from previousNames, or delete that set with "removed: [${previous}]".`,
    source,
  )

/** Two declarations with one name and one owner. Only here projects are compared by id. */
function duplicateSets(sets: readonly ResolvedSet[]): Diagnostic[] {
  const seen = new Map<string, ResolvedSet>()
  return sets.flatMap(set => {
    if (set.called === undefined) return []
    const place = `${set.parent ?? ''} ${set.called}`
    const other = seen.get(place)
    if (other !== undefined)
      return mistake(
        'duplicate-set',
        `The set "${set.called}" of this project is already declared at ${other.source.path}:${other.source.line}.`,
        'Merge the two, or rename one.',
        set.source,
      )
    seen.set(place, set)
    return []
  })
}
