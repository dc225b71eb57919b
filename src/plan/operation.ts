import { type DetailName, SETTING_NAMES, type SetSettings } from '../model/fields.ts'
import type { TargetId, Targets, VariableId, VariableKey, VariableSetId } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, SetContents, Variable } from '../model/variable-set.ts'

/** Readable, stable, unique in a plan: `create-variable shared-aws env/AWS_REGION`. */
export type OperationId = string

/** The object of the service that an operation changes. */
export interface Subject {
  readonly kind: 'variable-set'
  /** The name after this plan; for a deleted set its old name. */
  readonly name: string
  /** Left out for a new object. */
  readonly id?: VariableSetId
}

interface OperationBase {
  readonly subject: Subject
}

interface OnObservedSet extends OperationBase {
  readonly subject: Subject & { readonly id: VariableSetId }
}

/** The whole set in one POST (docs/service.md 4.1). Precondition: no set of this name and owner exists. */
export interface CreateSet extends OperationBase {
  readonly type: 'create-set'
  readonly after: SetContents<DesiredValue>
}

/** All four settings. Never variables, nor assignments, because an empty list would clear them all. */
export interface UpdateSet extends OnObservedSet {
  readonly type: 'update-set'
  readonly before: SetSettings
  readonly after: SetSettings
}

export interface DeleteSet extends OnObservedSet {
  readonly type: 'delete-set'
  readonly before: SetContents<ObservedValue>
}

export interface CreateVariable extends OnObservedSet {
  readonly type: 'create-variable'
  readonly after: Variable<DesiredValue>
  /** The second half of a replacement. */
  readonly replaces: boolean
}

/** The whole variable, with its value unless that is `external`. */
export interface UpdateVariable extends OnObservedSet {
  readonly type: 'update-variable'
  readonly variableId: VariableId
  readonly before: Variable<ObservedValue>
  readonly after: Variable<DesiredValue>
  /** Why the secret is written although nothing else differs. */
  readonly rewrite?: RewriteReason
}

export interface DeleteVariable extends OnObservedSet {
  readonly type: 'delete-variable'
  readonly variableId: VariableId
  readonly before: Variable<ObservedValue>
  /** The first half of a replacement. */
  readonly replaced: boolean
}

export interface Assign extends OnObservedSet {
  readonly type: 'assign'
  readonly targets: Targets
}

export interface Unassign extends OnObservedSet {
  readonly type: 'unassign'
  readonly targets: Targets
}

/** One operation is one request. Plain data; its type cannot hold the text of a secret. */
export type Operation =
  | CreateSet
  | UpdateSet
  | DeleteSet
  | CreateVariable
  | UpdateVariable
  | DeleteVariable
  | Assign
  | Unassign

export type OperationType = Operation['type']
export type Verb = 'create' | 'update' | 'delete' | 'assign' | 'unassign'

/**
 * One part of a set and what an operation does to it. A new part has no `before`, a deleted one no `after`. What an
 * operation sends, whether it is done, repeated, or takes something away follows from its items.
 */
export type Item =
  /** A set that is created or deleted with everything in it. */
  | {
      readonly kind: 'set'
      readonly before?: SetContents<ObservedValue>
      readonly after?: SetContents<DesiredValue>
    }
  | SettingItem
  | VariableItem
  | { readonly kind: 'target'; readonly id: TargetId; readonly assigned: boolean }

/** A setting that is sent, even if it stays the same. */
export interface SettingItem {
  readonly kind: 'setting'
  readonly name: keyof SetSettings | DetailName
  readonly before: string | boolean
  readonly after: string | boolean
}

interface VariableItem {
  readonly kind: 'variable'
  readonly key: VariableKey
  /** Id of an existing variable, unless its whole set is deleted. */
  readonly id?: VariableId
  readonly before?: Variable<ObservedValue>
  readonly after?: Variable<DesiredValue>
  /** One half of a replacement, which a reader sees as one change. */
  readonly isHalf: boolean
}

