import type { SeenChange } from './change.ts'
import type { EffectReason } from './effect.ts'
import { type Arrivals, globalArrivals, type WorkspaceGroup } from './groups.ts'
import type { Arrival, NumberedSets } from './numbered.ts'
import { OWN_RANK, reasonFor } from './precedence.ts'

/** What everybody sees, and for each group where it sees something else; `undefined`: nothing. By numbers of keys. */
export interface SeenChanges {
  readonly general: ReadonlyMap<number, SeenChange>
  readonly own: readonly ReadonlyMap<number, SeenChange | undefined>[]
}

const REASONS: readonly (EffectReason | undefined)[] = [undefined, 'gone', 'priority', 'scope', 'name']

/**
 * Who sees what. What the global sets alone do is found once for everybody; a group is asked only about the keys that come
 * to it on ways of its own, and departs from the rest where it sees something else.
 */
export function seenBy(groups: readonly WorkspaceGroup[], sets: NumberedSets): SeenChanges {
  const sight = new ChangeFinder(sets)
  return {
    general: sight.general,
    own: groups.map(group => sight.departures(group)),
  }
}

class ChangeFinder {
  readonly general = new Map<number, SeenChange>()
  readonly #sets: NumberedSets
  readonly #global: Arrivals
  readonly #changes = new Map<number, SeenChange>()
  readonly #bestAfter = new WeakMap<Arrivals, ReadonlyMap<number, number>>()
  /** The strongest for each key of what everybody receives, and of what one group receives. */
  readonly #globalBest: Best
  readonly #best: Best

  constructor(sets: NumberedSets) {
    this.#sets = sets
    this.#global = globalArrivals(sets)
    const nothing = new Best(sets.keys.length)
    this.#globalBest = new Best(sets.keys.length)
    for (const key of this.#globalBest.meet(this.#global, nothing)) {
      const change = this.#change(key, this.#globalBest, NOBODY)
      if (change !== undefined) this.general.set(key, change)
    }
    this.#best = new Best(sets.keys.length)
  }

  departures(group: WorkspaceGroup): Map<number, SeenChange | undefined> {
    const departs = new Map<number, SeenChange | undefined>()
    for (const key of this.#best.meet(group, this.#globalBest)) {
      const change = this.#change(key, this.#best, group)
      // Changes of one number are one object.
      if (change !== this.general.get(key)) departs.set(key, change)
    }
    return departs
  }

  #change(key: number, { before, after }: Best, group: Arrivals): SeenChange | undefined {
    const [was, is] = [before[key] ?? NONE, after[key] ?? NONE]
    if (was === NONE && is === NONE) return undefined
    const giver = was === NONE ? undefined : this.#sets.at(was)
    const next = is === NONE ? undefined : this.#sets.at(is)
    const isSame = giver !== undefined && giver.origin === next?.origin
    if (isSame && !this.#sets.isChanged(giver.origin, key)) return undefined
    const certain = [was, is].some(strength => strength !== NONE && this.#sets.rankAt(strength) < OWN_RANK)
    const reason =
      isSame || giver === undefined || next === undefined ? 0 : this.#reason(key, giver.origin, is, group)
    const count = this.#sets.before.length + 1
    const number = ((key * count + (giver?.origin ?? -1) + 1) * count + (next?.origin ?? -1) + 1) * 5 + reason
    const known = this.#changes.get(number)
    if (known !== undefined) return known
    const name = this.#sets.keys[key]
    if (name === undefined) return undefined
    const change = { key: name, before: giver?.set, after: next?.set, why: REASONS[reason], certain }
    this.#changes.set(number, change)
    return change
  }

  /** Why the set that gave it has to stand back, as a place in `REASONS`. */
  #reason(key: number, loser: number, winner: number, group: Arrivals): number {
    const from = this.#sets.after[loser]
    const name = this.#sets.keys[key]
    if (from === undefined || name === undefined || !from.set.held.has(name)) return REASONS.indexOf('gone')
    const strength = Math.min(this.#strengthIn(group, loser), this.#strengthIn(this.#global, loser))
    if (strength === NONE) return REASONS.indexOf('gone')
    const source = (of: number) => ({ rank: this.#sets.rankAt(of), name: '', id: '' })
    return REASONS.indexOf(reasonFor(source(winner), source(strength)))
  }

  /** On its best way there afterwards. Made once a group, and only where somebody asks. */
  #strengthIn(arrivals: Arrivals, origin: number): number {
    let best = this.#bestAfter.get(arrivals)
    if (best === undefined) {
      best = bestByOrigin(arrivals.after)
      this.#bestAfter.set(arrivals, best)
    }
    return best.get(origin) ?? NONE
  }
}

function bestByOrigin(arrivals: readonly Arrival[]): ReadonlyMap<number, number> {
  const best = new Map<number, number>()
  for (const { from, strength } of arrivals) {
    const known = best.get(from.origin)
    if (known === undefined || strength < known) best.set(from.origin, strength)
  }
  return best
}

const NONE = Number.POSITIVE_INFINITY
const NOBODY: Arrivals = { before: [], after: [] }

/** The strongest for each key, before and after; used again for group after group. */
class Best {
  readonly before: Float64Array
  readonly after: Float64Array
  readonly #met: Int32Array
  #round = 0

  constructor(keys: number) {
    this.before = new Float64Array(keys).fill(NONE)
    this.after = new Float64Array(keys).fill(NONE)
    this.#met = new Int32Array(keys)
  }

  /** The keys that arrive; what `others` have counts for them as well. */
  meet(arrivals: Arrivals, others: Best): number[] {
    this.#round++
    const keys: number[] = []
    for (const moment of ['before', 'after'] as const) {
      const best = this[moment]
      for (const { from, strength } of arrivals[moment])
        for (const key of from.keys) {
          if (this.#met[key] !== this.#round) {
            this.#met[key] = this.#round
            this.before[key] = others.before[key] ?? NONE
            this.after[key] = others.after[key] ?? NONE
            keys.push(key)
          }
          if (strength < (best[key] ?? NONE)) best[key] = strength
        }
    }
    return keys
  }
}
