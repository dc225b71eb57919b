import { createHash } from 'node:crypto'
import { compareText, type Diagnostic, mistake, warning } from '../model/diagnostic.ts'
import {
  attributesInDigest,
  fieldsOf,
  NO_DETAILS,
  NO_FIELDS,
  ownerOf,
  type SetDetails,
  serviceNameOf,
  type VariableFields,
} from '../model/fields.ts'
import {
  listIn,
  listsOf,
  TARGET_KINDS,
  type TargetKind,
  type TargetLists,
  type VariableSetId,
} from '../model/ids.ts'
import { type ExternalState, type Inventory, type InventoryEntry, ownersOf } from '../model/inventory.ts'
import { toCompactJson } from '../model/json.ts'
import { append } from '../model/lists.ts'
import { flagWith, selects } from '../model/names.ts'
import type {
  DesiredValue,
  DesiredVariable,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  ResolvedSet,
  ResolvedState,
  Variable,
} from '../model/variable-set.ts'
import type { Draft } from './draft.ts'
import { secretsSent } from './items.ts'
import { declaredIn, type Match, type Pair } from './match.ts'

/** Who manages which observed set, as the inventories say (docs/secrets.md#the-inventory). */
export class Ownership {
  /** Our owner name; without one there is no inventory of ours. */
  readonly owner: string | undefined
  readonly entries: ReadonlyMap<VariableSetId, InventoryEntry>
  /** Our inventories: none yet, one, or two after two concurrent first applies. */
  readonly own: readonly Inventory[]
  /** Duplicate entries of ours, from two concurrent runs. */
  readonly duplicates: readonly InventoryEntry[]
  /** Our entries whose set the service lacks, although no file asks to delete it. */
  readonly gone: readonly InventoryEntry[]
  readonly #owners: ReadonlyMap<VariableSetId, string>
  /** Our sets that have another name than when they were recorded; of entries of 0.2, those whose name no file declares. */
  readonly #renamed: readonly InventoryEntry[]
  /** Entries of other owners by set: with thousands of entries a search for each set takes too long. */
  readonly #entriesOfOthers = new Map<VariableSetId, { inventory: Inventory; entry: InventoryEntry }[]>()

