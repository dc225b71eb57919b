import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { ownersDiffer } from '../model/fields.ts'
import { listIn, TARGET_KINDS, type VariableSetId } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import type { Match } from './match.ts'
import type { Ownership } from './ownership.ts'

/** A set that is created, and the one set that leaves the files and looks the same. */
export interface ProbableRename {
  readonly created: ResolvedSet
  readonly left: ObservedSet
  /** It is deleted. */
  readonly isDeleted: boolean
}

/**
 * A set that was renamed without `previousNames` is planned as a creation, and the old one is deleted or left behind: with its secrets and
 * external values, which no file has. Without an owner, so is one that somebody renamed in the service. The same keys and the same targets tell,
 * where they fit one set only. `inBase`: sets that the base declares.
 */
export function probableRenames(
  match: Match,
  ownership: Ownership,
  inBase: ReadonlySet<VariableSetId | undefined>,
): ProbableRename[] {
  const deleted = match.removals.map(({ observed }) => observed)
  const isDeleted = new Set<ObservedSet>(deleted)
  const others = match.untouched.filter(
    set => !match.unselected.has(set.id) && !ownership.isOfAnotherOwner(set),
  )
  const left = others.filter(set => inBase.has(set.id) || ownership.isListed(set))
  // Without an inventory, nobody can tell whose these are.
  const anybodys = ownership.owner === undefined ? others.filter(set => ownership.isUnlisted(set)) : []
  // A set that is pinned to an id is not created.
  const created = match.pairs.flatMap(({ desired, observed }) =>
    observed === undefined && desired.id === undefined ? desired : [],
  )
  const candidates = [[...deleted, ...left], anybodys].map(sets => grouped(sets, keysOf))
  const sameKeys = grouped(created, keysOf)
  return created.flatMap(desired => {
    const keys = keysOf(desired)
    const twins = sameKeys.get(keys) ?? []
    const alike = candidates
      .map(sets => sets.get(keys) ?? [])
      // Where so many have the same keys, none is told apart.
      .map(sets => (sets.length + twins.length > MOST_ALIKE ? [] : sets.filter(set => isAlike(desired, set))))
      .find(sets => sets.length > 0)
    const [only, another] = alike ?? []
    if (only === undefined || another !== undefined) return []
    if (twins.filter(one => isAlike(one, only)).length > 1) return []
    return { created: desired, left: only, isDeleted: isDeleted.has(only) }
  })
}

const MOST_ALIKE = 20

/** Both sides are sorted by key. */
const keysOf = ({ variables }: { readonly variables: readonly { readonly key: string }[] }): string =>
  variables.map(({ key }) => key).join('\n')

/** The same owner, which no rename changes, the same variables, and the same targets where the file manages them. */
function isAlike(desired: ResolvedSet, observed: ObservedSet): boolean {
  const there = new Set(observed.variables.map(({ key }) => key))
  return (
    !ownersDiffer(observed, desired) &&
    there.size > 0 &&
    there.size === desired.variables.length &&
    desired.variables.every(({ key }) => there.has(key)) &&
    desired.global === observed.global &&
    TARGET_KINDS.every(kind => {
      const wanted = listIn(desired, kind)
      return wanted === undefined || sameTexts(wanted, listIn(observed, kind) ?? [])
    })
  )
}

/** Both sorted. */
const sameTexts = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n')

export const renameHints = (found: readonly ProbableRename[]): Diagnostic[] =>
  found.map(({ created, left, isDeleted }) =>
    warning(
      'probable-rename',
      `"${created.name}" is created with the keys and targets of "${left.name}", which ${isDeleted ? 'is deleted' : 'is in no file'}.`,
      `If it is the same set, add \`previousNames: [${JSON.stringify(left.name)}]\` to "${created.name}"${isDeleted ? `, and remove "${left.name}" from \`removed\` if it is there` : ''}: it keeps its id, secrets and external values.`,
      created.source,
    ),
  )
