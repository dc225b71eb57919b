import type { SetOwner, SetSettings } from '../model/fields.ts'
import { idsOf, type VariableKey } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import { flat } from '../model/lists.ts'
import type { DesiredValue, ObservedSet, ObservedState, Variable } from '../model/variable-set.ts'
import {
  addedItem,
  type Item,
  itemsOf,
  type Operation,
  type RewriteReason,
  setKeyOf,
  targetItems,
} from './operation.ts'

/** Whether the item is gone afterwards. */
export const takesAway = (item: Item): boolean =>
  item.kind === 'target' ? !item.assigned : item.after === undefined

/** Whether an operation makes something new, which sending it twice would duplicate. */
export const duplicatesIfResent = (operation: Operation): boolean =>
  itemsOf(operation).some(
    item => item.kind !== 'target' && item.before === undefined && item.after !== undefined,
  )

/** The items of an operation, including the contents of a set that is created or deleted. */
export const allItemsOf = (operation: Operation): readonly Item[] =>
  itemsOf(operation).flatMap(item => (item.kind === 'set' ? [item, ...itemsIn(item)] : [item]))

/** The variable of an operation on one variable. */
export function variableOf(operation: Operation): VariableKey | undefined {
  const [item, ...others] = itemsOf(operation)
  return item?.kind === 'variable' && others.length === 0 ? item.key : undefined
}

/** The variables that an operation sends, including `external` ones. */
export const variablesSent = (operation: Operation): readonly Variable<DesiredValue>[] =>
  flat(
    itemsOf(operation).map(item => {
      if (item.kind === 'set') return item.after?.variables ?? []
      return item.kind === 'variable' && item.after !== undefined ? [item.after] : []
    }),
  )

/** The variables whose secrets an operation sends. */
export const secretsSent = (operation: Operation): readonly VariableKey[] =>
  variablesSent(operation)
    .filter(({ value }) => 'secret' in value)
    .map(({ key }) => key)

/**
 * A rewrite that only a run with key and secrets can know. Not in the digest, and it may appear or vanish between
 * review and apply (docs/decisions/0007-inventory.md).
 */
export const isOutsideDigest = (operation: Operation): boolean => rewriteOf(operation) === 'value-changed'

/** Why a secret is written although nothing else about its variable differs. */
export const rewriteOf = (operation: Operation): RewriteReason | undefined =>
  operation.type === 'update-variable' ? operation.rewrite : undefined

/** The items that an operation deletes. A new set deletes nothing, so its variables are skipped. */
export const removedItems = (operation: Operation): readonly Item[] =>
  operation.type === 'create-set' ? [] : allItemsOf(operation).filter(takesAway)

/** The variables and targets of a set that is created or deleted. */
export const itemsIn = ({ before, after }: Extract<Item, { kind: 'set' }>): readonly Item[] => [
  ...(before?.variables ?? []).map(
    (gone): Item => ({ kind: 'variable', key: gone.key, before: gone, isHalf: false }),
  ),
  ...targetItems(idsOf(before ?? {}), false),
  ...(after?.variables ?? []).map(addedItem),
  ...targetItems(idsOf(after ?? {}), true),
]

/** Finds the observed set of an operation; for a new set by name and owner. */
export function setFinder({
  sets,
}: Pick<ObservedState, 'sets'>): (operation: Operation) => ObservedSet | undefined {
  const places = new Map<string, ObservedSet>()
  // Some services take a name twice. The first set counts.
  for (const set of sets.toReversed()) places.set(set.id, set).set(newSetKey(set), set)
  return operation =>
    places.get(operation.type === 'create-set' ? newSetKey(operation.after) : operation.subject.id)
}

const newSetKey = ({ name, parent }: SetSettings & SetOwner): string => `new ${parent ?? ''} ${name}`

/**
 * Whether an operation asks again for something that was sent. A creation asks again if `sent` wrote to a set of the same name, whose
 * creation may have been lost.
 */
export function repeats(sent: Operation): (asked: Operation) => boolean {
  const covers = coverOf(sent)
  return asked =>
    asked.type === 'create-set'
      ? sent.type !== 'delete-set' && sent.subject.name === asked.subject.name
      : covers(asked)
}

/** Whether an operation only repeats what `done` was for. */
function coverOf(done: Operation): (asked: Operation) => boolean {
  const isMade = done.type === 'create-set'
  const wanted = isMade ? itemsIn({ kind: 'set', after: done.after }) : itemsOf(done)
  // Of a created set, only missing parts count: what differs was not sent.
  const covers = (asked: Item): boolean =>
    !(isMade && asked.kind === 'variable' && asked.before !== undefined) &&
    wanted.some(item => includes(item, asked))
  return asked => {
    const { id, name } = done.subject
    const isSameSet = id === undefined ? name === asked.subject.name : id === asked.subject.id
    return isSameSet && itemsOf(asked).every(covers)
  }
}

/** Whether one wanted item includes the other. */
function includes(wanted: Item, asked: Item): boolean {
  switch (asked.kind) {
    // A set that is not shown may be late.
    case 'set':
      return wanted.kind === 'set' && wanted.after === undefined && asked.after === undefined
    case 'setting':
      return wanted.kind === 'setting' && wanted.name === asked.name
    case 'variable':
      if (wanted.kind !== 'variable') return false
      return asked.after === undefined
        ? wanted.after === undefined && wanted.id === asked.id
        : wanted.after !== undefined && wanted.key === asked.key
    case 'target':
      return wanted.kind === 'target' && wanted.id === asked.id && wanted.assigned === asked.assigned
  }
}

/**
 * An item as origins name it: `set` for a whole set, the name of a setting, the key of a variable, or the id of a
 * workspace, project or Stack.
 */
export type ItemName = string

/** The new value as comparable text, computed on demand. */
export type Become = () => string

const GONE: Become = () => 'gone'
const ASSIGNED: Become = () => 'assigned'

/** All changed items by set and name. */
export function changedItems(operations: readonly Operation[]): Map<string, Map<ItemName, Become>> {
  const places = new Map<string, Map<ItemName, Become>>()
  for (const operation of operations) {
    const place = setKeyOf(operation)
    const items = places.get(place) ?? new Map<ItemName, Become>()
    places.set(place, items)
    for (const [name, become] of changesOf(operation)) items.set(name, become)
  }
  return places
}

/** The changed items of one operation. Of a replacement, the second half tells what becomes of the item. */
export const changesOf = (operation: Operation): readonly (readonly [ItemName, Become])[] =>
  itemsOf(operation).flatMap(named)

function named(item: Item): readonly (readonly [ItemName, Become])[] {
  switch (item.kind) {
    case 'set': {
      const { after } = item
      return [['set', after === undefined ? GONE : () => toCompactJson(after)]]
    }
    case 'setting': {
      const { name, before, after } = item
      return before === after ? [] : [[name, () => String(after)]]
    }
    case 'variable': {
      const { key, after } = item
      return [[key, after === undefined ? GONE : () => toCompactJson(after)]]
    }
    case 'target':
      return [[item.id, item.assigned ? ASSIGNED : GONE]]
  }
}
