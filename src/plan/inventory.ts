import type { VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import { desiredDigest } from './desired-digest.ts'
import type { Draft } from './draft.ts'
import { isReplaced, type Match, type Pair } from './match.ts'
import { variablesSent } from './operation.ts'
import type { Ownership } from './ownership.ts'
import type { InventoryFacts } from './plan.ts'
import type { SecretStates } from './secrets.ts'

/** What the inventory will need, where every step succeeds. Nothing for a run without an owner. */
export function inventoryFacts(
  match: Match,
  ownership: Ownership,
  drafts: readonly Draft[],
  { fingerprints }: Pick<SecretStates, 'fingerprints'>,
): InventoryFacts {
  if (ownership.owner === undefined) return { adopted: [], requests: 0 }
  const writing = new Set(
    drafts.flatMap(({ operation }) =>
      variablesSent(operation).some(variable => 'secret' in variable.value) ? [operation.subject.name] : [],
    ),
  )
  // The deletion of what an earlier replacement left changes nothing of the set of that name.
  const changed = new Set(
    drafts.flatMap(({ operation }) => (operation.type === 'delete-set' ? [] : [operation.subject.name])),
  )
  const added = match.pairs.filter(pair => entryOf(pair, ownership) === undefined)
  const updated = match.pairs.filter(pair => {
    const entry = entryOf(pair, ownership)
    const { name } = pair.desired
    return entry !== undefined && (isOutdated(entry, pair) || writing.has(name) || fingerprints.has(name))
  })
  return {
    adopted: added.flatMap(({ desired, observed }) =>
      observed === undefined || changed.has(desired.name) ? [] : [desired.name],
    ),
    ...(fingerprints.size === 0 ? {} : { fingerprints: [...fingerprints.values()].reduce((a, b) => a + b) }),
    requests:
      (added.length > 0 ? 1 : 0) +
      updated.length +
      staleEntries(match, ownership).length +
      added.flatMap(pair =>
        pair.observed === undefined || isReplaced(pair) ? [] : ownership.elsewhere(pair.observed.id),
      ).length,
  }
}

/** Entries whose set is gone, or goes with this plan; and those of a set that is listed twice. */
export function staleEntries(match: Match, ownership: Ownership): InventoryEntry[] {
  const staying = new Set<VariableSetId>([
    ...match.pairs.flatMap(pair => (isReplaced(pair) ? [] : (pair.observed?.id ?? []))),
    ...match.untouched.map(set => set.id),
  ])
  const stale = [...ownership.entries.values()].filter(({ setId }) => !staying.has(setId))
  return [...stale, ...ownership.doubles]
}

/** A set that takes the place of another one has none yet. */
export const entryOf = (pair: Pair, ownership: Ownership): InventoryEntry | undefined =>
  pair.observed === undefined || isReplaced(pair) ? undefined : ownership.entries.get(pair.observed.id)

export const isOutdated = (entry: InventoryEntry, { desired }: Pair): boolean =>
  entry.damaged || entry.digest !== desiredDigest(desired)
