import { compareText, type Diagnostic, warning } from '../model/diagnostic.ts'
import type { VariableKey, VariableSetId } from '../model/ids.ts'
import { plural, valueAt } from '../model/lists.ts'
import type { Guards, ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import { isHalfMade } from './completion.ts'
import { diffVariableSets } from './difference.ts'
import { creationOf } from './draft.ts'
import { changedItems, rewriteOf } from './items.ts'
import type { Match } from './match.ts'
import { type Matched, matchStates } from './match-states.ts'
import { type Operation, setKeyOf } from './operation.ts'
import { desiredDigest, entryOf, holdsLastApplied, isOutdated, type Ownership } from './ownership.ts'
import { type Block, type LoosenedSetting, type Origin, type SetOrigin, WHOLE_PLAN } from './plan-data.ts'
import { SecretStates } from './secret-states.ts'
import { changesEndsAlone } from './stored-text.ts'

/** The files of an earlier commit, and which commit that is. */
export interface BaseCommit {
  /** The Git ref as the user wrote it. */
  readonly ref: string
  readonly commit: string
  readonly desired: ResolvedState
}

/** The changes of the base against the same observed state. */
export interface BasePlan {
  /** The Git ref as the user wrote it. */
  readonly ref: string
  readonly commit: string
  readonly operations: readonly Operation[]
  readonly match: Match
  readonly guards: Guards
}

/**
 * The changes that the base would make to the observed state. Nobody applies them, so they are neither checked nor
 * ordered.
 */
export function planBase(
  { ref, commit, desired }: BaseCommit,
  observed: ObservedState,
  only: readonly string[],
): BasePlan {
  const { match, ownership } = matchStates(desired, observed, only)
  const drafts = diffVariableSets(match, new SecretStates(match, ownership))
  const operations = drafts.map(({ operation }) => operation)
  return { ref, commit, operations, match, guards: desired.guards }
}

/** Tells which existing variables had another source before this change than the secret of this name, as the base declares them. */
export function otherSourceIn(
  base: BasePlan | undefined,
): (set: VariableSetId, key: VariableKey, secret: string) => boolean {
  if (base === undefined) return () => false
  const before = new Map(
    base.match.pairs.flatMap(({ desired, observed }) =>
      desired.variables.flatMap(({ key, value }) =>
        observed !== undefined && 'secret' in value
          ? [[`${observed.id}/${key}`, value.secret.name] as const]
          : [],
      ),
    ),
  )
  return (set, key, secret) => before.get(`${set}/${key}`) !== secret
}

/** The stricter value of each guard, so that a change cannot loosen the guards that judge it. */
export function stricterGuards(base: Guards, head: Guards): Guards {
  const updates = Math.min(base.updates ?? Infinity, head.updates ?? Infinity)
  return {
    deletions: Math.min(base.deletions, head.deletions),
    losses: Math.min(base.losses, head.losses),
    updates: updates === Infinity ? undefined : updates,
    protect: [...new Set([...base.protect, ...head.protect])].toSorted(compareText),
    gaps: base.gaps ?? head.gaps,
  }
}

/** Existing sets that the base declares and the files no longer mention. Sets of other owners, and renamed ones, are left out. */
export function leftBehind(
  base: BasePlan,
  match: Match,
  ownership: Ownership,
  renamed: ReadonlySet<VariableSetId>,
): Diagnostic[] {
  const found = new Set([
    ...[...match.pairs, ...match.removals].map(({ observed }) => observed?.id),
    ...renamed,
  ])
  return base.match.pairs.flatMap(({ desired, observed }) =>
    observed === undefined || found.has(observed.id) || ownership.isOfAnotherOwner(observed)
      ? []
      : warning(
          'left-behind',
          `"${desired.name}" was removed from the files and is not listed under "removed". It stays in the service, unmanaged.`,
          `To delete it, add \`removed: [${desired.serviceName === undefined ? JSON.stringify(desired.name) : observed.id}]\` to a set file.`,
          { ...desired.source, path: `${base.ref}:${desired.source.path}` },
        ),
  )
}

/** Blocks deletions by pruning if this change turns pruning on. */
export function guardPruning(loosened: readonly LoosenedSetting[], { removals }: Match): Block[] {
  const pruned = removals.filter(({ source }) => source === undefined).length
  if (pruned === 0 || !loosened.some(({ setting }) => setting === 'prune')) return []
  const message = `This change turns on pruning, which deletes ${plural(pruned, 'set')}.`
  return [{ code: 'loosens-pruning', message, item: WHOLE_PLAN }]
}

/** Origins of all changes. Sets without a known origin are left out. */
export function originsOf(
  operations: readonly Operation[],
  match: Match,
  ownership: Ownership,
  base: BasePlan | undefined,
): SetOrigin[] {
  const history = historyOf(match, ownership, base)
  // A rewrite has its own reason. Only another source counts as a change of the files.
  const told = operations.filter(operation => {
    const rewrite = rewriteOf(operation)
    return rewrite === undefined || rewrite === 'source-changed' || rewrite === 'taken-charge'
  })
  const wanted = base === undefined ? undefined : changedItems(base.operations)
  const doubtful = new Set(told.flatMap(endsAlone))
  const names = new Map(told.map(operation => [setKeyOf(operation), operation.subject.name]))
  return [...changedItems(told)].flatMap(([place, items]) => {
    const set = valueAt(names, place)
    const earlier = history.earlier(place, set)
    const known = [...items].flatMap(([item, become]) => {
      const isOld = wanted === undefined || wanted.get(place)?.get(item)?.() === become()
      const isDoubtful = earlier === 'outside' && doubtful.has(`${place} ${item}`)
      const before = item === 'name' && history.isRenamed(place) ? 'outside' : earlier
      const origin = isOld ? (isDoubtful ? history.unrecorded : before) : 'this-change'
      return origin === undefined ? [] : [[item, origin] as const]
    })
    if (known.length === 0) return []
    const isOutside = known.some(([, origin]) => origin === 'outside')
    return [
      { set, updatedAt: isOutside ? history.changedAt(place) : undefined, items: Object.fromEntries(known) },
    ]
  })
}

/** A value that differs only as the service itself may have changed it. */
const endsAlone = (operation: Operation): readonly string[] =>
  operation.type === 'update-variable' && changesEndsAlone(operation)
    ? [`${operation.subject.id} ${operation.after.key}`]
    : []

/** What was last applied to each set, according to the inventory. */
function historyOf(match: Match, ownership: Ownership, base: BasePlan | undefined) {
  const { entries, own } = ownership
  const ours = [...match.pairs, ...match.removals].flatMap(({ observed }) => observed ?? [])
  const observed = new Map<string, ObservedSet>([...ours, ...match.untouched].map(set => [set.id, set]))
  const desired = new Map<string, ResolvedSet>(
    (base?.match ?? match).pairs.map(pair => [pair.observed?.id ?? `new ${pair.desired.name}`, pair.desired]),
  )
  /** The origin if no inventory tells it. */
  const unrecorded: Origin | undefined = base === undefined ? undefined : 'before'
  /** Why the set differed before this change; `undefined` if unknown. */
  const earlier = (place: string, name: string): Origin | undefined => {
    const wanted = desired.get(place) ?? desired.get(`new ${name}`)
    const set = observed.get(place)
    // A digest covers the whole set, so it is computed only if there is one to compare with.
    if (set === undefined) return wanted !== undefined && ownership.wasThere(wanted) ? 'outside' : unrecorded
    const entry = entries.get(set.id)
    if (entry === undefined || entry.damaged) return unrecorded
    if (wanted !== undefined && entry.digest === desiredDigest(wanted)) return 'outside'
    return base !== undefined || holdsLastApplied(set, entry, wanted) ? 'not-applied' : undefined
  }
  /** Whether the set has another name than when it was recorded. */
  const isRenamed = (place: string): boolean => {
    const set = observed.get(place)
    const name = set && entries.get(set.id)?.name
    return name !== undefined && name !== set?.name
  }
  /** When the set was last changed, unless that may have been an apply: one records what it wrote after it wrote it. */
  const changedAt = (place: string): string | undefined => {
    const at = observed.get(place)?.updatedAt
    const recorded = own.flatMap(({ updatedAt }) => updatedAt ?? [])
    return at !== undefined && recorded.length > 0 && recorded.every(one => Date.parse(at) > Date.parse(one))
      ? at
      : undefined
  }
  return { unrecorded, earlier, isRenamed, changedAt }
}

/**
 * Sets of ours that a merge or an apply left unfinished, by name: their files say something else than was last recorded; we created
 * them halfway; or no apply recorded them yet. What the service has of them may be ours.
 */
export const unfinishedSets = ({ match, ownership }: Matched): string[] =>
  match.pairs.flatMap(pair => {
    const { desired, observed } = pair
    const entry = entryOf(pair, ownership)
    const isOpen =
      entry !== undefined
        ? !entry.damaged && isOutdated(entry, pair)
        : ownership.own.length > 0 &&
          (observed === undefined
            ? !ownership.wasThere(desired)
            : ownership.isUnlisted(observed) && isHalfMade(creationOf(desired), observed))
    return isOpen ? [desired.name] : []
  })
