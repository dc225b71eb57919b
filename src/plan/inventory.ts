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
import { variablesSent } from './operation.ts'
import type { Ownership } from './ownership.ts'
import type { SecretStates } from './secrets.ts'

/** What the run writes down about what it manages, after everything else. */
export interface InventoryFacts {
  /** Sets that exist, equal the files, and come into the inventory now. */
  readonly adopted: readonly string[]
  /** Fingerprints of secrets that exist, which this run could write down. Outside the digest: they take a key and the secrets. */
  readonly fingerprints?: number
  /** Requests it takes where every step succeeds. */
  readonly requests: number
}

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

/** SHA-256 over what a file says of a set, without its place: what the inventory remembers as last applied. */
export const desiredDigest = (set: ResolvedSet): string =>
  digestOfContents({
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.map(definitionOf),
    ...listsOf(kind => listIn(set, kind)),
  })

/** As `desiredDigest`, of contents without a place. Targets that are left out are not managed. */
const digestOfContents = (
  contents: SetSettings &
    SetOwner & {
      readonly variables: readonly Variable<DesiredValue>[]
    } & TargetLists,
): string => createHash('sha256').update(toCompactJson(contents)).digest('hex')

/**
 * Whether the service still holds what was last applied, as far as it shows it: the digest in the inventory is made again
 * from what is there. `false` means that it cannot be told, for a file may write the same thing in several ways.
 */
export function holdsLastApplied(observed: ObservedSet, entry: InventoryEntry): boolean {
  if (entry.damaged) return false
  const variables = observed.variables.map(one => asApplied(one, entry))
  return selections(TARGET_KINDS.filter(kind => observed[kind] !== undefined)).some(managed => {
    const lists = listsOf(kind => (managed.includes(kind) ? listIn(observed, kind) : undefined))
    return (
      digestOfContents({ ...settingsOf(observed), ...ownerOf(observed), variables, ...lists }) ===
      entry.digest
    )
  })
}

/** Every choice of what the files may manage. */
const selections = (kinds: readonly TargetKind[]): readonly (readonly TargetKind[])[] =>
  kinds.reduce<readonly (readonly TargetKind[])[]>(
    (choices, kind) => choices.flatMap(chosen => [[...chosen, kind], chosen]),
    [[]],
  )

/** A sensitive variable is the reference that was written, or one whose value was left to the service. */
function asApplied(variable: ObservedVariable, { secrets }: InventoryEntry): Variable<DesiredValue> {
  const { key, value } = variable
  return { key, value: 'text' in value ? value : referenceOf(secrets[key]), ...fieldsOf(variable) }
}

const referenceOf = (record: InventoryEntry['secrets'][`env/${string}`]): DesiredValue =>
  record === undefined
    ? { external: true }
    : { secret: { name: record.name, ...(record.version === undefined ? {} : { version: record.version }) } }
