import { compareText, type Diagnostic, warning } from '../model/diagnostic.ts'
import { fieldsDiffer } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import { plural } from '../model/lists.ts'
import { matchesAny } from '../model/names.ts'
import { isSameRule, levelRank } from '../model/rule.ts'
import type { Guards, ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import { diffVariableSets } from './difference.ts'
import { desiredDigest, holdsLastApplied, type Ownership } from './inventory.ts'
import { changedItems, rewriteOf } from './items.ts'
import type { Match } from './match.ts'
import { matchStates } from './match-states.ts'
import { type Operation, placeOf } from './operation.ts'
import type { Block, LoosenedSetting, Origin, SetOrigin } from './plan.ts'
import { SecretStates } from './secrets.ts'
import { storesAs } from './stored-text.ts'

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
  readonly loosened: readonly LoosenedSetting[]
}

/**
 * The changes that the base would make to the observed state. Nobody applies them, so they are neither checked nor
 * ordered.
 */
export function planBase(
  { ref, commit, desired }: BaseCommit,
  head: ResolvedState,
  observed: ObservedState,
  only: readonly string[],
): BasePlan {
  const { match, ownership } = matchStates(desired, observed, only)
  const drafts = diffVariableSets(match, new SecretStates(match, ownership), false)
  const operations = drafts.map(({ operation }) => operation)
  return { ref, commit, operations, match, guards: desired.guards, loosened: loosened(desired, head) }
}

/** The stricter value of each guard, so that a change cannot loosen the guards that judge it. */
export function stricterGuards(base: Guards, head: Guards): Guards {
  const updates = Math.min(base.updates ?? Infinity, head.updates ?? Infinity)
  return {
    deletions: Math.min(base.deletions, head.deletions),
    updates: updates === Infinity ? undefined : updates,
    protect: [...new Set([...base.protect, ...head.protect])].toSorted(compareText),
    gaps: base.gaps ?? head.gaps,
  }
}

type ProtectiveSettings = Pick<ResolvedState, 'guards' | 'owner' | 'owns' | 'prune' | 'rules'>

/** Every setting of `setpoint.yaml`, and every rule, that this change loosens. */
function loosened(base: ProtectiveSettings, head: ProtectiveSettings): LoosenedSetting[] {
  const found: LoosenedSetting[] = []
  const say = (setting: string, before: string, after: string): void => {
    found.push({ setting, base: before, head: after })
  }
  if (head.guards.deletions > base.guards.deletions)
    say('guards.deletions', `${base.guards.deletions}%`, `${head.guards.deletions}%`)
  if ((head.guards.updates ?? Infinity) > (base.guards.updates ?? Infinity))
    say('guards.updates', shareText(base.guards.updates), shareText(head.guards.updates))
  const unprotected = base.guards.protect.filter(pattern => !head.guards.protect.includes(pattern))
  if (unprotected.length > 0) say('guards.protect', quoted(unprotected), 'not protected')
  if (base.guards.gaps !== undefined && head.guards.gaps === undefined) say('guards.gaps', 'forbid', 'allow')
  if (head.prune && !base.prune) say('prune', 'false', 'true')
  if (base.owner !== head.owner) say('owner', base.owner ?? 'none', head.owner ?? 'none')
  const isNarrowed = base.owns.length > 0
  const wider = head.owns.filter(pattern => !base.owns.includes(pattern) && !matchesAny(base.owns, pattern))
  if (isNarrowed && (head.owns.length === 0 || wider.length > 0))
    say('owns', quoted(base.owns), head.owns.length === 0 ? 'everything' : quoted(head.owns))
  const rules = new Map(head.rules?.map(rule => [rule.id, rule]))
  for (const rule of base.rules ?? []) {
    const now = rules.get(rule.id)
    if (now === undefined) say(`rules.${rule.id}`, rule.level, 'deleted')
    // It is unknown whether other expressions are weaker.
    else if (!isSameRule(rule, now))
      say(`rules.${rule.id}`, rule.level, `${now.level} with other expressions`)
    else if (levelRank(now.level) < levelRank(rule.level)) say(`rules.${rule.id}`, rule.level, now.level)
  }
  return found
}

const shareText = (share: number | undefined): string => (share === undefined ? 'no limit' : `${share}%`)

const quoted = (texts: readonly string[]): string => texts.map(text => JSON.stringify(text)).join(', ')

/** Existing sets that the base declares and the files no longer mention. Sets of other owners are left out. */
export function leftBehind(base: BasePlan, match: Match, ownership: Ownership): Diagnostic[] {
  const claimed = new Set([...match.pairs, ...match.removals].map(({ observed }) => observed?.id))
  return base.match.pairs.flatMap(({ desired, observed }) =>
    observed === undefined || claimed.has(observed.id) || ownership.isForeign(observed)
      ? []
      : warning(
          'left-behind',
          `"${desired.name}" was removed from the files and is not listed under "removed". It stays in the service, unmanaged.`,
          `To delete it, add "removed: [${desired.called === undefined ? JSON.stringify(desired.name) : observed.id}]" to a set file.`,
          { ...desired.source, path: `${base.ref}:${desired.source.path}` },
        ),
  )
}

