import type { SetSettings } from '../model/fields.ts'
import type { Targets, VariableId, VariableKey, VariableSetId } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, SetContents, Variable } from '../model/variable-set.ts'

/** Readable, stable, unique in a plan: `create-variable shared-aws env/AWS_REGION`. */
export type OperationId = string

/**
 * A value before a change. `withheld`: a readable value that may be a secret, because this plan puts a secret in its
 * place. A plan does not keep it.
 */
export type ValueBefore = ObservedValue

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
  /** The old set of another owner, which is deleted afterwards. */
  readonly replaces?: VariableSetId
}

/** All four settings, and variables to add. Never assignments, because an empty list would clear them all. */
export interface UpdateSet extends OnObservedSet {
  readonly type: 'update-set'
  readonly before: SetSettings
  readonly after: SetSettings
  /** Variables to add. The service never changes or removes one here (docs/service.md 4.2). */
  readonly variables: readonly Variable<DesiredValue>[]
}

export interface DeleteSet extends OnObservedSet {
  readonly type: 'delete-set'
  /** With the name that the set has at that point. */
  readonly before: SetContents<ValueBefore>
  /** Another set has replaced it. */
  readonly replaced?: true
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
  readonly before: Variable<ValueBefore>
  readonly after: Variable<DesiredValue>
  /** Why the secret is written although nothing else differs. */
  readonly rewrite?: RewriteReason
}

export interface DeleteVariable extends OnObservedSet {
  readonly type: 'delete-variable'
  readonly variableId: VariableId
  readonly before: Variable<ValueBefore>
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

export const verbOf = {
  'create-set': 'create',
  'update-set': 'update',
  'delete-set': 'delete',
  'create-variable': 'create',
  'update-variable': 'update',
  'delete-variable': 'delete',
  assign: 'assign',
  unassign: 'unassign',
} as const satisfies Record<OperationType, Verb>

/** The variable of an operation on one variable. */
export function variableOf(operation: Operation): VariableKey | undefined {
  switch (operation.type) {
    case 'create-variable':
    case 'update-variable':
      return operation.after.key
    case 'delete-variable':
      return operation.before.key
    case 'create-set':
    case 'update-set':
    case 'delete-set':
    case 'assign':
    case 'unassign':
      return undefined
  }
  operation satisfies never
}

/**
 * A rewrite that only a run with key and secrets can know. Not in the digest, and it may appear or vanish between
 * review and apply (docs/decisions/0007-inventory.md).
 */
export const isOptional = (operation: Operation): boolean => rewriteOf(operation) === 'value-changed'

/** Why a secret is written although nothing else about its variable differs. */
export const rewriteOf = (operation: Operation): RewriteReason | undefined =>
  operation.type === 'update-variable' ? operation.rewrite : undefined

/**
 * Whether `export --update` can take over what the service has. Nobody can read a secret, and a missing set has no
 * values.
 */
export function canBeAccepted(operation: Operation): boolean {
  switch (operation.type) {
    case 'create-set':
      return operation.replaces !== undefined
    case 'update-variable': {
      const becomesSecret = 'secret' in operation.after.value && !('hidden' in operation.before.value)
      return operation.rewrite === undefined && !becomesSecret
    }
    case 'update-set':
    case 'delete-set':
    case 'create-variable':
    case 'delete-variable':
    case 'assign':
    case 'unassign':
      return true
  }
}

/** The variables that an operation sends, including `external` ones. */
export function variablesSent(operation: Operation): readonly Variable<DesiredValue>[] {
  switch (operation.type) {
    case 'create-set':
      return operation.after.variables
    case 'update-set':
      return operation.variables
    case 'create-variable':
    case 'update-variable':
      return [operation.after]
    case 'delete-set':
    case 'delete-variable':
    case 'assign':
    case 'unassign':
      return []
  }
}

/** The variables whose secrets an operation sends. */
export const secretsSent = (operation: Operation): readonly VariableKey[] =>
  variablesSent(operation).flatMap(({ key, value }) => ('secret' in value ? [key] : []))

/** Deleting a sensitive variable loses its value for good: nobody can read it. */
export const losesSecret = (variable: Variable<ValueBefore>): boolean => 'hidden' in variable.value

/** Why an existing secret is written although nothing else differs. */
export type RewriteReason = 'asked' | 'source-changed' | 'value-changed' | 'changed-outside'
