import { SETTING_NAMES, type Settings } from '../model/fields.ts'
import { toCompactJson } from '../model/json.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import type { Operation } from './operation.ts'

/**
 * One thing of a set that an operation changes: `set` for a set that comes or goes whole, a setting's name, a variable's
 * key, or the id of a workspace or project.
 */
export type Item = string

/** What the item is to become, as text that can be compared; `gone` where it is taken away. Made where somebody asks. */
export type Become = () => string

const GONE: Become = () => 'gone'
const ASSIGNED: Become = () => 'assigned'

/** Which set an operation is about, across two plans against one observed state: its id, or the name of a new one. */
export const placeOf = (operation: Operation): string =>
  operation.type === 'create-set' ? `new ${operation.subject.name}` : operation.subject.id

/** Everything that operations change, by set and item; a replacement is the one item that it is for a reader. */
export function changedItems(operations: readonly Operation[]): Map<string, Map<Item, Become>> {
  const places = new Map<string, Map<Item, Become>>()
  for (const operation of operations) {
    const place = placeOf(operation)
    const items = places.get(place) ?? new Map<Item, Become>()
    places.set(place, items)
    for (const [item, become] of itemsOf(operation)) items.set(item, become)
  }
  return places
}

/** The items of one operation, in the order in which it names them. */
export function itemsOf(operation: Operation): readonly (readonly [Item, Become])[] {
  switch (operation.type) {
    case 'create-set':
      return [['set', () => toCompactJson(operation.after)]]
    case 'delete-set':
      return [['set', GONE]]
    case 'update-set':
      return [...settings(operation.before, operation.after), ...operation.variables.map(variable)]
    case 'create-variable':
    case 'update-variable':
      return [variable(operation.after)]
    case 'delete-variable':
      return operation.replaced ? [] : [[operation.before.key, GONE]]
    case 'assign':
      return operation.targets.ids.map(id => [id, ASSIGNED] as const)
    case 'unassign':
      return operation.targets.ids.map(id => [id, GONE] as const)
  }
}

const settings = (before: Settings, after: Settings): (readonly [Item, Become])[] =>
  SETTING_NAMES.filter(setting => before[setting] !== after[setting]).map(
    setting => [setting, () => String(after[setting])] as const,
  )

const variable = (after: Variable<DesiredValue>): readonly [Item, Become] => [
  after.key,
  () => toCompactJson(after),
]