/** Blocks deletions by pruning if this change turns pruning on. */
export function guardPruning(base: BasePlan | undefined, { removals }: Match): Block[] {
  const pruned = removals.filter(({ source }) => source === undefined).length
  if (pruned === 0 || !base?.loosened.some(({ setting }) => setting === 'prune')) return []
  const message = `This change turns on pruning, which deletes ${plural(pruned, 'set')}.`
  return [{ code: 'loosens-pruning', message }]
}

/** Origins of all changes. Sets without a known origin are left out. */
export function originsOf(
  operations: readonly Operation[],
  match: Match,
  entries: ReadonlyMap<VariableSetId, InventoryEntry>,
  base: BasePlan | undefined,
): SetOrigin[] {
  const history = historyOf(match, entries, base)
  // A rewrite has its own reason. Only a changed reference counts as a change of the files.
  const told = operations.filter(operation => {
    const rewrite = rewriteOf(operation)
    return rewrite === undefined || rewrite === 'source-changed'
  })
  const wanted = base === undefined ? undefined : changedItems(base.operations)
  const doubtful = new Set(told.flatMap(operation => endsAlone(operation, entries)))
  const names = new Map(told.map(operation => [placeOf(operation), operation.subject.name]))
  return [...changedItems(told)].flatMap(([place, items]) => {
    const set = names.get(place) ?? ''
    const earlier = history.earlier(place, set)
    const known = [...items].flatMap(([item, become]) => {
      const isOld = wanted === undefined || wanted.get(place)?.get(item)?.() === become()
      const isDoubtful = earlier === 'outside' && doubtful.has(`${place} ${item}`)
      const origin = isOld ? (isDoubtful ? history.unrecorded : earlier) : 'this-change'
      return origin === undefined ? [] : [[item, origin] as const]
    })
    const updatedAt = history.observed.get(place)?.updatedAt
    if (known.length === 0 && updatedAt === undefined) return []
    return [{ set, updatedAt, items: Object.fromEntries(known) }]
  })
}

/**
 * A value that differs only in line ends or its final newline, without a record of how the service stores it. The
 * service itself may have changed it.
 */
function endsAlone(
  operation: Operation,
  entries: ReadonlyMap<VariableSetId, InventoryEntry>,
): readonly string[] {
  if (operation.type !== 'update-variable') return []
  const { before, after, subject } = operation
  if (!('text' in before.value && 'text' in after.value) || fieldsDiffer(before, after)) return []
  const isRecorded = entries.get(subject.id)?.stored?.[after.key] !== undefined
  return isRecorded || !storesAs(after.value.text, before.value.text) ? [] : [`${subject.id} ${after.key}`]
}

/** What was last applied to each set, according to the inventory. */
function historyOf(
  match: Match,
  entries: ReadonlyMap<VariableSetId, InventoryEntry>,
  base: BasePlan | undefined,
) {
  const ours = [...match.pairs, ...match.removals].flatMap(({ observed }) => observed ?? [])
  const observed = new Map<string, ObservedSet>([...ours, ...match.untouched].map(set => [set.id, set]))
  const desired = new Map<string, ResolvedSet>(
    (base?.match ?? match).pairs.map(pair => [pair.observed?.id ?? `new ${pair.desired.name}`, pair.desired]),
  )
  /** Digests of entries without a set. */
  const gone = new Set(
    [...entries.values()].flatMap(({ setId, digest }) => (observed.has(setId) ? [] : digest)),
  )
  /** The origin if no inventory tells it. */
  const unrecorded: Origin | undefined = base === undefined ? undefined : 'before'
  /** Why the set differed before this change; `undefined` if unknown. */
  const earlier = (place: string, name: string): Origin | undefined => {
    const wanted = desired.get(place) ?? desired.get(`new ${name}`)
    const set = observed.get(place)
    // A digest covers the whole set, so it is computed only if there is one to compare with.
    if (set === undefined)
      return gone.size > 0 && wanted !== undefined && gone.has(desiredDigest(wanted)) ? 'outside' : unrecorded
    const entry = entries.get(set.id)
    if (entry === undefined || entry.damaged) return unrecorded
    if (wanted !== undefined && entry.digest === desiredDigest(wanted)) return 'outside'
    return base !== undefined || holdsLastApplied(set, entry) ? 'not-applied' : undefined
  }
  return { observed, unrecorded, earlier }
}
