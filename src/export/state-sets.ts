import { createHash } from 'node:crypto'
import { compareText, type Diagnostic } from '../model/diagnostic.ts'
import type { VariableFields } from '../model/fields.ts'
import {
  isProjectId,
  isVariableId,
  isVariableSetId,
  isWorkspaceId,
  type ProjectId,
  type VariableId,
  type VariableSetId,
  type WorkspaceId,
} from '../model/ids.ts'
import type { Directory, ObservedSet, ObservedVariable } from '../model/variable-set.ts'
import { isMembers, listOf, type Members, type StateObject } from './state-json.ts'

/** A set as a state has it, with the blocks that manage it. */
export interface StateSet {
  readonly organization: string | undefined
  readonly set: ObservedSet
  /** Whether the state says which workspaces, and which projects, it has. */
  readonly knows: { readonly workspaces: boolean; readonly projects: boolean }
  readonly objects: readonly StateObject[]
}

export interface StateSets {
  /** Sorted by name, then id. */
  readonly sets: readonly StateSet[]
  /** Workspaces and projects that the state names. */
  readonly names: Directory
  /** Of each sensitive variable whose value the state has: equal where the values are. The values themselves are dropped. */
  readonly identities: ReadonlyMap<VariableId, string>
  readonly diagnostics: readonly Diagnostic[]
}

/** The sets of a state with what belongs to them. What belongs to a set that is not there is a diagnostic. */
export function setsOfState(objects: readonly StateObject[]): StateSets {
  return new Assembly(objects).result()
}

class Assembly {
  readonly #objects: readonly StateObject[]
  readonly #diagnostics: Diagnostic[] = []
  readonly #identities = new Map<VariableId, string>()

  constructor(objects: readonly StateObject[]) {
    this.#objects = objects
  }

  result(): StateSets {
    const drafts = new Map<string, Draft>()
    for (const object of this.#managed('tfe_variable_set')) {
      const id = textAt(object.values, 'id')
      if (id === undefined || !isVariableSetId(id)) this.#skip(object, 'it has no id')
      else drafts.set(id, new Draft(id, object))
    }
    for (const object of this.#managed('tfe_variable')) this.#variable(object, drafts)
    for (const object of this.#managed('tfe_workspace_variable_set')) {
      const id = textAt(object.values, 'workspace_id')
      const draft = this.#draftOf(object, drafts)
      if (draft !== undefined && id !== undefined && isWorkspaceId(id)) draft.assign(object, id)
    }
    for (const object of this.#managed('tfe_project_variable_set')) {
      const id = textAt(object.values, 'project_id')
      const draft = this.#draftOf(object, drafts)
      if (draft !== undefined && id !== undefined && isProjectId(id)) draft.assignProject(object, id)
    }
    const sets = [...drafts.values()].map(draft => draft.whole())
    sets.sort((a, b) => compareText(a.set.name, b.set.name) || compareText(a.set.id, b.set.id))
    return {
      sets,
      names: namesOf(this.#objects),
      identities: this.#identities,
      diagnostics: this.#diagnostics,
    }
  }

  #managed(type: string): readonly StateObject[] {
    return this.#objects.filter(object => object.type === type && !object.isData)
  }

  #variable(object: StateObject, drafts: ReadonlyMap<string, Draft>): void {
    const { values } = object
    // A variable of a workspace: no business of sets.
    if (textAt(values, 'variable_set_id') === undefined) return
    const draft = this.#draftOf(object, drafts)
    if (draft === undefined) return
    const id = textAt(values, 'id')
    const key = textAt(values, 'key')
    const category = textAt(values, 'category')
    if (id === undefined || !isVariableId(id) || key === undefined || category === undefined)
      this.#skip(object, 'it has no id, no key or no category')
    else if (category === 'env' || category === 'terraform') {
      const value = this.#valueOf(object, id)
      const variable: ObservedVariable = {
        id,
        key: `${category}/${key}`,
        value,
        ...fieldsIn(values),
      }
      draft.add(object, variable)
    } else draft.addForeign(object, { id, key, category })
  }

