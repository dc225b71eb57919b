import { compareText } from '../model/diagnostic.ts'
import type { ResolvedSet } from '../model/variable-set.ts'
import type { BasePlan } from './base.ts'
import type { PlanOptions } from './create.ts'
import type { Match, Pair } from './match.ts'
import type { Matched } from './match-states.ts'
import { mergeSet } from './merged-set.ts'
import type { ThisChange } from './only-this-change.ts'
import { desiredDigest, entryOf, type Ownership } from './ownership.ts'
import type { NamedDrift, OverwrittenSet } from './plan-data.ts'
import { NOTHING_LOOKS_SECRET } from './secrecy.ts'
import { type SecretRequest, SecretStates } from './secret-states.ts'

/** What the plan of one change leaves as it is. Pure. */
export function thisChangeOf(
  base: BasePlan,
  options: Pick<PlanOptions, keyof SecretRequest | 'looksSecret'>,
  { match, ownership }: Matched,
): ThisChange {
  const secrets = new SecretStates(match, ownership, options)
  const { looksSecret = NOTHING_LOOKS_SECRET } = options
  const before = setsIn(base)
  const targets = new Map<string, Pick<Pair, 'desired' | 'left'>>()
  const drift: NamedDrift[] = []
  const overwritten: OverwrittenSet[] = []
  for (const pair of match.pairs) {
    const was = pair.observed && before.get(pair.observed.id)
    if (pair.observed === undefined || was === undefined) continue
    const { desired, observed } = pair
    const { name: set } = desired
    const stateOf = (key: Parameters<typeof secrets.of>[1]) => secrets.of(set, key)
    const {
      target,
      items,
      overwritten: lost,
      duplicates,
      isWhole,
    } = mergeSet({ was, desired, observed }, { stateOf, looksSecret })
    if (lost.length > 0) overwritten.push({ set, id: observed.id, items: lost })
    if (isWhole) continue
    const digest = items.length === 0 ? desiredDigest(desired) : digestAfter(pair, was, ownership)
    targets.set(set, { desired: target, left: { declared: desired, digest, duplicates } })
    if (items.length > 0) drift.push({ set, id: observed.id, what: 'differs', items })
  }
  const missing = missingSets(match, before)
  const remaining = remainingSets(match, base)
  return {
    targets,
    missing: new Set(missing.map(([{ name }]) => name)),
    edited: missing.flatMap(([set, was]) => (desiredDigest(was) === desiredDigest(set) ? [] : set)),
    remaining: new Set(remaining.map(({ id }) => id)),
    overwritten: overwritten.toSorted((a, b) => compareText(a.set, b.set)),
    drift: drift
      .concat(
        ...missing.map(([{ name: set }]) => ({ set, what: 'missing', items: [] }) as const),
        ...remaining.map(({ id, name: set }) => ({ set, id, what: 'remains', items: [] }) as const),
      )
      .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.id ?? '', b.id ?? '')),
  }
}

/** The sets of the base by id; those that the service does not have by `new` and their name. */
const setsIn = ({ match }: BasePlan): ReadonlyMap<string, ResolvedSet> =>
  new Map(match.pairs.map(({ desired, observed }) => [observed?.id ?? `new ${desired.name}`, desired]))

/** Sets that base and files declare and the service does not have, as in the files and as in the base. */
const missingSets = (
  { pairs }: Match,
  before: ReadonlyMap<string, ResolvedSet>,
): (readonly [ResolvedSet, ResolvedSet])[] =>
  pairs.flatMap(({ desired, observed }) => {
    if (observed !== undefined) return []
    const names = [desired.name, ...desired.previousNames]
    return names
      .flatMap(name => {
        const was = before.get(`new ${name}`)
        return was === undefined ? [] : [[desired, was] as const]
      })
      .slice(0, 1)
  })

const remainingSets = ({ removals }: Match, base: BasePlan) => {
  const removed = new Set(base.match.removals.map(({ observed }) => observed.id))
  return removals.flatMap(({ observed }) => (removed.has(observed.id) ? [observed] : []))
}

/**
 * What the inventory records as last applied. If the base was, the head is now, because everything else of it was applied before.
 * Otherwise something was merged and never applied, so the entry stays. `undefined`: nothing is recorded.
 */
function digestAfter(pair: Pair, was: ResolvedSet, ownership: Ownership): string | undefined {
  const entry = entryOf(pair, ownership)
  if (entry === undefined || entry.damaged) return undefined
  return entry.digest === desiredDigest(was) ? desiredDigest(pair.desired) : entry.digest
}
