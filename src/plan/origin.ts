import { fieldsDiffer } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import type { Guards, ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import { desiredDigest, holdsLastApplied } from './inventory.ts'
import { changedItems, changesOf, type ItemName, placeOf } from './items.ts'
import type { Match } from './match.ts'
import { type Operation, rewriteOf } from './operation.ts'
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
  const history = new History(match, entries, base)
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
    const earlier = history.of(place, set)
    const known = [...items].flatMap(([item, become]) => {
      const isOld = wanted === undefined || wanted.get(place)?.get(item)?.() === become()
      const before =
        earlier === 'outside' && doubtful.has(`${place} ${item}`) ? history.unrecorded() : earlier
      const origin = isOld ? before : 'this-change'
      return origin === undefined ? [] : [[item, origin] as const]
    })
    const updatedAt = history.updatedAt(place)
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
class History {
  readonly #entries: ReadonlyMap<VariableSetId, InventoryEntry>
  readonly #observed: ReadonlyMap<string, ObservedSet>
  readonly #desired: ReadonlyMap<string, ResolvedSet>
  /** Digests of entries without a set. */
  readonly #gone: ReadonlySet<string>
  readonly #hasBase: boolean

  constructor(match: Match, entries: ReadonlyMap<VariableSetId, InventoryEntry>, base: BasePlan | undefined) {
    this.#entries = entries
    this.#hasBase = base !== undefined
    const ours = [...match.pairs, ...match.removals].flatMap(({ observed }) => observed ?? [])
    const seen = [...ours, ...match.untouched]
    this.#observed = new Map(seen.map(set => [set.id, set]))
    const { pairs } = base?.match ?? match
    this.#desired = new Map(
      pairs.map(({ desired, observed }) => [observed?.id ?? `new ${desired.name}`, desired]),
    )
    const entriesOfGone = [...entries.values()].filter(({ setId }) => !this.#observed.has(setId))
    this.#gone = new Set(entriesOfGone.map(({ digest }) => digest))
  }

  /** Why the set differed before this change; `undefined` if unknown. */
  of(place: string, set: string): Origin | undefined {
    const desired = this.#desired.get(place) ?? this.#desired.get(`new ${set}`)
    const observed = this.#observed.get(place)
    // A digest covers the whole set, so it is computed only if there is one to compare with.
    if (observed === undefined)
      return this.#gone.size > 0 && desired !== undefined && this.#gone.has(desiredDigest(desired))
        ? 'outside'
        : this.unrecorded()
    const entry = this.#entries.get(observed.id)
    if (entry === undefined || entry.damaged) return this.unrecorded()
    if (desired !== undefined && entry.digest === desiredDigest(desired)) return 'outside'
    return this.#hasBase || holdsLastApplied(observed, entry) ? 'not-applied' : undefined
  }

  updatedAt(place: string): string | undefined {
    return this.#observed.get(place)?.updatedAt
  }

  /** The origin if no inventory tells it. */
  unrecorded(): Origin | undefined {
    return this.#hasBase ? 'before' : undefined
  }
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