/** What is known of operations of one type. */
interface OperationRow<O> {
  readonly verb: Verb
  /** The items of an operation, in its order. */
  items(operation: O): readonly Item[]
  /**
   * It neither sends nor changes variables, so that nothing in it can be a secret. Some servers store what it writes as one record of the
   * set, so that two of a set at once would lose one.
   */
  readonly isOfSet: boolean
  /** Whether `export --update` can take over what the service has. Nobody can read a secret, and a missing set has no values. */
  canBeAccepted(operation: O): boolean
}

const always = () => true

/** The operations: one row each, for everything that depends on the type alone. */
const OPERATIONS: { readonly [T in OperationType]: OperationRow<Extract<Operation, { type: T }>> } = {
  'create-set': {
    verb: 'create',
    items: ({ after }) => [{ kind: 'set', after }],
    isOfSet: false,
    canBeAccepted: () => false,
  },
  'update-set': {
    verb: 'update',
    items: ({ before, after }) => settingItems(before, after),
    isOfSet: true,
    // Files keep their name.
    canBeAccepted: ({ before, after }) =>
      SETTING_NAMES.some(name => name !== 'name' && before[name] !== after[name]),
  },
  'delete-set': {
    verb: 'delete',
    items: ({ before }) => [{ kind: 'set', before }],
    isOfSet: false,
    canBeAccepted: always,
  },
  'create-variable': {
    verb: 'create',
    items: ({ after, replaces }) => [{ ...addedItem(after), isHalf: replaces }],
    isOfSet: false,
    canBeAccepted: always,
  },
  'update-variable': {
    verb: 'update',
    items: ({ variableId: id, before, after }) => [
      { kind: 'variable', key: after.key, id, before, after, isHalf: false },
    ],
    isOfSet: false,
    canBeAccepted: ({ before, after, rewrite }) =>
      rewrite === undefined && !('secret' in after.value && !('hidden' in before.value)),
  },
  'delete-variable': {
    verb: 'delete',
    items: ({ variableId: id, before, replaced }) => [
      { kind: 'variable', key: before.key, id, before, isHalf: replaced },
    ],
    isOfSet: false,
    canBeAccepted: always,
  },
  assign: {
    verb: 'assign',
    items: ({ targets }) => targetItems(targets.ids, true),
    isOfSet: true,
    canBeAccepted: always,
  },
  unassign: {
    verb: 'unassign',
    items: ({ targets }) => targetItems(targets.ids, false),
    isOfSet: true,
    canBeAccepted: always,
  },
}

const rowOf = ({ type }: Operation): OperationRow<Operation> => OPERATIONS[type]

export const verbOf = (operation: Operation): Verb => rowOf(operation).verb

/** The items of an operation, in its order. */
export const itemsOf = (operation: Operation): readonly Item[] => rowOf(operation).items(operation)

/** Whether an operation writes settings or assignments of a set, and no variable. */
export const isWithoutVariables = (operation: Operation): operation is UpdateSet | Assign | Unassign =>
  rowOf(operation).isOfSet

/** Whether `export --update` can take over what the service has. */
export const canBeAccepted = (operation: Operation): boolean => rowOf(operation).canBeAccepted(operation)

export const settingItems = (before: SetSettings, after: SetSettings): SettingItem[] =>
  SETTING_NAMES.map(name => ({ kind: 'setting', name, before: before[name], after: after[name] }))

export const addedItem = (after: Variable<DesiredValue>): VariableItem => ({
  kind: 'variable',
  key: after.key,
  after,
  isHalf: false,
})

export const targetItems = (ids: readonly TargetId[], assigned: boolean): Item[] =>
  ids.map(id => ({ kind: 'target', id, assigned }))

/** Identifies the set of an operation across two plans of one observed state: its id, or the name of a new set. */
export const setKeyOf = (operation: Operation): string =>
  operation.type === 'create-set' ? `new ${operation.subject.name}` : operation.subject.id

/** Deleting a sensitive variable loses its value for good: nobody can read it. */
export const losesSecret = (variable: Variable<ObservedValue>): boolean => 'hidden' in variable.value

/** Why an existing secret is written although nothing else differs. */
export type RewriteReason =
  | 'asked'
  | 'source-changed'
  | 'value-changed'
  | 'changed-outside'
  /** The value was set elsewhere, or no write of it is recorded. */
  | 'taken-charge'
