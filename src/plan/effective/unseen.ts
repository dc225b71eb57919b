import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey } from '../../model/ids.ts'
import type { UnseenVariable } from './effect.ts'
import { type Arrivals, globalArrivals, type WorkspaceGroup } from './groups.ts'
import type { Membership } from './memberships.ts'
import type { Numbered, NumberedSets } from './numbered.ts'
import type { PlacedSet } from './placed-set.ts'

/** So many are named. */
const MOST_NAMED = 50

/**
 * New variables and other values that nobody sees, although their set comes to somebody: other sets win everywhere. `all`
 * counts those that are not named, too.
 */
export function unseenVariables(
  sets: NumberedSets,
  groups: readonly WorkspaceGroup[],
  memberships: readonly Membership[],
): { readonly named: UnseenVariable[]; readonly all: number } {
  const seen = seenKeys(memberships)
  const places = placesOf(sets, groups)
  const unseen = sets.after.flatMap((now, origin) => {
    const before = sets.before[origin]
    const place = places.get(origin)
    if (now === undefined || now === before || place === undefined) return []
    return now.keys.flatMap(at => {
      const key = sets.keys[at]
      if (key === undefined || !isOther(sets, { before, origin, at, key })) return []
      if (seen.get(now.set)?.has(key) || (before !== undefined && seen.get(before.set)?.has(key))) return []
      return [{ now, key, place }]
    })
  })
  const named = unseen
    .toSorted((a, b) => compareText(a.now.set.name, b.now.set.name) || compareText(a.key, b.key))
    .slice(0, MOST_NAMED)
    .map(({ now, key, place }) => ({ set: now.set.name, key, winner: winnerIn(place, key) }))
  return { named, all: unseen.length }
}

interface UnseenCandidate {
  readonly before: Numbered | undefined
  readonly origin: number
  readonly at: number
  readonly key: VariableKey
}

const isOther = (sets: NumberedSets, { before, origin, at, key }: UnseenCandidate): boolean =>
  before?.set.held.has(key) !== true || sets.isChanged(origin, at)

function seenKeys(memberships: readonly Membership[]): ReadonlyMap<PlacedSet, ReadonlySet<VariableKey>> {
  const seen = new Map<PlacedSet, Set<VariableKey>>()
  for (const { change } of memberships)
    for (const set of [change.before, change.after])
      if (set !== undefined) {
        const keys = seen.get(set)
        if (keys === undefined) seen.set(set, new Set([change.key]))
        else keys.add(change.key)
      }
  return seen
}

type UnseenPlace = readonly Arrivals['after'][]

/** For each set that will come to somebody, what else comes to the first of them. */
function placesOf(sets: NumberedSets, groups: readonly WorkspaceGroup[]): ReadonlyMap<number, UnseenPlace> {
  const everywhere = globalArrivals(sets).after
  const places = new Map<number, UnseenPlace>()
  for (const { after } of groups) {
    const place = [after, everywhere]
    for (const { from } of after) if (!places.has(from.origin)) places.set(from.origin, place)
  }
  const [first] = groups
  if (first !== undefined)
    for (const { from } of everywhere)
      if (!places.has(from.origin)) places.set(from.origin, [first.after, everywhere])
  return places
}

function winnerIn(place: UnseenPlace, key: VariableKey): string {
  let best: { readonly name: string; readonly strength: number } | undefined
  for (const { from, strength } of place.flat())
    if (from.set.held.has(key) && strength < (best?.strength ?? Number.POSITIVE_INFINITY))
      best = { name: from.set.name, strength }
  return best?.name ?? ''
}
