import { compareText, type Diagnostic, type SourceRange } from '../model/diagnostic.ts'
import type { VariableSetId } from '../model/ids.ts'
import { matchesAny } from '../model/pattern.ts'
import type {
  ObservedSet,
  ObservedState,
  RemovedSet,
  ResolvedSet,
  ResolvedState,
} from '../model/variable-set.ts'

/** A desired set and the observed set it is about; none where it has to be created. */
export interface Pair {
  readonly desired: ResolvedSet
  readonly observed?: ObservedSet
}

/** An observed set that goes, and the line that says so; a pruned one has none. */
export interface Removal {
  readonly observed: ObservedSet
  readonly source?: SourceRange
}

/** Which observed set each sentence of the files is about. */
export interface Match {
  readonly pairs: readonly Pair[]
  readonly removals: readonly Removal[]
  /** What the files declare and another owner has taken over from us. The sets are among `untouched`. */
  readonly moved: readonly Pair[]
  /** Observed sets that this plan leaves alone. */
  readonly untouched: readonly ObservedSet[]
  readonly outsideSelection: number
  /** Of `untouched`, those that the files speak of and `only` leaves out. */
  readonly unselected: ReadonlySet<string>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Names are the identity; `id` pins, `previousNames` renames. Sets with a project as parent are foreign.
 * `only` narrows both what is desired and what is removed.
 */
export function matchSets(
  desired: ResolvedState,
  observed: ObservedState,
  only: readonly string[],
  isOurs: IsOurs = () => false,
): Match {
  const diagnostics: Diagnostic[] = []
  const selected = (name: string) => only.length === 0 || matchesAny(only, name)
  const candidates = new Candidates(observed)
  const declared = new Set(desired.sets.map(set => set.name))
  const sets = desired.sets.filter(set => selected(set.name))

  const pinned = new Map(
    sets.flatMap(set => {
      if (set.id === undefined) return []
      const found = candidates.claim(set.id)
      if (found === undefined) diagnostics.push(unknownId(set))
      return found === undefined ? [] : [[set, found] as const]
    }),
  )
  const named = new Map(
    sets.flatMap(set => {
      if (set.id !== undefined) return []
      const found = candidates.named(set.name)
      if (found.length > 1) diagnostics.push(ambiguous(set.name, found, set, isOurs))
      if (found.length === 0 && candidates.projectOwned(set.name))
        diagnostics.push(projectOwned(set.name, set))
      const [one] = found
      if (one === undefined || found.length > 1) return []
      candidates.claim(one.id)
      return [[set, one] as const]
    }),
  )
  const renamed = new Map(
    sets.flatMap(set => {
      if (pinned.has(set) || set.id !== undefined) return []
      const found = previousSet(set, declared, candidates, named.has(set), isOurs, diagnostics)
      return found === undefined ? [] : [[set, found] as const]
    }),
  )
  const pairs = sets.map((set): Pair => {
    const one = pinned.get(set) ?? named.get(set) ?? renamed.get(set)
    return one === undefined ? { desired: set } : { desired: set, observed: one }
  })
  const removals = desired.removed.flatMap(removed => {
    const found = removedSets(removed, candidates, selected)
    if (found.length > 1) diagnostics.push(ambiguous(removed.name ?? '', found, removed, () => false))
    const [one] = found
    if (one === undefined || found.length > 1) return []
    candidates.claim(one.id)
    return [{ observed: one, source: removed.source }]
  })
  diagnostics.push(...unmatchedPatterns(only, desired))
  return {
    pairs,
    removals: removals.toSorted((a, b) => compareText(a.observed.name, b.observed.name)),
    moved: [],
    untouched: candidates.left(),
    outsideSelection: desired.sets.length - sets.length,
    unselected: only.length === 0 ? new Set() : spokenOf(matchSets(desired, observed, [])),
    diagnostics,
  }
}

const spokenOf = ({ pairs, removals }: Match): ReadonlySet<string> =>
  new Set([...pairs, ...removals].flatMap(({ observed }) => observed?.id ?? []))

/** Observed sets that no sentence of the files has claimed yet. */
class Candidates {
  readonly #byId: Map<string, ObservedSet>
  readonly #byName = new Map<string, ObservedSet[]>()
  readonly #foreign: readonly ObservedSet[]