  constructor(desired: ResolvedState, observed: ObservedState) {
    const inventories = observed.inventories ?? []
    this.owner = desired.owner
    this.own = inventories.filter(({ owner }) => owner === desired.owner)
    this.#owners = ownersOf(inventories)
    for (const inventory of inventories) {
      if (inventory.owner === desired.owner) continue
      for (const entry of inventory.entries) append(this.#entriesOfOthers, entry.setId, { inventory, entry })
    }
    this.entries = new Map(
      this.own.flatMap(({ entries }) => entries.map(entry => [entry.setId, entry] as const)),
    )
    this.duplicates = this.own.flatMap(({ entries }) =>
      entries.filter(entry => this.entries.get(entry.setId) !== entry),
    )
    const known = new Set<VariableSetId | undefined>([
      ...observed.sets.map(({ id }) => id),
      ...desired.removed.map(({ id }) => id),
    ])
    this.gone = [...this.entries.values()].filter(({ setId }) => !known.has(setId))
    const declared = new Set(desired.sets.map(serviceNameOf))
    this.#renamed = observed.sets.flatMap(({ id, name }) => {
      const entry = this.entries.get(id)
      if (entry === undefined || entry.damaged || entry.name === name) return []
      return entry.name === undefined && declared.has(name) ? [] : [entry]
    })
  }

  of(set: Pick<ObservedSet, 'id'>): string | undefined {
    return this.#owners.get(set.id)
  }

  /** We list the set, and its owner has not changed since. A set that a project took over is not ours to prune. */
  isListed({ id, parent }: Pick<ObservedSet, 'id' | 'parent'>): boolean {
    const entry = this.entries.get(id)
    return entry !== undefined && entry.parent === parent
  }

  /** Another owner lists the set, and we do not. */
  isOfAnotherOwner(set: Pick<ObservedSet, 'id'>): boolean {
    const owner = this.of(set)
    return owner !== undefined && owner !== this.owner && !this.entries.has(set.id)
  }

  /** The other owner that lists the set. */
  otherOwnerOf(id: VariableSetId): string | undefined {
    return this.#entriesOfOthers.get(id)?.[0]?.inventory.owner
  }

  /** Another owner has taken the set over from us. */
  isMoved(set: Pick<ObservedSet, 'id'>): boolean {
    if (this.owner === undefined || !this.isOfAnotherOwner(set)) return false
    return this.#entriesOfOthers.get(set.id)?.some(({ entry }) => entry.from === this.owner) === true
  }

  /**
   * What an inventory records of a set: our entry, else that of the owner from whom it is adopted. Of theirs, a write of a secret
   * counts only if the service still shows its version; otherwise just the reference is known.
   */
  recordedOf({ id, variables }: ObservedSet): InventoryEntry | undefined {
    const [theirs] = this.owner === undefined ? [] : (this.#entriesOfOthers.get(id) ?? [])
    const ours = this.entries.get(id)
    if (ours !== undefined || theirs === undefined) return ours
    const secrets = Object.entries(theirs.entry.secrets).flatMap(([key, record]) => {
      if (record === undefined) return []
      const isShown = variables.some(one => one.key === key && one.versionId === record.versionId)
      return [[key, record.versionId !== undefined && isShown ? record : { name: record.name }]]
    })
    return { ...theirs.entry, secrets: Object.fromEntries(secrets) }
  }

  /** Our sets that somebody renamed since they were recorded under this name. An entry of 0.2 has no name, and its digest covers it. */
  recordedAs(wanted: string, set?: ResolvedSet): readonly VariableSetId[] {
    return this.#renamed
      .filter(({ name, digest }) =>
        name === undefined ? set !== undefined && digest === desiredDigest(set) : name === wanted,
      )
      .map(({ setId }) => setId)
  }

  /** Whether a set that the service lacks was there when we recorded it. As above, an entry of 0.2 tells it only of an unchanged file. */
  wasThere(set: ResolvedSet): boolean {
    const names = [serviceNameOf(set), ...set.previousNames]
    return this.gone.some(({ name, parent, digest }) =>
      name === undefined ? digest === desiredDigest(set) : parent === set.parent && names.includes(name),
    )
  }

  /** Entries of other owners, which a takeover has to remove. */
  entriesOfOthers(id: VariableSetId): readonly InventoryEntry[] {
    return (this.#entriesOfOthers.get(id) ?? []).map(({ entry }) => entry)
  }

  /** No inventory lists the set. */
  isUnlisted(set: Pick<ObservedSet, 'id'>): boolean {
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
  const theirs = [...declared, ...removed].flatMap(({ name, observed: set, source }) =>
    set === undefined ||
    source === undefined ||
    !ownership.isOfAnotherOwner(set) ||
    selects(adopt, { name, id: set.id })
      ? []
      : [{ name, source, owner: ownership.of(set) }],
  )
  // Several sets of one other owner: this repository may have been called so.
  const isRenamed = theirs.length > 1 && new Set(theirs.map(({ owner }) => owner)).size === 1
  const refused = theirs.map(({ name, owner, source }) =>
    mistake(
      'owned-by-another',
      `"${name}" is owned by "${owner}".`,
      [
        `Leave it to that owner. To take it over, before you remove it from their files: setpoint apply ${flagWith('--adopt', name)}`,
        ...(isRenamed
          ? [
              `If "${owner}" was the owner of this repository: setpoint apply --adopt '*' takes all ${theirs.length} sets.`,
            ]
          : []),
      ].join('\n'),
      source,
    ),
  )
  const moved = match.moved.map(({ desired: { name, source }, observed }) =>
    warning(
      'moved-to-another',
      `"${name}" moved to "${observed === undefined ? '' : ownership.of(observed)}", and this run does not change it.`,
      `Remove it from these files. To take it back: setpoint apply ${flagWith('--adopt', name)}`,
      source,
    ),
  )
  return [...refused, ...moved]
}

/** A set that `--adopt` takes from another owner. */
export interface TakenSet {
  readonly set: string
  readonly id: VariableSetId
  /** The owner that lists it. */
  readonly owner: string
}

/** What the run records in the inventory, after everything else. */
export interface InventoryFacts {
  /** Existing sets that equal the files and are added to the inventory. */
  readonly adopted: readonly string[]
  /** Sets that are taken from another owner. Agreed to with the plan: the digest covers it. */
  readonly taken: readonly TakenSet[]
  /** Requests needed if every step succeeds. */
  readonly requests: number
}

/** What the inventory needs if every step succeeds. Nothing without an owner. */
export function inventoryFacts(match: Match, ownership: Ownership, drafts: readonly Draft[]): InventoryFacts {
  if (ownership.owner === undefined) return { adopted: [], taken: [], requests: 0 }
  const namesOf = (some: readonly Draft[]) => new Set(some.map(({ operation }) => operation.subject.name))
  const writing = namesOf(drafts.filter(({ operation }) => secretsSent(operation).length > 0))
  const changed = namesOf(drafts.filter(({ operation }) => operation.type !== 'delete-set'))
  const pairs = match.pairs.filter(pair => digestToRecord(pair) !== undefined)
  const added = pairs.filter(pair => entryOf(pair, ownership) === undefined)
  const updated = pairs.filter(pair => {
    const entry = entryOf(pair, ownership)
    const isNew = entry !== undefined && (entry.damaged || entry.digest !== digestToRecord(pair))
    return isNew || (entry !== undefined && writing.has(pair.desired.name))
  })
  return {
    adopted: added.flatMap(({ desired, observed }) =>
      observed === undefined || changed.has(desired.name) ? [] : [desired.name],
    ),
    taken: takenSets(match, ownership),
    requests:
      (ownership.own.length > 0 ? added.length : Math.min(1, added.length)) +
      updated.length +
      staleEntries(match, ownership).length +
      added.flatMap(pair => (pair.observed === undefined ? [] : ownership.entriesOfOthers(pair.observed.id)))
        .length,
  }
}

/** `--adopt` let these through. */
const takenSets = ({ pairs, removals }: Match, ownership: Ownership): TakenSet[] =>
  [
    ...pairs.map(({ desired, observed }) => ({ set: desired.name, observed })),
    ...removals.map(({ observed }) => ({ set: observed.name, observed })),
  ].flatMap(({ set, observed }) => {
    const owner = observed && ownership.isOfAnotherOwner(observed) ? ownership.of(observed) : undefined
    return observed === undefined || owner === undefined ? [] : { set, id: observed.id, owner }
  })

/** Entries whose set is gone or is deleted by this plan, and duplicate entries. */
export function staleEntries(match: Match, ownership: Ownership): InventoryEntry[] {
  const staying = new Set<VariableSetId>([
    ...match.pairs.flatMap(pair => pair.observed?.id ?? []),
    ...match.untouched.map(set => set.id),
  ])
  const stale = [...ownership.entries.values()].filter(({ setId }) => !staying.has(setId))
  return [...stale, ...ownership.duplicates]
}

export const entryOf = (pair: Pair, ownership: Ownership): InventoryEntry | undefined =>
  pair.observed && ownership.entries.get(pair.observed.id)

/** Whether the entry is not of the set as in the files. */
export const isOutdated = (entry: InventoryEntry, pair: Pair): boolean =>
  entry.damaged || entry.digest !== desiredDigest(declaredIn(pair))

/** What an external variable is in the service; `undefined` for any other. */
export function externalState(
  { key, value }: DesiredVariable,
  observed: Pick<ObservedSet, 'variables'> | undefined,
): ExternalState | undefined {
  if (!('external' in value)) return undefined
  const there = observed?.variables.find(one => one.key === key)
  if (there === undefined) return 'missing'
  return 'hidden' in there.value ? 'sensitive' : 'readable'
}

/** What to record as last applied; `undefined`: the entry of the set stays as it is. */
export const digestToRecord = ({ desired, left }: Pair): string | undefined =>
  left === undefined ? desiredDigest(desired) : left.digest

/** SHA-256 over a set as its file declares it, without line numbers: what the inventory records as last applied. */
export const desiredDigest = (set: ResolvedSet): string =>
  digestOfContents(
    set,
    set.variables,
    listsOf(kind => listIn(set, kind)),
  )

/** As `desiredDigest`. Kinds of targets that are left out are not managed. */
function digestOfContents(
  set: ObservedSet | ResolvedSet,
  variables: readonly Variable<DesiredValue>[],
  lists: TargetLists,
): string {
  const contents = {
    name: serviceNameOf(set),
    ...attributesInDigest<SetDetails>(set, NO_DETAILS),
    ...ownerOf(set),
    variables: variables.map(one => ({
      key: one.key,
      value: one.value,
      ...attributesInDigest<VariableFields>(one, NO_FIELDS),
    })),
    ...lists,
  }
  return createHash('sha256').update(toCompactJson(contents)).digest('hex')
}

/**
 * Whether the service still holds what was last applied, by computing the digest from what it shows. `false` means
 * unknown, because a file may write the same thing in several ways. `declared`: the set in the files, whose external variables are
 * not ours, so that a missing or readable one says nothing about the rest.
 */
export function holdsLastApplied(
  observed: ObservedSet,
  entry: InventoryEntry,
  declared?: Pick<ResolvedSet, 'variables'>,
): boolean {
  if (entry.damaged) return false
  const external = new Map(
    declared?.variables.flatMap(one => ('external' in one.value ? [[one.key, one] as const] : [])),
  )
  const variables = observed.variables.map(one => asApplied(one, entry, external.has(one.key)))
  for (const { key } of observed.variables) external.delete(key)
  for (const one of external.values()) variables.push(one)
  variables.sort((a, b) => compareText(a.key, b.key))
  // Another name is drift of its own, and says nothing about the rest.
  const named = { ...observed, name: entry.name ?? observed.name }
  return selections(TARGET_KINDS.filter(kind => observed[kind] !== undefined)).some(managed => {
    const lists = listsOf(kind => (managed.includes(kind) ? listIn(observed, kind) : undefined))
    return digestOfContents(named, variables, lists) === entry.digest
  })
}

/** Every combination of kinds that the files may manage. */
const selections = (kinds: readonly TargetKind[]): readonly (readonly TargetKind[])[] =>
  kinds.reduce<readonly (readonly TargetKind[])[]>(
    (choices, kind) => choices.flatMap(chosen => [[...chosen, kind], chosen]),
    [[]],
  )

/** A sensitive variable counts as the reference last written, or as external. */
function asApplied(
  variable: ObservedVariable,
  { secrets }: InventoryEntry,
  isExternal: boolean,
): Variable<DesiredValue> {
  const { key, value } = variable
  const applied =
    'text' in value ? (isExternal ? { external: true as const } : value) : referenceOf(secrets[key])
  return { key, value: applied, ...fieldsOf(variable) }
}

const referenceOf = (record: InventoryEntry['secrets'][`env/${string}`]): DesiredValue =>
  record === undefined ? { external: true } : { secret: { name: record.name, version: record.version } }
