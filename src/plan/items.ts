import { SETTING_NAMES, type SetOwner, type SetSettings } from '../model/fields.ts'
import { idsOf, type TargetId, type VariableId, type VariableKey } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import type {
  DesiredValue,
  ObservedSet,
  ObservedState,
  SetContents,
  Variable,
} from '../model/variable-set.ts'
import type { Operation, OperationId, ValueBefore } from './operation.ts'

/**
 * One part of a set and what an operation does to it. A new part has no `before`, a deleted one no `after`. Only this
 * module knows what an operation is about; whether it is done, repeated, or takes something away follows from it.
 */
export type Item =
  /** A set that is created or deleted with everything in it. */
  | {
      readonly kind: 'set'
      readonly before?: SetContents<ValueBefore>
      readonly after?: SetContents<DesiredValue>
      /** The deleted half of a replacement, which a reader sees as one change. */
      readonly isHalf?: boolean
    }
  | { readonly kind: 'settings'; readonly before: SetSettings; readonly after: SetSettings }
  | VariableItem
  | { readonly kind: 'target'; readonly id: TargetId; readonly assigned: boolean }

interface VariableItem {
  readonly kind: 'variable'
  readonly key: VariableKey
  /** Id of an existing variable, unless its whole set is deleted. */
  readonly id?: VariableId
  readonly before?: Variable<ValueBefore>
  readonly after?: Variable<DesiredValue>
  /** One half of a replacement, which a reader sees as one change. */
  readonly isHalf: boolean
}

/** The items of an operation, in its order. */
export function itemsOf(operation: Operation): readonly Item[] {
  switch (operation.type) {
    case 'create-set':
      return [{ kind: 'set', after: operation.after }]
    case 'delete-set':
      return [{ kind: 'set', before: operation.before, isHalf: operation.replaced === true }]
    case 'update-set': {
      const { before, after, variables } = operation
      return [{ kind: 'settings', before, after }, ...variables.map(added)]
    }
    case 'create-variable':
      return [{ ...added(operation.after), isHalf: operation.replaces }]
    case 'update-variable': {
      const { variableId: id, before, after } = operation
      return [{ kind: 'variable', key: after.key, id, before, after, isHalf: false }]
    }
    case 'delete-variable': {
      const { variableId: id, before, replaced } = operation
      return [{ kind: 'variable', key: before.key, id, before, isHalf: replaced }]
    }
    case 'assign':
      return targetItems(operation.targets.ids, true)
    case 'unassign':
      return targetItems(operation.targets.ids, false)
  }
}

/** Whether the item is gone afterwards. */
export const takesAway = (item: Item): boolean =>
  item.kind === 'target' ? !item.assigned : item.after === undefined

/** Whether an operation makes something new, which sending it twice would duplicate. */
export const makesNew = (operation: Operation): boolean =>
  itemsOf(operation).some(
    item => item.kind !== 'target' && item.before === undefined && item.after !== undefined,
  )

/** The items of an operation, including the contents of a set that is created or deleted. */
export const partsOf = (operation: Operation): readonly Item[] =>
  itemsOf(operation).flatMap(item => (item.kind === 'set' ? [item, ...itemsIn(item)] : [item]))

/** The items that an operation deletes. A new set deletes nothing, so its variables are skipped. */
export const partsTaken = (operation: Operation): readonly Item[] =>
  operation.type === 'create-set' ? [] : partsOf(operation).filter(takesAway)

/** The variables and targets of a set that is created or deleted. */
export const itemsIn = ({ before, after }: Extract<Item, { kind: 'set' }>): readonly Item[] => [
  ...(before?.variables ?? []).map(
    (gone): Item => ({ kind: 'variable', key: gone.key, before: gone, isHalf: false }),
  ),
  ...targetItems(idsOf(before ?? {}), false),
  ...(after?.variables ?? []).map(added),
  ...targetItems(idsOf(after ?? {}), true),
]

