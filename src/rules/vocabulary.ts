import type { RuleSubject } from '../model/rule.ts'

/**
 * What a rule can see: the types of its objects. The type check, the "did you mean", the types of the facts and the reference
 * are derived from it. A type that ends in `?` may be absent; `has()` checks that.
 */
export const OBJECTS = {
  Plan: {
    about: 'The plan as a whole. Every rule can see it.',
    fields: {
      organization: ['string', 'Name of the organization.'],
      owner: ['string?', 'The `owner` of setpoint.yaml. Absent without one.'],
      changes: ['int', 'Number of operations.'],
      creates: ['int', 'Of these, sets and variables that are created.'],
      updates: ['int', 'Of these, sets and variables that are updated.'],
      deletes: ['int', 'Of these, sets and variables that are deleted.'],
      assigns: ['int', 'Of these, assignments that are added.'],
      unassigns: ['int', 'Of these, assignments that are removed.'],
      affected: ['int', 'Number of known workspaces that get another value for a key.'],
      everywhere: ['bool', 'Unknown workspaces may get another value as well.'],
      drift: ['int', 'Number of sets that were changed outside Setpoint, as far as known.'],
      blocked: ['bool', 'A guard blocks the plan. Rules do not count.'],
      selected: ['bool', '`--only` narrows the plan to some of the sets.'],
      gaps: [
        'list<Gap>',
        'Values that are neither old nor new and that workspaces may see during the apply.',
      ],
      sets: ['list<Set>', 'Every set that a rule `for: set` checks.'],
    },
  },
  Set: {
    about:
      'A set that the files declare or remove, with its state after the plan; for a deleted set, its state before.',
    fields: {
      name: ['string', 'Its key in the file, or the name of a removed set.'],
      action: ['string', '`create`, `update`, `delete`, or `none` if the plan does not change it.'],
      description: ['string', 'Its description, which may be empty.'],
      global: ['bool', 'It applies to every workspace.'],
      priority: ['bool', 'Its values override workspace variables.'],
      project: ['string?', 'Name of the project that owns it. Absent if the organization does.'],
      workspaces: ['list<Workspace>', 'The workspaces that it is assigned to directly.'],
      projects: ['list<string>', 'Names of the projects that it is assigned to.'],
      stacks: ['list<string>', 'Names of the Stacks that it is assigned to.'],
      variables: ['list<Variable>', 'Its variables.'],
      deleted: ['list<Variable>', 'The variables that the plan deletes while it keeps the set.'],
      before: ['SetBefore?', 'The set before the plan. Absent if it is created.'],
    },
  },
  SetBefore: {
    about: 'A set before the plan.',
    fields: {
      name: ['string', 'Its name in the service.'],
      description: ['string', 'Its description.'],
      global: ['bool', 'It applied to every workspace.'],
      priority: ['bool', 'Its values overrode workspace variables.'],
      project: ['string?', 'Name of the project that owned it.'],
      workspaces: ['list<Workspace>', 'The workspaces that it was assigned to.'],
      projects: ['list<string>', 'Names of the projects that it was assigned to.'],
      stacks: ['list<string>', 'Names of the Stacks that it was assigned to.'],
    },
  },
  Variable: {
    about:
      'A variable of such a set, with its state after the plan; for a deleted variable, its state before.',
    fields: {
      set: ['string', 'Name of its set.'],
      key: ['string', 'Its key, such as `AWS_REGION`.'],
      category: ['string', '`env` or `terraform`.'],
      action: ['string', '`create`, `update`, `delete`, or `none` if the plan does not change it.'],
      description: ['string', 'Its description, which may be empty.'],
      hcl: ['bool', 'Its value is HCL code.'],
      sensitive: ['bool', 'Its value cannot be read in the service.'],
      external: ['bool', 'Its value is set in the service: `external: true`.'],
      secret: ['string?', 'Name of the secret in the files: `secret: NAME`.'],
      version: ['string?', '`version` of the secret in the files.'],
      value: ['string?', 'Its value. Absent if it is sensitive, external, or hidden in reports.'],
      before: ['VariableBefore?', 'The variable before the plan. Absent if it is created.'],
    },
  },
  VariableBefore: {
    about: 'A variable before the plan.',
    fields: {
      description: ['string', 'Its description.'],
      hcl: ['bool', 'Its value was HCL code.'],
      sensitive: ['bool', 'Its value could not be read in the service.'],
      value: ['string?', 'Its value. Absent if it was sensitive, or is hidden in reports.'],
    },
  },
  Workspace: {
    about: 'A workspace.',
    fields: {
      name: ['string', 'Its name, or its id if the name is unknown.'],
      id: ['string', 'Its id, such as `ws-4f2k`.'],
      project: ['string', 'Name of its project; empty if unknown.'],
    },
  },
  Gap: {
    about: 'A value that is neither the old nor the new one and that workspaces may see during the apply.',
    fields: {
      key: ['string', 'The key, such as `AWS_REGION`.'],
      category: ['string', '`env` or `terraform`.'],
      from: ['string?', 'The set that provides the old value. Absent if none does.'],
      seen: ['string?', 'The set that provides the value in between. Absent if none does.'],
      to: ['string?', 'The set that provides the new value. Absent if none does.'],
      why: [
        'string',
        'The reason: `slot`, `revocation`, `requests`, `cycle` or `size` (docs/transitions.md).',
      ],
      workspaces: ['list<Workspace>', 'The known workspaces that may see it.'],
      count: ['int', 'Number of known workspaces that may see it.'],
      everywhere: ['bool', 'Unknown workspaces may see it as well.'],
    },
  },
  Exposure: {
    about:
      'Variables that newly reach workspaces, projects or Stacks, even if other sets override them there.',
    fields: {
      kind: [
        'string',
        '`secret`: secrets of a set reach new targets. `global`: a set becomes global. `added`: a set that is global or has priority gets new variables.',
      ],
      set: ['string', 'Name of the set.'],
      keys: ['list<string>', 'The keys of these variables, such as `AWS_REGION`.'],
      everywhere: ['bool', 'They reach every workspace.'],
      workspaces: [
        'list<Workspace>',
        'The workspaces that the set is newly assigned to directly; for `added`, all that it is assigned to.',
      ],
      projects: [
        'list<string>',
        'Names of every project that is reached: those that the set is newly assigned to, and those of `workspaces`. It contains an empty name if a project is unknown, or if the variables reach every workspace.',
      ],
      stacks: ['list<string>', 'Names of the Stacks that the set is newly assigned to.'],
      count: ['int?', 'Number of workspaces. Absent if unknown.'],
    },
  },
  Effect: {
    about: 'A key for which workspaces or Stacks get another value.',
    fields: {
      kind: [
        'string',
        '`gained`: they had no value. `lost`: they no longer have one. `changed`: another value, or from another set. `precedence`: the value stays, but begins or ceases to override workspace variables.',
      ],
      key: ['string', 'The key, such as `AWS_REGION`.'],
      category: ['string', '`env` or `terraform`.'],
      from: ['string?', 'The set that provided the value. Absent if none did.'],
      to: ['string?', 'The set that will provide it. Absent if none will.'],
      before: [
        'string?',
        'The value before. Absent if there is none, or if it is sensitive, of an unmanaged set, or hidden.',
      ],
      after: ['string?', 'The value after. Absent like `before`.'],
      workspaces: ['list<Workspace>', 'Every known workspace that sees it.'],
      projects: [
        'list<string>',
        'Names of the projects of these workspaces. It contains an empty name if a project is unknown, or if unknown workspaces may see it.',
      ],
      stacks: ['list<string>', 'Names of the Stacks that see it.'],
      count: ['int', 'Number of known workspaces that see it.'],
      everywhere: ['bool', 'Unknown workspaces may see it as well.'],
    },
  },
} as const satisfies Readonly<Record<string, ObjectType>>

