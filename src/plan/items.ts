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
 * One thing of a set, and what an operation makes of it: `before` is left out of what is new, `after` of what goes. What an
 * operation is about is said here alone; whether it is done, asked for again, or what it takes from whom follows from it.
 */
export type Item =
  /** Comes or goes whole, with all that is in it. */
  | {
      readonly kind: 'set'
      readonly before?: SetContents<ValueBefore>
      readonly after?: SetContents<DesiredValue>
      /** What another set takes the place of: for a reader that one tells of both. */
      readonly isHalf?: boolean
    }
  | { readonly kind: 'settings'; readonly before: SetSettings; readonly after: SetSettings }
  | VariableItem
  | { readonly kind: 'target'; readonly id: TargetId; readonly assigned: boolean }

interface VariableItem {
  readonly kind: 'variable'
  readonly key: VariableKey
  /** Of one that exists, unless its set goes whole. */
  readonly id?: VariableId
  readonly before?: Variable<ValueBefore>
  readonly after?: Variable<DesiredValue>
  /** One half of a replacement: for a reader the two are one change. */
  readonly isHalf: boolean
}

/** In the order in which the operation names them. */
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

/** Whether the item is not there any more afterwards. */
export const takesAway = (item: Item): boolean =>
  item.kind === 'target' ? !item.assigned : item.after === undefined

/** The items of an operation, with what is in a set that comes or goes whole beside it. */
export const partsOf = (operation: Operation): readonly Item[] =>
  itemsOf(operation).flatMap(item => (item.kind === 'set' ? [item, ...itemsIn(item)] : [item]))

/** Those of them that are not there any more afterwards. Of a new set nothing goes: its many variables are not looked through. */
export const partsTaken = (operation: Operation): readonly Item[] =>
  operation.type === 'create-set' ? [] : partsOf(operation).filter(takesAway)

/** The variables and targets of a set that comes or goes whole. */
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
 * Which set an operation is about, across two plans against one observed state: its id, or the name of a new one. One that takes
 * the place of another has that one's.
 */
export const placeOf = (operation: Operation): string =>
  operation.type === 'create-set'
    ? (operation.replaces ?? `new ${operation.subject.name}`)
    : operation.subject.id

/** Finds the observed set that an operation is about: by name and owner where the operation makes it. */
export function setFinder({ sets }: ObservedState): (operation: Operation) => ObservedSet | undefined {
  const places = new Map<string, ObservedSet>()
  // Some services take a name twice: the first counts.
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
 * The steps of `remaining` that do nothing but what `plan` was for: what its operations should have brought about and,
 * by the closing read, did not. A set that does not show is left out: it may be late, and making it again would double
 * it.
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

/**
 * Whether an operation asks again for what `sent` was for: for a part of it, or for the whole set where the service does
 * not show that, so that nothing is known of it.
 */
export function asksAgainFor(sent: Operation): (asked: Operation) => boolean {
  const covers = coverOf(sent)
  return asked =>
    asked.type === 'create-set'
      ? sent.type !== 'delete-set' && sent.subject.name === asked.subject.name
      : covers(asked)
}

/** Whether an operation does nothing but what `done` was for. */
function coverOf(done: Operation): (asked: Operation) => boolean {
  const isMade = done.type === 'create-set'
  const wanted = isMade ? itemsIn({ kind: 'set', after: done.after }) : itemsOf(done)
  // Of a set that was made, only what it shows without: what it shows otherwise was not sent so.
  const covers = (asked: Item): boolean =>
    !(isMade && asked.kind === 'variable' && asked.before !== undefined) &&
    wanted.some(item => includes(item, asked))
  return asked => {
    const isSameSet = isMade ? done.subject.name === asked.subject.name : done.subject.id === asked.subject.id
    return isSameSet && itemsOf(asked).every(covers)
  }
}

/** Whether whoever wanted the one wanted the other. */
function includes(wanted: Item, asked: Item): boolean {
  switch (asked.kind) {
    // A set that is not there may be late.
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
 * An item as origins name it: `set` for one that comes or goes whole, a setting's name, a variable's key, or the id of a
 * workspace, a project or a Stack.
 */
export type ItemName = string

/** What the item is to become, as text that can be compared. Made where somebody asks. */
export type Become = () => string

const GONE: Become = () => 'gone'
const ASSIGNED: Become = () => 'assigned'

/** Everything that operations change, by set and name. */
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

/** What one operation changes; a replacement is the one item that it is for a reader. */
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
