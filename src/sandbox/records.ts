/** The records of the sandbox. They are never changed in place, so two stores may share them. */

/** Attributes without a meaning here: kept, and returned as they were sent (docs/service.md 12.5). */
export type KeptAttributes = Readonly<Record<string, unknown>>

/** The kinds of places that a set can be assigned to. */
export const KINDS = ['workspaces', 'projects', 'stacks'] as const

export type AssignmentKind = (typeof KINDS)[number]

export const byKind = <T>(of: (kind: AssignmentKind) => T): Readonly<Record<AssignmentKind, T>> => ({
  workspaces: of('workspaces'),
  projects: of('projects'),
  stacks: of('stacks'),
})

/** Such as `workspace`. */
export const oneOf = (kind: AssignmentKind) => kind.slice(0, -1)

export interface OrganizationRecord {
  readonly name: string
  readonly email: string
  readonly kept?: KeptAttributes
  readonly createdAt: string
}

/** A workspace, a project or a Stack. */
export interface PlaceRecord {
  readonly id: string
  readonly organization: string
  readonly name: string
  readonly description: string
  readonly kept?: KeptAttributes
  readonly createdAt: string
  /** Of a workspace or a Stack. */
  readonly updatedAt?: string
  /** Id of the project that a workspace or a Stack is in. */
  readonly project?: string
  /** Of a workspace. */
  readonly executionMode?: string
}

/** The texts and flags of a set that no request has written. Seeds may set each, and responses show all of them. */
export const UNWRITTEN_SET = { name: '', description: '', global: false, priority: false }

/** What requests to create and update a set write. */
export type WrittenSettings = Readonly<typeof UNWRITTEN_SET>

/** A variable set without its variables, which the store keeps by owner, and the ids of the places that it is assigned to. */
export interface SetRecord
  extends Readonly<typeof UNWRITTEN_SET>,
    Readonly<Record<AssignmentKind, readonly string[]>> {
  readonly id: string
  readonly organization: string
  /** Id of the project that owns it (`parent`, docs/service.md 10.3); absent: the organization does. */
  readonly ownerProject?: string
  readonly updatedAt: string
}

/** A variable of a set or of a workspace. */
export interface VariableRecord {
  readonly id: string
  readonly key: string
  readonly value: string
  readonly description: string
  /** As in requests and responses. Seeds may have words that no request may send. */
  readonly category: string
  readonly hcl: boolean
  readonly sensitive: boolean
  readonly createdAt: string
  /** Changes with each write of the variable (docs/service.md 11.4). */
  readonly versionId: string
}

/** `none`: a valid token that may see nothing. `admin`: everything, and the sandbox's own endpoints. */
export type Permission = 'none' | 'read-variables' | 'manage-workspaces' | 'admin'

/** What access to a project allows for the sets that the project owns (docs/service.md 10.3). */
export type ProjectPermission = 'none' | 'read' | 'manage'

export interface TokenRecord {
  readonly token: string
  readonly permission: Permission
  /** In addition to `permission`, for sets of these projects, by id or name. */
  readonly projects?: Readonly<Record<string, ProjectPermission>>
  /** Default: every organization. */
  readonly organizations?: readonly string[]
}

/** One step from a state to the next: the effect of a request. */
export type StoreChange =
  | { readonly type: 'put-organization'; readonly organization: OrganizationRecord }
  | { readonly type: 'remove-organization'; readonly name: string }
  | { readonly type: 'put-place'; readonly kind: AssignmentKind; readonly place: PlaceRecord }
  | { readonly type: 'remove-place'; readonly kind: AssignmentKind; readonly id: string }
  | { readonly type: 'put-set'; readonly set: SetRecord }
  | { readonly type: 'remove-set'; readonly id: string }
  /** `owner` is the id of a set or of a workspace. */
  | { readonly type: 'put-variable'; readonly owner: string; readonly variable: VariableRecord }
  | { readonly type: 'remove-variable'; readonly owner: string; readonly id: string }
  | {
      readonly type: 'assign' | 'unassign'
      readonly set: string
      readonly kind: AssignmentKind
      readonly ids: readonly string[]
    }
  | { readonly type: 'put-token'; readonly token: TokenRecord }
  | { readonly type: 'clear' }

/** All changes of one request: kept completely or not at all. */
export interface Batch {
  readonly at: string
  /** The id counter after this batch, so that no id is used twice, even after a restart. */
  readonly sequence: number
  readonly changes: readonly StoreChange[]
}
