import { commandWord, type Diagnostic, mistake, warning } from '../model/diagnostic.ts'
import type { VariableId, VariableSetId } from '../model/ids.ts'
import { type Inventory, type InventoryEntry, ownersOf } from '../model/inventory.ts'
import { append } from '../model/lists.ts'
import { selects } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedState } from '../model/variable-set.ts'
import type { Match } from './match.ts'

/** Who manages which observed set, as the inventories say (docs/inventory.md). */
export class Ownership {
  /** Our owner name; without one there is no inventory of ours. */
  readonly owner: string | undefined
  readonly entries: ReadonlyMap<VariableSetId, InventoryEntry>
  /** Our inventories: none yet, one, or two after two concurrent first applies. */
  readonly own: readonly Inventory[]
  /** Duplicate entries of ours, from two concurrent runs. */
  readonly doubles: readonly InventoryEntry[]
  readonly #owners: ReadonlyMap<VariableSetId, string>
  /** Entries of other owners by set: with thousands of entries a search for each set takes too long. */
  readonly #elsewhere = new Map<VariableSetId, { inventory: Inventory; entry: InventoryEntry }[]>()

  constructor(desired: ResolvedState, observed: ObservedState) {
    const inventories = observed.inventories ?? []
    this.owner = desired.owner
    this.own = inventories.filter(({ owner }) => owner === desired.owner)
    this.#owners = ownersOf(inventories)
    for (const inventory of inventories) {
      if (inventory.owner === desired.owner) continue
      for (const entry of inventory.entries) append(this.#elsewhere, entry.setId, { inventory, entry })
    }
    this.entries = new Map(
      this.own.flatMap(({ entries }) => entries.map(entry => [entry.setId, entry] as const)),
    )
    this.doubles = this.own.flatMap(({ entries }) =>
      entries.filter(entry => this.entries.get(entry.setId) !== entry),
    )
  }

  of(set: Pick<ObservedSet, 'id'>): string | undefined {
    return this.#owners.get(set.id)
  }

  /** We list the set, and its owner has not changed since. A set that a project took over is not ours to prune. */
  isListed({ id, parent }: Pick<ObservedSet, 'id' | 'parent'>): boolean {
    const entry = this.entries.get(id)
    return entry !== undefined && (entry.damaged ? parent === undefined : entry.parent === parent)
  }

  /** Another owner lists the set, and we do not. */
  isForeign(set: Pick<ObservedSet, 'id'>): boolean {
    const owner = this.of(set)
    return owner !== undefined && owner !== this.owner && !this.entries.has(set.id)
  }

  /** The other owner that lists the set. */
  otherOwnerOf(id: VariableSetId): string | undefined {
    return this.#elsewhere.get(id)?.[0]?.inventory.owner
  }

  /** Another owner has taken the set over from us. */
  isMoved(set: Pick<ObservedSet, 'id'>): boolean {
    if (this.owner === undefined || !this.isForeign(set)) return false
    return this.#elsewhere.get(set.id)?.some(({ entry }) => entry.from === this.owner) === true
  }

  /** Our inventory that holds the entry. */
  homeOf(entry: InventoryEntry): VariableSetId | undefined {
    return this.own.find(({ entries }) => entries.includes(entry))?.id
  }

  /** Entries of other owners, which a takeover has to remove. */
  elsewhere(id: VariableSetId): { readonly inventory: VariableSetId; readonly variable: VariableId }[] {
    return (this.#elsewhere.get(id) ?? []).map(({ inventory, entry }) => ({
      inventory: inventory.id,
      variable: entry.variableId,
    }))
  }

  /** No inventory lists the set. */
  isUnclaimed(set: Pick<ObservedSet, 'id'>): boolean {
    return this.of(set) === undefined
  }
}

/**
 * A set that another owner lists may not be declared or removed here without `--adopt`. A set that moved from here to
 * them is left alone until the files no longer declare it.
 */
export function checkOwners(match: Match, ownership: Ownership, adopt: readonly string[]): Diagnostic[] {
  const declared = match.pairs.map(({ desired, observed }) => ({ ...desired, observed }))
  const removed = match.removals.map(({ observed, source }) => ({ name: observed.name, observed, source }))
  const refused = [...declared, ...removed].flatMap(({ name, observed: set, source }) =>
    set === undefined ||
    source === undefined ||
    !ownership.isForeign(set) ||
    selects(adopt, { name, id: set.id })
      ? []
      : mistake(
          'owned-by-another',
          `"${name}" is owned by "${ownership.of(set)}".`,
          `Leave it to that owner. To take ownership: setpoint apply --adopt ${commandWord(name)} here, then remove it from their files.`,
          source,
        ),
  )
  const moved = match.moved.map(({ desired: { name, source }, observed }) =>
    warning(
      'moved-to-another',
      `"${name}" moved to "${observed === undefined ? '' : ownership.of(observed)}", and is left alone.`,
      `Remove it from these files. To take it back: setpoint apply --adopt ${commandWord(name)}`,
      source,
    ),
  )
  return [...refused, ...moved]
}