  constructor(observed: ObservedState) {
    const own = observed.sets.filter(set => set.parent === undefined)
    this.#foreign = observed.sets.filter(set => set.parent !== undefined)
    this.#byId = new Map(own.map(set => [set.id, set]))
    for (const set of own) {
      const same = this.#byName.get(set.name)
      if (same === undefined) this.#byName.set(set.name, [set])
      else same.push(set)
    }
  }

  claim(id: string): ObservedSet | undefined {
    const set = this.#byId.get(id)
    this.#byId.delete(id)
    return set
  }

  withId(id: string): ObservedSet[] {
    const set = this.#byId.get(id)
    return set === undefined ? [] : [set]
  }

  named(name: string): ObservedSet[] {
    return (this.#byName.get(name) ?? []).filter(set => this.#byId.has(set.id))
  }

  projectOwned(name: string): boolean {
    return this.#foreign.some(set => set.name === name)
  }

  left(): ObservedSet[] {
    return [...this.#byId.values(), ...this.#foreign]
  }
}

function previousSet(
  set: ResolvedSet,
  declared: ReadonlySet<string>,
  candidates: Candidates,
  nameExists: boolean,
  isOurs: IsOurs,
  diagnostics: Diagnostic[],
): ObservedSet | undefined {
  for (const previous of set.previousNames) {
    if (declared.has(previous)) continue
    const found = candidates.named(previous)
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
    return candidates.claim(one.id)
  }
  return undefined
}

const removedSets = (
  removed: RemovedSet,
  candidates: Candidates,
  selected: (name: string) => boolean,
): ObservedSet[] => {
  const found =
    removed.id === undefined ? candidates.named(removed.name ?? '') : candidates.withId(removed.id)
  return found.filter(set => selected(set.name))
}

function unmatchedPatterns(only: readonly string[], desired: ResolvedState): Diagnostic[] {
  const names = [
    ...desired.sets.map(set => set.name),
    ...desired.removed.map(set => set.name ?? set.id ?? ''),
  ]
  return only
    .filter(pattern => !names.some(name => matchesAny([pattern], name)))
    .map(pattern => ({
      severity: 'error',
      code: 'unmatched-selection',
      message: `--only "${pattern}" matches no set of the files.`,
      hint: 'A pattern is matched against whole names; * stands for any text.',
    }))
}

/** Whether a set is known to be ours by its id: our inventory lists it, or this run made it. */
export type IsOurs = (id: VariableSetId) => boolean

const idsOf = (sets: readonly ObservedSet[]): string => sets.map(set => set.id).join(', ')

/** A request that was delivered twice makes two sets; the one whose id answered, or was written down, is surely ours. */
function ambiguous(
  name: string,
  found: readonly ObservedSet[],
  at: Pick<ResolvedSet, 'source'>,
  isOurs: IsOurs,
): Diagnostic {
  const [mine, ...more] = found.filter(({ id }) => isOurs(id))
  const others = found.filter(set => set !== mine)
  const there = `The service has ${found.length} sets named "${name}": ${idsOf(found)}.`
  const isKnown = mine !== undefined && more.length === 0
  return {
    severity: 'error',
    code: 'ambiguous-set',
    message: isKnown ? `${there} ${mine.id} is ours.` : there,
    hint: isKnown
      ? `Add "id: ${mine.id}" to the set. To delete what is not needed any more, add "removed: [${idsOf(others)}]" to the file as well.`
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

const projectOwned = (name: string, set: ResolvedSet): Diagnostic => ({
  severity: 'error',
  code: 'foreign-set',
  message: `"${name}" exists and is owned by a project; sets of projects are not managed here.`,
  hint: 'Choose another name, or leave the set to its project.',
  source: set.source,
})

const bothExist = (set: ResolvedSet, previous: string, found: ObservedSet): Diagnostic => ({
  severity: 'warning',
  code: 'rename-both-exist',
  message: `"${set.name}" and its previous name "${previous}" (${found.id}) both exist; nothing is renamed.`,
  hint: `Take "${previous}" out of previousNames, or delete that set with "removed: [${previous}]".`,
  source: set.source,
})
