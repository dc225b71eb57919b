import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { NO_FIELDS, NO_SETTINGS } from '../model/fields.ts'
import type { ProjectId, VariableKey, VariableSetId } from '../model/ids.ts'
import type { Inventory, InventoryEntry } from '../model/inventory.ts'
import {
  type Directory,
  type ObservedSet,
  type ObservedState,
  partlyKnown,
  type ResolvedState,
} from '../model/variable-set.ts'
import type { Match } from './match.ts'

/** A set that is not ours, with just enough to find clashes of names and global keys. */
export interface OtherSet {
  readonly id: VariableSetId
  readonly name: string
  readonly global: boolean
  readonly priority: boolean
  readonly parent?: ProjectId
  /** Of a global set; empty for any other. */
  readonly keys: readonly VariableKey[]
}

/** What a plan without credentials needs. Holds no secrets and no fingerprints. */
export interface Snapshot {
  readonly format: 1
  readonly organization: string
  readonly address: string
  /** ISO 8601. */
  readonly takenAt: string
  readonly sets: readonly ObservedSet[]
  readonly others: readonly OtherSet[]
  readonly inventories: readonly Inventory[]
  readonly directory: Directory
}

/** A snapshot with the sets that the files declare, rename or remove, and those in our inventory. */
export function snapshotOf(
  desired: ResolvedState,
  observed: ObservedState,
  match: Match,
  taken: Pick<Snapshot, 'address' | 'takenAt' | 'directory'>,
): Snapshot {
  const { pairs, removals } = match
  const inventories = observed.inventories ?? []
  const ours = new Set<VariableSetId>([
    ...pairs.flatMap(({ observed }) => observed?.id ?? []),
    ...removals.map(({ observed }) => observed.id),
    ...inventories.flatMap(({ owner, entries }) =>
      owner === desired.owner ? entries.map(({ setId }) => setId) : [],
    ),
  ])
  return {
    format: 1,
    organization: desired.organization,
    ...taken,
    // Permissions of this token do not matter to a later plan.
    sets: observed.sets
      .filter(set => ours.has(set.id))
      .map(({ unwritable: _, ownerNotShown: __, projectsNotShown: ___, ...set }) => set),
    others: observed.sets.filter(set => !ours.has(set.id)).map(otherSet),
    inventories: inventories.map(inventory => withoutFingerprints(inventory, set => ours.has(set))),
  }
}

const otherSet = ({ id, name, global, priority, parent, variables }: ObservedSet): OtherSet => ({
  id,
  name,
  global,
  priority,
  parent,
  keys: global ? variables.map(({ key }) => key) : [],
})

/** Of other owners, only what they record of sets that are declared here: an adoption takes it along. */
const withoutFingerprints = (
  { owner, id, updatedAt, entries }: Inventory,
  isOurs: (id: VariableSetId) => boolean,
): Inventory => ({
  owner,
  id,
  updatedAt,
  entries: entries.map(entry =>
    isOurs(entry.setId)
      ? { ...entry, secrets: recordsOf(entry) }
      : { ...entry, external: undefined, secrets: {} },
  ),
})

const recordsOf = ({ secrets }: Pick<InventoryEntry, 'secrets'>): InventoryEntry['secrets'] =>
  Object.fromEntries(
    Object.entries(secrets).flatMap(([key, record]) => {
      if (record === undefined) return []
      const { fingerprint: _, ...rest } = record
      return [[key, rest]]
    }),
  )

/** The observed state in a snapshot. */
export const observedIn = ({ organization, sets, others, inventories }: Snapshot): ObservedState => ({
  organization,
  sets: [...sets, ...others.map(placeholderSet)],
  partial: true,
  inventories,
  pages: 1,
})

const placeholderSet = ({ keys, ...other }: OtherSet): ObservedSet =>
  partlyKnown({
    ...NO_SETTINGS,
    ...other,
    variables: keys.map((key, at) => ({ id: `var-${at}`, key, value: { hidden: true }, ...NO_FIELDS })),
  })

/** Errors for declared sets of which the snapshot holds only the name, because they cannot be planned. */
export function notInSnapshot(desired: ResolvedState, { others }: Snapshot): Diagnostic[] {
  const names = new Set(others.map(({ name }) => name))
  const ids = new Set<string>(others.map(({ id }) => id))
  const means = (id = '', ...called: readonly string[]): boolean =>
    ids.has(id) || called.some(name => names.has(name))
  return [
    ...desired.sets.filter(({ id, name, previousNames }) => means(id, name, ...previousNames)),
    ...desired.removed
      .filter(({ id, name = '' }) => means(id, name))
      .map(({ id = '', name = id, source }) => ({ name, source })),
  ].map(({ name, source }) =>
    mistake(
      'not-in-snapshot',
      `The service has ${JSON.stringify(name)}, but the snapshot contains only its name.`,
      'The files did not declare this set when the snapshot was taken. Plan with credentials instead.',
      source,
    ),
  )
}
