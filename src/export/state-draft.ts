import { compareText } from '../model/diagnostic.ts'
import {
  assignmentsOf,
  isProjectId,
  listsOf,
  TARGET_KINDS,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type TargetTable,
  type VariableSetId,
} from '../model/ids.ts'
import type { ObservedSet, ObservedVariable } from '../model/variable-set.ts'
import { type JsonObject, listOf, type StateObject } from './state-json.ts'

/** A set of a state, with the blocks that manage it. */
export interface StateSet {
  readonly organization: string | undefined
  readonly set: ObservedSet
  /** The kinds of assignments that the state has. */
  readonly knows: readonly TargetKind[]
  readonly objects: readonly StateObject[]
}

/** Where the provider keeps each kind: the block of one assignment with its id, and the list of the set itself. */
export const RESOURCES = {
  workspaces: {
    named: 'tfe_workspace',
    assignment: 'tfe_workspace_variable_set',
    id: 'workspace_id',
    list: 'workspace_ids',
  },
  // The provider does not list the projects of a set.
  projects: {
    named: 'tfe_project',
    assignment: 'tfe_project_variable_set',
    id: 'project_id',
    list: undefined,
  },
  stacks: { named: 'tfe_stack', assignment: 'tfe_stack_variable_set', id: 'stack_id', list: 'stack_ids' },
} as const satisfies TargetTable<unknown>

/** A set while its parts are collected. */
export class StateSetDraft {
  readonly #id: VariableSetId
  readonly #object: StateObject
  readonly #objects: StateObject[]
  readonly #variables: ObservedVariable[] = []
  readonly #foreign: ObservedSet['foreignVariables'][number][] = []
  readonly #targets: Set<string>

  constructor(id: VariableSetId, object: StateObject) {
    this.#id = id
    this.#object = object
    this.#objects = [object]
    this.#targets = new Set(
      TARGET_KINDS.flatMap(kind =>
        this.#list(kind).filter(one => typeof one === 'string' && TARGETS[kind].isId(one)),
      ),
    )
  }

  add(object: StateObject, variable: ObservedVariable): void {
    this.#objects.push(object)
    this.#variables.push(variable)
  }

  addForeign(object: StateObject, variable: ObservedSet['foreignVariables'][number]): void {
    this.#objects.push(object)
    this.#foreign.push(variable)
  }

  assign(object: StateObject, id: string): void {
    this.#objects.push(object)
    this.#targets.add(id)
  }

  /** The ids that the block of the set lists; the provider writes all of a kind there. */
  #list(kind: TargetKind): readonly unknown[] {
    const { list } = RESOURCES[kind]
    return list === undefined ? [] : listOf(this.#object.values[list])
  }

  #assigned<K extends TargetKind>(kind: K): readonly TargetIds[K][] {
    return [...this.#targets].filter(TARGETS[kind].isId).sort(compareText)
  }

  #knows(kind: TargetKind): boolean {
    const { list } = RESOURCES[kind]
    return this.#assigned(kind).length > 0 || (list !== undefined && Array.isArray(this.#object.values[list]))
  }

  whole(): StateSet {
    const { values } = this.#object
    const parent = textAt(values, 'parent_project_id')
    return {
      organization: textAt(values, 'organization'),
      set: {
        id: this.#id,
        name: textAt(values, 'name') ?? '',
        description: textAt(values, 'description') ?? '',
        global: values.global === true,
        priority: values.priority === true,
        variables: this.#variables.toSorted((a, b) => compareText(a.key, b.key) || compareText(a.id, b.id)),
        foreignVariables: this.#foreign,
        ...assignmentsOf(listsOf(kind => this.#assigned(kind))),
        parent: parent !== undefined && isProjectId(parent) ? parent : undefined,
      },
      knows: TARGET_KINDS.filter(kind => this.#knows(kind)),
      objects: this.#objects,
    }
  }
}

export const textAt = (values: JsonObject, name: string): string | undefined => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
