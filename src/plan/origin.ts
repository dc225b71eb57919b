import { fieldsDiffer } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import type { Guards, ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import { desiredDigest, holdsLastApplied } from './inventory.ts'
import { changedItems, changesOf, type ItemName, rewriteOf } from './items.ts'
import type { Match } from './match.ts'
import { type Operation, placeOf } from './operation.ts'
import { storesAs } from './stored-text.ts'

/**
 * Why there is a difference (docs/drift.md): this change of the files, a change in the service, or an earlier
 * change that was never applied. `before` if no inventory tells the last two apart.
 */
export type Origin = 'this-change' | 'outside' | 'not-applied' | 'before'

/** The origins of the differences of one set. */
export interface SetOrigin {
  /** The name as in operations. */
  readonly set: string
  /** Last change in the service, ISO 8601. Only a hint, because our own writes count too. */
  readonly updatedAt?: string
  /** Origins by item. Unknown origins are left out. */
  readonly items: Readonly<Record<ItemName, Origin>>
}

/** A protecting setting that this change loosens. */
export interface LoosenedSetting {
  readonly setting: string
  readonly base: string
  readonly head: string
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

/** Why one set differs from the files, as far as known. */
export interface SetDrift {
  readonly set: string
  /** Something was changed in the service since the last apply. */
  readonly isOutside: boolean
  /** Something was merged and never applied. */
  readonly isNotApplied: boolean
  /** Something differs for an unknown reason. */
  readonly isDoubtful: boolean
}

interface DriftingPlan {
  readonly steps: readonly { readonly operation: Operation }[]
  readonly facts: { readonly origins: readonly SetOrigin[] }
}

/** Every changed set, in the order of the steps. */
export function driftOf({ steps, facts }: DriftingPlan): SetDrift[] {
  const origins = new Map(facts.origins.map(({ set, items }) => [set, items]))
  const sets = new Map<string, { rewritten: boolean; doubtful: boolean }>()
  for (const { operation } of steps) {
    const known = origins.get(operation.subject.name) ?? {}
    const seen = sets.get(operation.subject.name) ?? { rewritten: false, doubtful: false }
    sets.set(operation.subject.name, seen)
    const rewrite = rewriteOf(operation)
    seen.rewritten ||= rewrite === 'changed-outside'
    // A new set cannot have drifted, and a rewrite has its own reason.
    if (operation.type !== 'create-set' && rewrite === undefined)
      seen.doubtful ||= changesOf(operation).some(([name]) => known[name] === undefined)
  }
  return [...sets].map(([set, { rewritten, doubtful }]) => {
    const told = Object.values(origins.get(set) ?? {})
    return {
      set,
      isOutside: rewritten || told.includes('outside'),
      isNotApplied: told.includes('not-applied'),
      isDoubtful: doubtful,
    }
  })
}