  /** A sensitive value is made unreadable here, and kept nowhere. */
  #valueOf({ address, values }: StateObject, id: VariableId): ObservedVariable['value'] {
    const isWriteOnly = typeof values.value_wo_version === 'number'
    const text = !isWriteOnly && typeof values.value === 'string' ? values.value : undefined
    if (values.sensitive === true) {
      // The empty text stands there also where the provider does not know the value.
      if (text !== undefined && text !== '')
        this.#identities.set(id, createHash('sha256').update(text).digest('hex'))
      return { hidden: true }
    }
    if (text !== undefined) return { text }
    this.#diagnostics.push({
      severity: 'warning',
      code: 'state-incomplete',
      message: `${address} is readable, and the state does not hold its value: it is written as external.`,
      hint: 'To manage it, write its value.',
    })
    return { hidden: true }
  }

  #draftOf(object: StateObject, drafts: ReadonlyMap<string, Draft>): Draft | undefined {
    const id = textAt(object.values, 'variable_set_id')
    const draft = id === undefined ? undefined : drafts.get(id)
    if (draft === undefined)
      this.#skip(
        object,
        `its set${id !== undefined && isVariableSetId(id) ? ` ${id}` : ''} is not in this state`,
      )
    return draft
  }

  #skip({ address }: StateObject, why: string): void {
    this.#diagnostics.push({
      severity: 'warning',
      code: 'state-incomplete',
      message: `${address} is left out: ${why}.`,
      hint: 'It stays with Terraform. Export the state that manages its set, or export the set from the service.',
    })
  }
}

/** A set while what belongs to it comes in. */
class Draft {
  readonly #id: VariableSetId
  readonly #object: StateObject
  readonly #objects: StateObject[]
  readonly #variables: ObservedVariable[] = []
  readonly #foreign: ObservedSet['foreignVariables'][number][] = []
  readonly #workspaces: Set<WorkspaceId>
  readonly #projects = new Set<ProjectId>()

  constructor(id: VariableSetId, object: StateObject) {
    this.#id = id
    this.#object = object
    this.#objects = [object]
    this.#workspaces = new Set(
      listOf(object.values.workspace_ids).filter(one => typeof one === 'string' && isWorkspaceId(one)),
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

  assign(object: StateObject, id: WorkspaceId): void {
    this.#objects.push(object)
    this.#workspaces.add(id)
  }

  assignProject(object: StateObject, id: ProjectId): void {
    this.#objects.push(object)
    this.#projects.add(id)
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
        workspaces: [...this.#workspaces].sort(compareText),
        projects: [...this.#projects].sort(compareText),
        ...(parent !== undefined && isProjectId(parent) ? { parent } : {}),
      },
      // The provider reads all workspaces of a set, and no projects.
      knows: {
        workspaces: Array.isArray(values.workspace_ids) || this.#workspaces.size > 0,
        projects: this.#projects.size > 0,
      },
      objects: this.#objects,
    }
  }
}

/** Workspaces and projects that are in the state for whatever reason: their names read better than ids. */
function namesOf(objects: readonly StateObject[]): Directory {
  const named = (type: string): { id: string; name: string }[] =>
    objects.flatMap(({ type: actual, values }) => {
      const id = textAt(values, 'id')
      const name = textAt(values, 'name')
      return actual === type && id !== undefined && name !== undefined ? [{ id, name }] : []
    })
  const mapped = objects.flatMap(({ type, values }) =>
    type === 'tfe_workspace_ids' && isMembers(values.ids)
      ? Object.entries(values.ids).flatMap(([name, id]) => (typeof id === 'string' ? [{ id, name }] : []))
      : [],
  )
  return {
    workspaces: [...named('tfe_workspace'), ...mapped].flatMap(({ id, name }) =>
      isWorkspaceId(id) ? [{ id, name }] : [],
    ),
    projects: named('tfe_project').flatMap(({ id, name }) => (isProjectId(id) ? [{ id, name }] : [])),
  }
}

const fieldsIn = (values: Members): VariableFields => ({
  description: textAt(values, 'description') ?? '',
  hcl: values.hcl === true,
})

const textAt = (values: Members, name: string): string | undefined => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
