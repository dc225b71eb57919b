import { createHash } from 'node:crypto'
import { fieldsOf, ownerOf, type SetOwner, type SetSettings, settingsOf } from '../model/fields.ts'
import {
  listIn,
  listsOf,
  TARGET_KINDS,
  type TargetKind,
  type TargetLists,
  type VariableSetId,
} from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import { toCompactJson } from '../model/json.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedVariable,
  ResolvedSet,
  Variable,
} from '../model/variable-set.ts'
import { type Draft, definitionOf } from './draft.ts'
import { isReplaced, type Match, type Pair } from './match.ts'
import { secretsSent } from './operation.ts'
import type { Ownership } from './ownership.ts'
import type { SecretStates } from './secrets.ts'

/** What the run records in the inventory, after everything else. */
export interface InventoryFacts {
  /** Existing sets that equal the files and are added to the inventory. */
  readonly adopted: readonly string[]
  /** Fingerprints that this run could record. Not in the digest, because they need a key and the secrets. */
  readonly fingerprints?: number
  /** Requests needed if every step succeeds. */
  readonly requests: number
}

/** What the inventory needs if every step succeeds. Nothing without an owner. */
export function inventoryFacts(
  match: Match,
  ownership: Ownership,
  drafts: readonly Draft[],
  { fingerprints }: Pick<SecretStates, 'fingerprints'>,
): InventoryFacts {
  if (ownership.owner === undefined) return { adopted: [], requests: 0 }
  const namesOf = (some: readonly Draft[]) => new Set(some.map(({ operation }) => operation.subject.name))
  const writing = namesOf(drafts.filter(({ operation }) => secretsSent(operation).length > 0))
  // Deleting a leftover of a replacement does not change the set of that name.
  const changed = namesOf(drafts.filter(({ operation }) => operation.type !== 'delete-set'))
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
    fingerprints: [...fingerprints.values()].reduce((a, b) => a + b, 0) || undefined,
    requests:
      (added.length > 0 ? 1 : 0) +
      updated.length +
      staleEntries(match, ownership).length +
      added.flatMap(pair =>
        pair.observed === undefined || isReplaced(pair) ? [] : ownership.elsewhere(pair.observed.id),
      ).length,
  }
}

/** Entries whose set is gone or is deleted by this plan, and duplicate entries. */
export function staleEntries(match: Match, ownership: Ownership): InventoryEntry[] {
  const staying = new Set<VariableSetId>([
    ...match.pairs.flatMap(pair => (isReplaced(pair) ? [] : (pair.observed?.id ?? []))),
    ...match.untouched.map(set => set.id),
  ])
  const stale = [...ownership.entries.values()].filter(({ setId }) => !staying.has(setId))
  return [...stale, ...ownership.doubles]
}

/** A set that replaces another one has no entry yet. */
export const entryOf = (pair: Pair, ownership: Ownership): InventoryEntry | undefined =>
  pair.observed === undefined || isReplaced(pair) ? undefined : ownership.entries.get(pair.observed.id)

export const isOutdated = (entry: InventoryEntry, { desired }: Pair): boolean =>
  entry.damaged || entry.digest !== desiredDigest(desired)

/** SHA-256 over a set as its file declares it, without line numbers: what the inventory records as last applied. */
export const desiredDigest = (set: ResolvedSet): string =>
  digestOfContents(
    set,
    set.variables.map(definitionOf),
    listsOf(kind => listIn(set, kind)),
  )

/** As `desiredDigest`. Kinds of targets that are left out are not managed. */
function digestOfContents(
  set: SetSettings & SetOwner,
  variables: readonly Variable<DesiredValue>[],
  lists: TargetLists,
): string {
  const contents = { ...settingsOf(set), ...ownerOf(set), variables, ...lists }
  return createHash('sha256').update(toCompactJson(contents)).digest('hex')
}

/**
 * Whether the service still holds what was last applied, by computing the digest from what it shows. `false` means
 * unknown, because a file may write the same thing in several ways.
 */
export function holdsLastApplied(observed: ObservedSet, entry: InventoryEntry): boolean {
  if (entry.damaged) return false
  const variables = observed.variables.map(one => asApplied(one, entry))
  return selections(TARGET_KINDS.filter(kind => observed[kind] !== undefined)).some(managed => {
    const lists = listsOf(kind => (managed.includes(kind) ? listIn(observed, kind) : undefined))
    return digestOfContents(observed, variables, lists) === entry.digest
  })
}

/** Every combination of kinds that the files may manage. */
const selections = (kinds: readonly TargetKind[]): readonly (readonly TargetKind[])[] =>
  kinds.reduce<readonly (readonly TargetKind[])[]>(
    (choices, kind) => choices.flatMap(chosen => [[...chosen, kind], chosen]),
    [[]],
  )

/** A sensitive variable counts as the reference last written, or as external. */
function asApplied(variable: ObservedVariable, { secrets }: InventoryEntry): Variable<DesiredValue> {
  const { key, value } = variable
  return { key, value: 'text' in value ? value : referenceOf(secrets[key]), ...fieldsOf(variable) }
}

const referenceOf = (record: InventoryEntry['secrets'][`env/${string}`]): DesiredValue =>
  record === undefined ? { external: true } : { secret: { name: record.name, version: record.version } }
