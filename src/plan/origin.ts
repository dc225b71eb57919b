import { fieldsDiffer } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'
import { desiredDigest, holdsLastApplied } from './inventory.ts'
import { changedItems, changesOf, type ItemName, placeOf } from './items.ts'
import type { Match } from './match.ts'
import { type Operation, rewriteOf } from './operation.ts'
import { storesAs } from './stored-text.ts'

/**
 * Why something has to be done (docs/origins.md): the files change it here; somebody changed it in the service; the files
 * said so before and it was never applied; or, where no inventory tells the last two apart, it was different before.
 */
export type Origin = 'this-change' | 'outside' | 'not-applied' | 'before'

/** Where the differences of one set come from. */
export interface SetOrigin {
  /** As operations name it. */
  readonly set: string
  /** When the service last touched it, ISO 8601: a hint, for it moves with our own writes too. */
  readonly updatedAt?: string
  /** Items whose origin is known; without a base, what is not known is not here. */
  readonly items: Readonly<Record<ItemName, Origin>>
}

/** A setting that protects, and that this change weakens. */
export interface LoosenedSetting {
  readonly setting: string
  readonly base: string
  readonly head: string
}

/** What the files of the base want, planned against the same observed state. */
export interface BasePlan {
  /** As the user named it. */
  readonly ref: string
  readonly commit: string
  readonly operations: readonly Operation[]
  readonly match: Match
  readonly loosened: readonly LoosenedSetting[]
}

/** Origins of everything that operations change; sets of which nothing is known are left out. */
export function originsOf(
  operations: readonly Operation[],
  match: Match,
  entries: ReadonlyMap<VariableSetId, InventoryEntry>,
  base: BasePlan | undefined,
): SetOrigin[] {
  const history = new History(match, entries, base)
  // Why a secret is written again is said by its own reason; that its reference changed is a change of the files.
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
      const before = earlier === 'outside' && doubtful.has(`${place} ${item}`) ? history.untold() : earlier
      const origin = isOld ? before : 'this-change'
      return origin === undefined ? [] : [[item, origin] as const]
    })
    const updatedAt = history.updatedAt(place)
    if (known.length === 0 && updatedAt === undefined) return []
    return [{ set, ...(updatedAt === undefined ? {} : { updatedAt }), items: Object.fromEntries(known) }]
  })
}

/** A value that differs in its ends alone, and of which no entry says what the service made of it: that may be the service. */
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

/** What was last applied to each set, as far as an inventory tells. */
class History {
  readonly #entries: ReadonlyMap<VariableSetId, InventoryEntry>
  readonly #observed: ReadonlyMap<string, ObservedSet>
  readonly #desired: ReadonlyMap<string, ResolvedSet>
  /** Digests of entries whose set is gone. */
  readonly #gone: ReadonlySet<string>
  readonly #hasBase: boolean

  constructor(match: Match, entries: ReadonlyMap<VariableSetId, InventoryEntry>, base: BasePlan | undefined) {
    this.#entries = entries
    this.#hasBase = base !== undefined
    const seen = [
      ...match.pairs.flatMap(({ observed }) => observed ?? []),
      ...match.removals.map(({ observed }) => observed),
      ...match.untouched,
    ]
    this.#observed = new Map(seen.map(set => [set.id, set]))
    const { pairs } = base?.match ?? match
    this.#desired = new Map(
      pairs.map(({ desired, observed }) => [observed?.id ?? `new ${desired.name}`, desired]),
    )
    const entriesOfGone = [...entries.values()].filter(({ setId }) => !this.#observed.has(setId))
    this.#gone = new Set(entriesOfGone.map(({ digest }) => digest))
  }

  /** Why the set differed before this change; `undefined` where nothing tells. */
  of(place: string, set: string): Origin | undefined {
    const desired = this.#desired.get(place) ?? this.#desired.get(`new ${set}`)
    const observed = this.#observed.get(place)
    // A digest is made of every word of a set: only where there is one to hold it against.
    if (observed === undefined)
      return this.#gone.size > 0 && desired !== undefined && this.#gone.has(desiredDigest(desired))
        ? 'outside'
        : this.untold()
    const entry = this.#entries.get(observed.id)
    if (entry === undefined || entry.damaged) return this.untold()
    if (desired !== undefined && entry.digest === desiredDigest(desired)) return 'outside'
    return this.#hasBase || holdsLastApplied(observed, entry) ? 'not-applied' : undefined
  }

  updatedAt(place: string): string | undefined {
    return this.#observed.get(place)?.updatedAt
  }

  untold(): Origin | undefined {
    return this.#hasBase ? 'before' : undefined
  }
}

/** Why one set differs from the files, as far as its origins tell. */
export interface SetDrift {
  readonly set: string
  /** Something of it was changed in the service since the last apply. */
  readonly isOutside: boolean
  /** Something of it was merged and never applied. */
  readonly isNotApplied: boolean
  /** Something that the service has is changed, and nothing tells whether it was touched there. */
  readonly isDoubtful: boolean
}

interface DriftingPlan {
  readonly steps: readonly { readonly operation: Operation }[]
  readonly facts: { readonly origins: readonly SetOrigin[] }
}

/** Every set that the plan changes, in the order of its steps. */
export function driftOf({ steps, facts }: DriftingPlan): SetDrift[] {
  const origins = new Map(facts.origins.map(({ set, items }) => [set, items]))
  const sets = new Map<string, { rewritten: boolean; doubtful: boolean }>()
  for (const { operation } of steps) {
    const known = origins.get(operation.subject.name) ?? {}
    const seen = sets.get(operation.subject.name) ?? { rewritten: false, doubtful: false }
    sets.set(operation.subject.name, seen)
    const rewrite = rewriteOf(operation)
    seen.rewritten ||= rewrite === 'changed-outside'
    // A set that does not exist yet cannot have been touched, and why a secret is written again is known.
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