const added = (after: Variable<DesiredValue>): VariableItem => ({
  kind: 'variable',
  key: after.key,
  after,
  isHalf: false,
})

const targetItems = (ids: readonly TargetId[], assigned: boolean): Item[] =>
  ids.map(id => ({ kind: 'target', id, assigned }))

/**
 * Identifies the set of an operation across two plans of one observed state: its id, or the name of a new set. A
 * replacement has the id of the old set.
 */
export const placeOf = (operation: Operation): string =>
  operation.type === 'create-set'
    ? (operation.replaces ?? `new ${operation.subject.name}`)
    : operation.subject.id

/** Finds the observed set of an operation; for a new set by name and owner. */
export function setFinder({ sets }: ObservedState): (operation: Operation) => ObservedSet | undefined {
  const places = new Map<string, ObservedSet>()
  // Some services take a name twice. The first set counts.
  for (const set of sets.toReversed()) places.set(set.id, set).set(newPlace(set), set)
  return operation =>
    places.get(operation.type === 'create-set' ? newPlace(operation.after) : operation.subject.id)
}

const newPlace = ({ name, parent }: SetSettings & SetOwner): string => `new ${parent ?? ''} ${name}`

interface RemainingStep {
  readonly id: OperationId
  readonly operation: Operation
  readonly after: readonly OperationId[]
}

/**
 * The steps of `remaining` that only repeat what `plan` was for and the closing read did not show. A set that is not
 * shown is left out: it may be late, and creating it again would duplicate it.
 */
export function coveredSteps<S extends RemainingStep>(
  plan: { readonly steps: readonly Pick<RemainingStep, 'operation'>[] },
  remaining: readonly S[],
): S[] {
  const wanted = plan.steps.map(({ operation }) => coverOf(operation))
  const covered = remaining.filter(({ operation }) => wanted.some(covers => covers(operation)))
  const ids = new Set(covered.map(step => step.id))
  return covered.map(step => ({ ...step, after: step.after.filter(id => ids.has(id)) }))
}

/** Whether an operation repeats a part of what was sent, or creates a set that the service does not show. */
export function asksAgainFor(sent: Operation): (asked: Operation) => boolean {
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
    const isSameSet = isMade ? done.subject.name === asked.subject.name : done.subject.id === asked.subject.id
    return isSameSet && itemsOf(asked).every(covers)
  }
}

/** Whether one wanted item includes the other. */
function includes(wanted: Item, asked: Item): boolean {
  switch (asked.kind) {
    // A set that is not shown may be late.
    case 'set':
      return wanted.kind === 'set' && wanted.after === undefined && asked.after === undefined
    // An update always sends all settings.
    case 'settings':
      return wanted.kind === 'settings'
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
    const place = placeOf(operation)
    const items = places.get(place) ?? new Map<ItemName, Become>()
    places.set(place, items)
    for (const [name, become] of changesOf(operation)) items.set(name, become)
  }
  return places
}

/** The changed items of one operation. A replacement is one item, as for a reader. */
export const changesOf = (operation: Operation): readonly (readonly [ItemName, Become])[] =>
  itemsOf(operation).flatMap(named)

function named(item: Item): readonly (readonly [ItemName, Become])[] {
  switch (item.kind) {
    case 'set': {
      const { after, isHalf } = item
      if (isHalf) return []
      return [['set', after === undefined ? GONE : () => toCompactJson(after)]]
    }
    case 'settings': {
      const { before, after } = item
      const changed = SETTING_NAMES.filter(setting => before[setting] !== after[setting])
      return changed.map(setting => [setting, () => String(after[setting])])
    }
    case 'variable': {
      const { key, after, isHalf } = item
      if (after === undefined) return isHalf ? [] : [[key, GONE]]
      return [[key, () => toCompactJson(after)]]
    }
    case 'target':
      return [[item.id, item.assigned ? ASSIGNED : GONE]]
  }
}
