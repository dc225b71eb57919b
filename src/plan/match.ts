import { compareText, type Diagnostic, type SourceRange } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import { matchesPattern, type NamedSet, selects } from '../model/names.ts'
import type {
  ObservedSet,
  ObservedState,
  RemovedSet,
  ResolvedSet,
  ResolvedState,
} from '../model/variable-set.ts'
import { Candidates, freeName, isAside } from './candidates.ts'
import { duplicateSets } from './selection.ts'

/** A desired set and the observed set it is about; none where it has to be created. */
export interface Pair {
  readonly desired: ResolvedSet
  readonly observed?: ObservedSet
  /** Of a replacement: what the old set is called until it goes. Left out where it has such a name. */
  readonly aside?: string
}

/** A set keeps its owner for ever (docs/service.md 10.3): where the files say another one, a new set takes its place. */
export const isReplaced = (pair: Pair): pair is Pair & { readonly observed: ObservedSet } =>
  pair.observed !== undefined && ownersDiffer(pair.observed, pair.desired)

/** An observed set that goes, and the line that says so; a pruned one has none. */
export interface Removal {
  readonly observed: ObservedSet
  readonly source?: SourceRange
  /** The set that has taken its place, in a replacement that ended half way. */
  readonly replacedBy?: string
}

/** Which observed set each sentence of the files is about. */
export interface Match {
  readonly pairs: readonly Pair[]
  readonly removals: readonly Removal[]
  /** What the files declare and another owner has taken over from us. The sets are among `untouched`. */
  readonly moved: readonly Pair[]
  /** Observed sets that this plan leaves alone. */
  readonly untouched: readonly ObservedSet[]
  /** The selection, with names in place of the ids of declared sets; empty: everything. */
  readonly only: readonly string[]
  /** What would be matched without the selection. */
  readonly whole: Pick<Match, 'pairs' | 'removals'>
  readonly outsideSelection: number
  /** Of `untouched`, those that the files speak of and `only` leaves out. */
  readonly unselected: ReadonlySet<string>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Names are the identity; `id` pins, `previousNames` renames. Of several sets of one name the one with the right owner is meant.
 * `only` narrows both what is desired and what is removed.
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
  // Each once, or a set would be found and deleted twice; what is declared is that set's alone, and so is what is aside for it.
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
  // First those of the right owner: what is left of their name may be another set's.
  for (const set of named)
    claim(set, oneOf(set, serviceNameOf(set), candidates.named(serviceNameOf(set), set)))
  const isOpen = (set: ResolvedSet): boolean => !found.has(set) && !unclear.has(set)
  for (const set of named.filter(isOpen))
    claim(set, oneOf(set, serviceNameOf(set), candidates.named(serviceNameOf(set))))
  // Its place was being taken when a run ended: a set of a previous name is another one then.
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
    // A name by which the next run knows the old set, should this one end half way.
    return isReplaced(pair) && !isAside(one.name) ? { ...pair, aside: freeName(one.name, isTaken) } : pair
  })
  const removals = desired.removed.flatMap((removed): Removal[] => {
    const found = removedSets(removed, candidates, selected)
    if (found.length > 1) diagnostics.push(ambiguous(removed.name ?? '', found, removed, () => false))
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

/** The id of a declared set, where it is known. */
export const idIn = ({ desired, observed }: Pair): string | undefined => observed?.id ?? desired.id

/** A declared set keeps its name where another set takes its place, and its id not: so an id means the name, if that means nothing else. */
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

const removedSets = (
  removed: RemovedSet,
  candidates: Candidates,
  selected: (set: ObservedSet) => boolean,
): ObservedSet[] => {
  const found =
    removed.id === undefined ? candidates.named(removed.name ?? '') : candidates.withId(removed.id)
  return found.filter(selected)
}

/** Whether a set is known to be ours by its id: our inventory lists it, or this run made it. */
export type IsOurs = (id: VariableSetId) => boolean

const listedIds = (sets: readonly ObservedSet[]): string => sets.map(set => set.id).join(', ')

/** A request that was delivered twice makes two sets; the one whose id answered, or was written down, is surely ours. */
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
  return {
    severity: 'error',
    code: 'ambiguous-set',
    message: isKnown ? `${there} ${mine.id} is ours.` : there,
    hint: isKnown
      ? `Add "id: ${mine.id}" to the set. To delete what is not needed any more, add "removed: [${listedIds(others)}]" to the file as well.`
      : 'Say which one is meant by its id: "id: varset-…" in the set, or the id under "removed". The report of the apply that made one of them names it.',
    source: at.source,
  }
}

const unknownId = (set: ResolvedSet): Diagnostic => ({
  severity: 'error',
  code: 'unknown-set-id',
  message: `"${set.name}" is pinned to ${set.id}, and the service shows no such set in this organization.`,
  hint: 'It was deleted, or the token may not see it. Correct the id, or leave it out to go by the name.',
  source: set.source,
})

const pinnedToAnother = (set: ResolvedSet, observed: ObservedSet): Diagnostic => ({
  severity: 'error',
  code: 'foreign-set',
  message: `"${set.name}" is pinned to ${observed.id}, which ${observed.parent === undefined ? 'the organization' : `the project ${observed.parent}`} owns. A set never changes its owner.`,
  hint: 'Write `project` as the service has it. Or take `id` out: then a new set takes its place.',
  source: set.source,
})

const bothExist = (set: ResolvedSet, previous: string, found: ObservedSet): Diagnostic => ({
  severity: 'warning',
  code: 'rename-both-exist',
  message: `"${set.name}" and its previous name "${previous}" (${found.id}) both exist; nothing is renamed.`,
  hint: `Take "${previous}" out of previousNames, or delete that set with "removed: [${previous}]".`,
  source: set.source,
})
