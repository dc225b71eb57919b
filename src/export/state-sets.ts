import { createHash } from 'node:crypto'
import { compareText, type Diagnostic } from '../model/diagnostic.ts'
import type { VariableFields } from '../model/fields.ts'
import {
  byKind,
  isVariableId,
  isVariableSetId,
  TARGET_KINDS,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type VariableId,
} from '../model/ids.ts'
import type { Directory, DirectoryEntry, DirectoryLists, ObservedVariable } from '../model/variable-set.ts'
import { RESOURCES, type StateSet, StateSetDraft, textAt } from './state-draft.ts'
import { isJsonObject, type JsonObject, type StateObject } from './state-json.ts'

export interface StateSets {
  /** Sorted by name, then id. */
  readonly sets: readonly StateSet[]
  /** Workspaces, projects and Stacks that the state names. */
  readonly names: Directory
  /** For each sensitive variable whose value the state has: equal if the values are. The values are dropped. */
  readonly identities: ReadonlyMap<VariableId, string>
  readonly diagnostics: readonly Diagnostic[]
}

/** The sets of a state with their variables and assignments. A part of a missing set is a diagnostic. */
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
    const drafts = new Map<string, StateSetDraft>()
    for (const object of this.#managed('tfe_variable_set')) {
      const id = textAt(object.values, 'id')
      if (id === undefined || !isVariableSetId(id)) this.#skip(object, 'it has no id')
      else drafts.set(id, new StateSetDraft(id, object))
    }
    for (const object of this.#managed('tfe_variable')) this.#variable(object, drafts)
    for (const kind of TARGET_KINDS)
      for (const object of this.#managed(RESOURCES[kind].assignment)) {
        const id = textAt(object.values, RESOURCES[kind].id)
        const draft = this.#draftOf(object, drafts)
        if (draft !== undefined && id !== undefined && TARGETS[kind].isId(id)) draft.assign(object, id)
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

  #variable(object: StateObject, drafts: ReadonlyMap<string, StateSetDraft>): void {
    const { values } = object
    // A variable of a workspace.
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

  /** A sensitive value is hashed here and kept nowhere. */
  #valueOf({ address, values }: StateObject, id: VariableId): ObservedVariable['value'] {
    const isWriteOnly = typeof values.value_wo_version === 'number'
    const text = !isWriteOnly && typeof values.value === 'string' ? values.value : undefined
    if (values.sensitive === true) {
      // The text is also empty if the provider does not know the value.
      if (text !== undefined && text !== '')
        this.#identities.set(id, createHash('sha256').update(text).digest('hex'))
      return { hidden: true }
    }
    if (text !== undefined) return { text }
    this.#diagnostics.push({
      severity: 'warning',
      code: 'state-incomplete',
      message: `${address} is readable, but the state lacks its value. It is written as external.`,
      hint: 'To manage it, write its value.',
    })
    return { hidden: true }
  }

  #draftOf(object: StateObject, drafts: ReadonlyMap<string, StateSetDraft>): StateSetDraft | undefined {
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

/** All names in the state, because names read better than ids. */
function namesOf(objects: readonly StateObject[]): Directory {
  const named = objects.flatMap(({ type, values }) => {
    const id = textAt(values, 'id')
    const name = textAt(values, 'name')
    return id !== undefined && name !== undefined ? [{ type, id, name }] : []
  })
  const mapped = objects.flatMap(({ type, values }) =>
    type === 'tfe_workspace_ids' && isJsonObject(values.ids)
      ? Object.entries(values.ids).flatMap(([name, id]) =>
          typeof id === 'string' ? [{ type: RESOURCES.workspaces.named, id, name }] : [],
        )
      : [],
  )
  const ofKind = <K extends TargetKind>(kind: K): DirectoryEntry<TargetIds[K]>[] => {
    const { isId } = TARGETS[kind]
    return [...named, ...mapped].flatMap(({ type, id, name }) =>
      type === RESOURCES[kind].named && isId(id) ? [{ id, name }] : [],
    )
  }
  return { workspaces: [], projects: [], ...byKind<DirectoryLists>(ofKind) }
}

const fieldsIn = (values: JsonObject): VariableFields => ({
  description: textAt(values, 'description') ?? '',
  hcl: values.hcl === true,
})
