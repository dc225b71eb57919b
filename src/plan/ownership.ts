import { commandWord, type Diagnostic } from '../model/diagnostic.ts'
import type { VariableId, VariableSetId } from '../model/ids.ts'
import { type Inventory, type InventoryEntry, ownersOf } from '../model/inventory.ts'
import { selects } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedState } from '../model/variable-set.ts'
import type { Match } from './match.ts'

/** Who manages which observed set, as the inventories say (docs/inventory.md). */
export class Ownership {
  /** Who we are; none: there is no inventory of ours. */
  readonly owner: string | undefined
  readonly entries: ReadonlyMap<VariableSetId, InventoryEntry>
  /** Inventories of ours: one, or none yet; two where two first applies raced. */
  readonly own: readonly Inventory[]
  /** Entries of ours for sets that `entries` has already: two runs listed a set at once. */
  readonly doubles: readonly InventoryEntry[]
  readonly #owners: ReadonlyMap<VariableSetId, string>
  readonly #others: readonly Inventory[]

  constructor(desired: ResolvedState, observed: ObservedState) {
    const inventories = observed.inventories ?? []
    this.owner = desired.owner
    this.own = inventories.filter(({ owner }) => owner === desired.owner)
    this.#owners = ownersOf(inventories)
    this.#others = inventories.filter(({ owner }) => owner !== desired.owner)
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

  /** We list it, and it belongs to whom it belonged then: what a project took over since is not ours to prune. */
  isListed({ id, parent }: Pick<ObservedSet, 'id' | 'parent'>): boolean {
    const entry = this.entries.get(id)
    return entry !== undefined && (entry.damaged ? parent === undefined : entry.parent === parent)
  }

  /** Another owner lists it, and we do not. */
  isForeign(set: Pick<ObservedSet, 'id'>): boolean {
    const owner = this.of(set)
    return owner !== undefined && owner !== this.owner && !this.entries.has(set.id)
  }

  /** Another owner than we that lists it. */
  otherOwnerOf(id: VariableSetId): string | undefined {
    return this.#others.find(({ entries }) => entries.some(entry => entry.setId === id))?.owner
  }

  /** Another owner has taken it over from us. */
  isMoved(set: Pick<ObservedSet, 'id'>): boolean {
    if (this.owner === undefined || !this.isForeign(set)) return false
    return this.#others.some(({ entries }) =>
      entries.some(entry => entry.setId === set.id && entry.from === this.owner),
    )
  }

  /** Which inventory of ours has an entry. */
  homeOf(entry: InventoryEntry): VariableSetId | undefined {
    return this.own.find(({ entries }) => entries.includes(entry))?.id
  }

  /** Where others list it: what a takeover has to strike out. */
  elsewhere(id: VariableSetId): { readonly inventory: VariableSetId; readonly variable: VariableId }[] {
    return this.#others.flatMap(({ id: inventory, entries }) =>
      entries.flatMap(entry => (entry.setId === id ? [{ inventory, variable: entry.variableId }] : [])),
    )
  }

  /** Nobody lists it. */
  isUnclaimed(set: Pick<ObservedSet, 'id'>): boolean {
    return this.of(set) === undefined
  }
}

/**
 * A set that another owner lists may not be declared or removed here, unless its name was given to `--adopt`. One that moved
 * there from here is left to them until the files let go of it.
 */
export function checkOwners(match: Match, ownership: Ownership, adopt: readonly string[]): Diagnostic[] {
  const declared = match.pairs.flatMap(({ desired, observed }) =>
    observed === undefined ? [] : [{ set: observed, name: desired.name, source: desired.source }],
  )
  const removed = match.removals.flatMap(({ observed, source }) =>
    source === undefined ? [] : [{ set: observed, name: observed.name, source }],
  )
  const refused = [...declared, ...removed]
    .filter(({ set, name }) => ownership.isForeign(set) && !selects(adopt, { name, id: set.id }))
    .map(
      ({ set, name, source }): Diagnostic => ({
        severity: 'error',
        code: 'owned-by-another',
        message: `"${name}" is owned by "${ownership.of(set)}".`,
        hint: `Leave it to them. To take it over: setpoint apply --adopt ${commandWord(name)} here, then take it out of their files.`,
        source,
      }),
    )
  const moved = match.moved.map(
    ({ desired: { name, source }, observed }): Diagnostic => ({
      severity: 'warning',
      code: 'moved-to-another',
      message: `"${name}" moved to "${observed === undefined ? '' : ownership.of(observed)}", and is left to them.`,
      hint: `Take it out of these files. To take it back: setpoint apply --adopt ${commandWord(name)}`,
      source,
    }),
  )
  return [...refused, ...moved]
}