interface ObjectType {
  readonly about: string
  /** Type and meaning by name. */
  readonly fields: Readonly<Record<string, readonly [type: string, about: string]>>
}

export type ObjectName = keyof typeof OBJECTS
export const OBJECT_NAMES = Object.keys(OBJECTS) as readonly ObjectName[]

export const isObjectName = (type: string | undefined): type is ObjectName =>
  type !== undefined && Object.hasOwn(OBJECTS, type)

type Known<T extends string> = T extends 'string'
  ? string
  : T extends 'bool'
    ? boolean
    : T extends 'int'
      ? number
      : T extends `list<${infer Item}>`
        ? readonly Known<Item>[]
        : T extends ObjectName
          ? FactOf<T>
          : never

type Fields<N extends ObjectName> = (typeof OBJECTS)[N]['fields']
type TypeOf<F> = F extends readonly [infer T extends string, string] ? T : never

/** The object of this name as data: an absent field is left out or `undefined`. */
export type FactOf<N extends ObjectName> = {
  readonly [K in keyof Fields<N> as TypeOf<Fields<N>[K]> extends `${string}?` ? never : K]: Known<
    TypeOf<Fields<N>[K]>
  >
} & {
  readonly [K in keyof Fields<N> as TypeOf<Fields<N>[K]> extends `${string}?` ? K : never]?: TypeOf<
    Fields<N>[K]
  > extends `${infer T}?`
    ? Known<T>
    : never
}

/** The objects that a rule can name, and their types. The first is the item that the rule is about. */
export const SCOPES: Readonly<Record<RuleSubject, Readonly<Record<string, ObjectName>>>> = {
  set: { set: 'Set', plan: 'Plan' },
  variable: { variable: 'Variable', set: 'Set', plan: 'Plan' },
  exposure: { exposure: 'Exposure', set: 'Set', plan: 'Plan' },
  effect: { effect: 'Effect', plan: 'Plan' },
  plan: { plan: 'Plan' },
}

/** The fields of an object with their types, without the mark of absence. */
export const fieldsOf = (name: ObjectName): readonly (readonly [name: string, type: string])[] =>
  Object.entries<readonly [string, string]>(OBJECTS[name].fields).map(
    ([field, [type]]) => [field, type.replace('?', '')] as const,
  )
